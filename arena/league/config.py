"""A league as it will be played: everything checked, in numbers, with defaults filled in.

`load_league` reads a league file, `match_league` makes the same of the bots of a command line,
and `arena.league.lock` of a run's folder.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as attribute  # a league has a `field` of its own
from pathlib import Path
from typing import Final, TypeVar

from msgspec import UNSET

from arena.address import loopback_host
from arena.errors import ConfigError
from arena.league.bots import Bot, Draft, draft_bot, resolve
from arena.league.config_schema import (
    SECTIONS,
    BotTable,
    ClockTable,
    EachTable,
    FaultsTable,
    LeagueTable,
    LimitsTable,
    RulesetTable,
    ServerTable,
    Table,
)
from arena.league.reading import (
    SET,
    Document,
    apply_overrides,
    bot_label,
    check_table,
    did_you_mean,
    read_toml,
    refuse_unknown_sections,
    require_text,
    spelling,
)
from arena.league.schedule import HOUSE, Play, passes_for, seated
from arena.league.units import format_duration, format_size, parse_duration, parse_size
from arena.printable import quoted
from arena.rules.deck import SEED_BYTES, parse_seed
from arena.rules.ruleset import Ruleset

T = TypeVar("T", bound=Table)

LONGEST_CLOCK_MS: Final = 3_600_000
"""The longest `start`, `move` and `bank`: gRPC counts milliseconds in 32 bits, and no bot is
waited for longer than that."""
HOUSE_SAMPLE: Final = "cautious"
"""The sample bot that plays as `house`. Source: SCHEDULE."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The times of FAULTS, The clock, in whole milliseconds."""

    start_ms: int
    move_ms: int
    """0 when the clock is off."""
    bank_ms: int

    @property
    def is_off(self) -> bool:
        """Whether bots may think for ever."""
        return self.move_ms == 0


@dataclass(frozen=True, slots=True)
class Faults:
    """What faults cost (FAULTS, Bench)."""

    points: int
    crashes: int
    share: float
    after: int


@dataclass(frozen=True, slots=True)
class League:
    """A league, resolved."""

    label: str
    """What errors call its source: the file's path as given, or `match`."""
    name: str
    seed: str = attribute(repr=False)
    """As given; empty when the league comes from a run's folder, where the seed is in a file."""
    public: str
    play: Play
    boards: int
    target: int
    max_deals: int
    field: tuple[str, ...]
    tables: int
    thinking: int
    """0 is no limit."""
    trusted: bool
    isolation: str
    sandbox: str
    ruleset: Ruleset
    clock: Clock
    faults: Faults
    output_bytes: int
    """What is kept of a process's stdout and stderr."""
    address: str
    bots: tuple[Bot, ...]
    """In the order of the file, without the house bot."""
    house: Bot | None
    """The bot that makes the fourth of three."""
    origins: Mapping[str, str] = attribute(default_factory=dict, compare=False, repr=False)
    """By `section.key` or `bot.NAME.key`: where a value is from; what is absent is default."""

    @property
    def entrants(self) -> tuple[Bot, ...]:
        """All bots that play, the house bot last."""
        return (*self.bots, self.house) if self.house else self.bots

    @property
    def passes(self) -> int:
        """The passes that give each entrant, or candidate, its boards."""
        return passes_for(self.play, [bot.name for bot in self.bots], self.boards, self.field)

    def with_public(self, text: str) -> League:
        """Return the league with another public text (DECK 3). Raises `ConfigError`."""
        require_text("--public", text)
        return replace(self, public=text)


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of a resolved league, for people."""

    key: str
    value: object
    """As TOML spells it: durations and sizes are texts again."""
    origin: str
    """`default`, `file`, `each`, `--set`, `sample`, `computed`, or the path of a `bot.toml`."""


def load_league(
    path: Path, overrides: Sequence[str] = (), *, samples: Mapping[str, Path]
) -> League:
    """Read a league file.

    `overrides` are `section.key=value` as after `--set`; `samples` has the file of every sample
    bot by name. Raises `ConfigError` for the first thing that is wrong.
    """
    document = Document(str(path), read_toml(path))
    refuse_unknown_sections(document)
    apply_overrides(document, overrides, path.parent)
    return build_league(document, path.parent, samples)


def build_league(
    document: Document, base: Path, samples: Mapping[str, Path], *, trusted: bool | None = None
) -> League:
    """Check a document and return its league; `base` is where its paths start from.

    `trusted` stands in for the default of that key. Raises `ConfigError`.
    """
    table = _section(document, "league", LeagueTable)
    limits = _section(document, "limits", LimitsTable)
    server = _section(document, "server", ServerTable)
    drafts = _drafts(document, base, samples)
    names = [draft.name for draft in drafts]
    _check_names(document, names)
    _check_play(document, table, names)
    if table.trusted is not UNSET:
        trusted = table.trusted
    elif trusted is None:
        trusted = all(draft.kind != "join" for draft in drafts)
    _check_seed(document, table, trusted)
    loopback_host(server.address, document.place("server", "address"))
    ruleset = _section(document, "ruleset", RulesetTable)
    clock = _section(document, "clock", ClockTable)
    faults = _section(document, "faults", FaultsTable)
    bots = tuple(resolve(draft, samples) for draft in drafts)
    needs_house = seated(Play(table.play), names, table.field)[-1] == HOUSE
    return League(
        label=document.label,
        name=table.name,
        seed=table.seed,
        public=table.public,
        play=Play(table.play),
        boards=table.boards,
        target=table.target,
        max_deals=table.max_deals,
        field=table.field,
        tables=table.tables,
        thinking=cores() if table.thinking is UNSET else table.thinking,
        trusted=trusted,
        isolation=table.isolation,
        sandbox=limits.sandbox,
        ruleset=Ruleset(**{key: getattr(ruleset, key) for key in ruleset.__struct_fields__}),
        clock=_clock(document, clock),
        faults=Faults(faults.points, faults.crashes, faults.share, faults.after),
        output_bytes=_in_unit(document, ("limits", "output"), parse_size, limits.output),
        address=server.address,
        bots=bots,
        house=house_bot(samples) if needs_house else None,
        origins=_origins(document, drafts),
    )


def house_bot(samples: Mapping[str, Path]) -> Bot:
    """Return the bot that makes the fourth beside three entrants."""
    file = samples.get(HOUSE_SAMPLE)
    command = ("python", file.name if file else "")
    return resolve(Draft(HOUSE, "sample", HOUSE_SAMPLE, command, {}), samples)


def seed_of(league: League, draw: Callable[[int], bytes] = secrets.token_bytes) -> bytes:
    """Return the 32 bytes of a league's seed; `random` draws them (DECK 1)."""
    return draw(SEED_BYTES) if league.seed == "random" else parse_seed(league.seed)


