"""The keys of a league file and of a `bot.toml`, as they are written.

One definition serves three ends: reading (`arena.league.reading`), the JSON Schema for editors,
and the messages that say what a key expects. What the values mean, once durations are numbers
and bots are found, is in `arena.league.config`. Source: CONVENTIONS, League file.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from arena.league.units import DURATION_PATTERN, SIZE_PATTERN

NAME_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$"
"""A name of a league or entrant. Source: RECORD."""


def about(description: str) -> Meta:
    """Return what a key is, for editors."""
    return Meta(description=description)


def _text(expected: str, pattern: str | None = None) -> Meta:
    return Meta(pattern=pattern, extra={"expected": expected})


Name = Annotated[
    str,
    _text(
        "a name of 1 to 32 of A-Z a-z 0-9 . _ -, the first a letter or digit",
        NAME_PATTERN,
    ),
]
Duration = Annotated[str, _text('a duration such as "250ms" or "1.5s"', DURATION_PATTERN)]
MoveTime = Annotated[
    str,
    _text('a duration such as "250ms", or "off"', rf"^off$|{DURATION_PATTERN}"),
]
Size = Annotated[str, _text('a size such as "512MiB" or "64kB"', SIZE_PATTERN)]
Text = Annotated[str, _text("a text")]
Address = Annotated[str, _text('an address and port such as "127.0.0.1:0"', r"^\S+:[0-9]{1,5}$")]
Whole = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Positive = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Points = Annotated[int, Meta(ge=-100, le=100)]
Command = Annotated[
    tuple[str, ...],
    Meta(min_length=1, extra={"expected": 'a list of texts, such as ["python", "bot.py"]'}),
]
Texts = Annotated[
    tuple[str, ...],
    Meta(extra={"expected": 'a list of texts, such as ["a", "b"]'}),
]
Environment = Annotated[
    dict[str, str],
    Meta(extra={"expected": 'a table of texts, such as { BOLDNESS = "0.3" }'}),
]

Play = Literal["boards", "independent", "points", "gauntlet", "duel", "paired"]


class Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file whose unknown keys are errors."""


class LeagueTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is played, by how many boards, from which seed."""

    name: Annotated[
        Name, about("What the league is called; a run's folder takes its name from it.")
    ]
    seed: Annotated[
        Text,
        about("`random`, 64 hex digits, or a short text for private runs that are to be repeated."),
    ] = "random"
    public: Annotated[Text, about("What others add once the commitment is known (DECK 3).")] = ""
    play: Annotated[Play, about("Who meets whom on which board (SCHEDULE).")] = "boards"
    boards: Annotated[
        Positive,
        about("Boards that each entrant, or candidate, plays at least; whole passes are played."),
    ] = 100
    target: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)],
        about('Points that end a game; `play = "points"` only.'),
    ] = 20
    max_deals: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)],
        about('Deals that end a game at the latest; `play = "points"` only.'),
    ] = 200
    field: Annotated[
        Texts, about('The entrants that candidates meet; `play = "gauntlet"` and `"paired"` only.')
    ] = ()
    tables: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)],
        about("Boards in progress at once; decides no result."),
    ] = 64
    thinking: Annotated[
        Whole | UnsetType,
        about("Local bots that may think at once; 0 is no limit, default the number of cores."),
    ] = UNSET
    isolation: Annotated[
        Literal["none"],
        about("Whether every leg gets fresh processes; `leg` is not yet supported."),
    ] = "none"
    anonymous: Annotated[
        bool, about("Whether bots are not told who sits where; not yet supported.")
    ] = False
    trusted: Annotated[
        bool | UnsetType,
        about("Whether the bots are trusted; default: yes, unless one of them dials in."),
    ] = UNSET


class RulesetTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The knobs of the game (RULES)."""

    name: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)], about("A label; it decides nothing.")
    ] = "brandeln"
    opening: Annotated[Literal["brandeln", "any"], about("What the first bid may be.")] = "brandeln"
    declare_above_bid: Annotated[
        bool, about("Whether the declarer may name a contract above his bid.")
    ] = True
    void: Annotated[
        Literal["must_trump", "any"], about("What a player who cannot follow must play.")
    ] = "must_trump"
    trump_order: Annotated[Literal["plain", "jack_seven"], about("How trumps rank.")] = "plain"
    passed_out_winner: Annotated[
        Literal["most", "fewest"],
        about("Who scores in a passed-out deal: who took most or fewest tricks."),
    ] = "most"
    passed_out_tie: Annotated[
        Literal["none", "all"], about("Who of those who tie for it scores.")
    ] = "none"
    passed_out_points: Annotated[Points, about("What that player scores.")] = 1
    passed_out_all_tricks: Annotated[
        Points,
        about("What a player scores instead who takes all seven tricks of a passed-out deal."),
    ] = -3


class ClockTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The time of bots (FAULTS, The clock)."""

    start: Annotated[Duration, about("From a bot's start to its Hello.")] = "10s"
    move: Annotated[MoveTime, about("For each decision; `off` for debugging.")] = "1s"
    bank: Annotated[Duration, about("What a seat may take beyond `move`, in all, in a deal.")] = (
        "2s"
    )


class FaultsTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What faults cost (FAULTS, Bench)."""

    points: Annotated[
        Annotated[int, Meta(ge=0, le=1000)],
        about("The penalty for an incident, and for a deal with a fault that has none."),
    ] = 1
    crashes: Annotated[Whole, about("Crashes after which the next one benches.")] = 3
    share: Annotated[
        Annotated[float, Meta(ge=0, le=1)],
        about("The share of deals with a fault above which an entrant is benched."),
    ] = 0.1
    after: Annotated[Whole, about("Deals before `share` counts.")] = 20


class LimitsTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a bot's process may use (SANDBOX)."""

    sandbox: Annotated[
        Literal["rlimits"], about("How bots are kept apart; other levels are not yet supported.")
    ] = "rlimits"
    output: Annotated[Size, about("What is kept of a process's stdout and stderr.")] = "1MiB"


class ServerTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the referee listens."""

    address: Annotated[Address, about("Address and port; port 0 takes a free one.")] = "127.0.0.1:0"


class _BotKeys(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `[each]` and `[[bot]]` share."""

    bot: Annotated[Text | UnsetType, about("A sample bot by its name.")] = UNSET
    dir: Annotated[Text | UnsetType, about("A folder with a `bot.toml`, relative to the file.")] = (
        UNSET
    )
    command: Annotated[
        Command | UnsetType,
        about("The program and its arguments, relative to the file; never a shell's line."),
    ] = UNSET
    join: Annotated[bool, about("Whether the bot dials in with a token.")] = False
    args: Annotated[Texts, about("Arguments after those of the command.")] = ()
    env: Annotated[
        Environment, about("Environment variables: parameters to compare without wrapper scripts.")
    ] = field(default_factory=dict)


class EachTable(_BotKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Defaults for every bot."""


class BotTable(_BotKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entrant: exactly one of `bot`, `dir`, `command`, `join`."""

    name: Annotated[
        Name | UnsetType,
        about("The entrant's name; default that of the sample or of the folder's `bot.toml`."),
    ] = UNSET


class LeagueFile(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A league file."""

    league: LeagueTable
    ruleset: RulesetTable = field(default_factory=RulesetTable)
    clock: ClockTable = field(default_factory=ClockTable)
    faults: FaultsTable = field(default_factory=FaultsTable)
    limits: LimitsTable = field(default_factory=LimitsTable)
    server: ServerTable = field(default_factory=ServerTable)
    each: EachTable = field(default_factory=EachTable)
    bot: tuple[BotTable, ...] = ()


class BotToml(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The `bot.toml` in a bot's folder."""

    name: Annotated[Name | UnsetType, about("Its name where the league file gives none.")] = UNSET
    version: Annotated[Text, about("Its version, for the record.")] = ""
    language: Annotated[Text, about("For people.")] = ""
    command: Annotated[Command, about("The program and its arguments, relative to the folder.")]
    build: Annotated[
        Texts, about("The command that builds the bot; a league does not run it.")
    ] = ()
    probe: Annotated[
        Texts,
        about("The command that tells whether the toolchain is here; a league does not run it."),
    ] = ()
    files: Annotated[
        Texts, about("Patterns of the files that the digest covers; default the whole folder.")
    ] = ()
    address: Annotated[
        Literal["unix", "tcp"],
        about("What the bot can dial; without a sandbox it is always given TCP."),
    ] = "tcp"
    max_in_flight: Annotated[
        Annotated[int, Meta(ge=1, le=128)], about("For people: what the bot asks for in its Hello.")
    ] = 1


SECTIONS: Final[dict[str, type[Table]]] = {
    "league": LeagueTable,
    "ruleset": RulesetTable,
    "clock": ClockTable,
    "faults": FaultsTable,
    "limits": LimitsTable,
    "server": ServerTable,
    "each": EachTable,
}
"""The tables that occur once, in the order of CONVENTIONS; `[[bot]]` is apart."""

NOT_YET: Final[dict[str, dict[str, tuple[object, ...]]]] = {
    "league": {"workers": (), "anonymous": (False,), "isolation": ("none",)},
    "limits": {
        "sandbox": ("rlimits",),
        "memory": (),
        "cpu": (),
        "cpus": (),
        "processes": (),
        "files": (),
        "file_size": (),
        "bind": (),
    },
    "server": {"tls_cert": (), "tls_key": (), "client_ca": ()},
    "each": {"limits": (), "stdio": ()},
    "bot": {"limits": (), "stdio": ()},
    "bot.toml": {"bind": ()},
}
"""Keys of CONVENTIONS that later work builds, by table, with the values that are right already."""


def config_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a league file, for editors."""
    (schema,), definitions = msgspec.json.schema_components(
        [LeagueFile], ref_template="#/$defs/{name}"
    )
    definitions["LeagueTable"]["properties"]["anonymous"]["const"] = False
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "League file of the Brandeln arena",
        **schema,
        "$defs": definitions,
    }