def refuse_guessable_seed(league: League) -> None:
    """Raise `ConfigError` if a commitment to the league's seed would be worth nothing (DECK 1)."""
    if league.seed != "random" and not _is_hex_seed(league.seed):
        raise ConfigError(
            f"{league.label}: league.seed: a text cannot be committed to",
            why="whoever guesses it knows all decks, and the host could have tried many",
            hint='seed = "random", or --set league.seed=random',
        )


def settings(league: League) -> list[Setting]:
    """Return every value of a league with its origin; of the seed only what it is."""
    values: dict[str, object] = {"league.name": league.name, "league.seed": _seed_kind(league.seed)}
    for key in LeagueTable.__struct_fields__:
        if key not in {"name", "seed", "anonymous"}:
            value = getattr(league, key)
            values[f"league.{key}"] = str(value) if isinstance(value, Play) else value
    values |= {f"ruleset.{key}": value for key, value in league.ruleset.to_dict().items()}
    clock = league.clock
    values["clock.start"] = format_duration(clock.start_ms)
    values["clock.move"] = "off" if clock.is_off else format_duration(clock.move_ms)
    values["clock.bank"] = format_duration(clock.bank_ms)
    values |= {f"faults.{key}": getattr(league.faults, key) for key in Faults.__slots__}
    values["limits.sandbox"] = league.sandbox
    values["limits.output"] = format_size(league.output_bytes)
    values["server.address"] = league.address
    for bot in league.entrants:
        values |= {
            f"bot.{bot.name}.{key}": value
            for key, value in (
                ("source", f"{bot.kind} {bot.where}".strip()),
                ("command", list(bot.command)),
                ("env", dict(bot.env)),
                ("version", bot.version),
                ("digest", bot.digest),
            )
            if value
        }
    return [Setting(key, value, _origin(league, key)) for key, value in values.items()]


def _origin(league: League, key: str) -> str:
    below = [origin for at, origin in league.origins.items() if at.startswith(f"{key}.")]
    # One variable of an environment may be overridden, and the others are as they were.
    return SET if SET in below else league.origins.get(key, below[0] if below else "default")


def _seed_kind(seed: str) -> str:
    if seed in {"", "random"}:
        return seed or "in the run's folder"
    return f"(hidden: {'64 hex digits' if _is_hex_seed(seed) else 'a text'})"


def _is_hex_seed(seed: str) -> bool:
    return re.fullmatch(r"[0-9A-Fa-f]{64}", seed) is not None


def _section(document: Document, section: str, kind: type[T]) -> T:
    if section == "league" and section not in document.data:
        raise ConfigError(
            f"{document.label}: [league] is missing", hint='[league] with name = "..."'
        )
    return check_table(document, (section,), document.data.get(section, {}), kind)


def _drafts(document: Document, base: Path, samples: Mapping[str, Path]) -> list[Draft]:
    tables = document.data.get("bot", [])
    if not isinstance(tables, list):
        raise ConfigError(
            f"{document.label}: bot: expected a list of tables", hint="write [[bot]], not [bot]"
        )
    each = _section(document, "each", EachTable)
    drafts = []
    for number, table in enumerate(tables, 1):
        label = bot_label(table, number, base)
        checked = check_table(document, ("bot", label), table, BotTable)
        drafts.append(draft_bot(document, label, checked, each, base, samples))
    return drafts


def _check_names(document: Document, names: Sequence[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        if name.casefold() == HOUSE:
            raise ConfigError(
                f"{document.label}: bot {name!r}: the name is taken",
                why="house is the bot that makes a fourth of three",
            )
        if name.casefold() in seen:
            first = seen[name.casefold()]
            same = "" if first == name else f", or {first!r}, which differs in case only"
            raise ConfigError(
                f"{document.label}: two bots are named {name!r}{same}",
                hint=f'name = "{name[:30]}-2"',
            )
        seen[name.casefold()] = name


def _check_play(document: Document, table: LeagueTable, names: Sequence[str]) -> None:
    """Raise `ConfigError` unless play, field and the number of entrants fit (SCHEDULE)."""
    given = document.data["league"]
    for key in ("target", "max_deals"):
        if key in given and Play(table.play) is not Play.POINTS:
            raise ConfigError(
                f"{document.place('league', key)}: has no meaning in play = '{table.play}'",
                hint='play = "points"',
            )
    for name in table.field:
        if name not in names:
            raise ConfigError(
                f"{document.place('league', 'field')}: no bot {quoted(name)}",
                why=did_you_mean(name, names),
            )
    try:
        seated(Play(table.play), names, table.field)
    except ConfigError as error:
        hint = error.hint or _too_few(table, len(names))
        raise ConfigError(f"{document.label}: {error.message}", why=error.why, hint=hint) from None


def _too_few(table: LeagueTable, entrants: int) -> str:
    """Return what to do about a number of entrants that does not fit the play."""
    if table.play == "duel" and entrants >= 3:
        return 'play = "boards"'
    if Play(table.play).has_field or entrants > 2:
        return ""
    if entrants == 2:
        return 'play = "duel"'
    return 'another [[bot]], such as bot = "greedy"; arena match BOT BOT needs no file'


def _check_seed(document: Document, table: LeagueTable, trusted: bool) -> None:
    """Raise `ConfigError` for a seed that is none, or that strangers could guess (DECK 1)."""
    place = document.place("league", "seed")
    if table.seed != "random":
        try:
            parse_seed(table.seed)
        except ConfigError as error:
            what = error.message.removeprefix("seed: ")
            raise ConfigError(f"{place}: {what}", hint=error.hint) from None
    if trusted:
        return
    if table.seed != "random" and not _is_hex_seed(table.seed):
        raise ConfigError(
            f"{place}: a text can be guessed, and the bots are not trusted",
            why="bots that dial in are not trusted unless league.trusted = true",
            hint='seed = "random"',
        )
    if Play(table.play) is not Play.INDEPENDENT:
        raise ConfigError(
            f"{document.place('league', 'play')}: expected 'independent', got '{table.play}'",
            why="bots that are not trusted could remember a hand from one leg to the next",
            hint='play = "independent", or trusted = true',
        )


def _clock(document: Document, table: ClockTable) -> Clock:
    move = table.move
    clock = Clock(
        start_ms=_in_unit(document, ("clock", "start"), parse_duration, table.start),
        move_ms=0 if move == "off" else _in_unit(document, ("clock", "move"), parse_duration, move),
        bank_ms=_in_unit(document, ("clock", "bank"), parse_duration, table.bank),
    )
    for key, value, least in (
        ("start", clock.start_ms, 1),
        ("move", clock.move_ms or (move == "off"), 1),
        ("bank", clock.bank_ms, 0),
    ):
        if not least <= value <= LONGEST_CLOCK_MS:
            wanted = f"at most {format_duration(LONGEST_CLOCK_MS)}" if value else "more than 0"
            raise ConfigError(
                f"{document.place('clock', key)}: expected {wanted}, got"
                f" {spelling(getattr(table, key))}",
                hint='move = "off" stops the clock' if key == "move" else "",
            )
    return clock


def _in_unit(
    document: Document, keys: tuple[str, ...], parse: Callable[[str], int], text: str
) -> int:
    try:
        return parse(text)
    except ValueError as error:
        raise ConfigError(f"{document.place(*keys)}: {error}") from error


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _origins(document: Document, drafts: Sequence[Draft]) -> dict[str, str]:
    found: dict[str, str] = {}
    for section in SECTIONS:
        found |= dict.fromkeys(
            (f"{section}.{key}" for key in document.data.get(section, {})), "file"
        )
    each = document.data.get("each", {})
    for draft, table in zip(drafts, document.data.get("bot", []), strict=True):
        own = dict.fromkeys(table, "file")
        own |= {key: "each" for key in each if key not in own}
        for key in ("bot", "dir", "command", "join"):
            if key in own:
                own.setdefault("source", own[key])
        if draft.kind == "folder":
            toml = os.path.relpath(Path(draft.where, "bot.toml"))
            own |= {"command": toml, "version": toml}
        elif draft.kind == "sample":
            own["command"] = "sample"
        own["digest"] = "computed"
        found |= {f"bot.{draft.name}.{key}": origin for key, origin in own.items()}
    found |= {".".join(keys): SET for keys in document.overridden}
    return found
