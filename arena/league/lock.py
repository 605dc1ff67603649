"""The lock file of a run: the league as resolved, and what of it must not change.

`run.decides` is one line of compact JSON, keys sorted, with what decides results: play, passes,
field, target, ruleset, clock, faults, isolation, and the entrants with their digests. Its SHA-256
is `config_sha256`, which the record's header carries too. How a league is run (tables, thinking,
output, address, paths) is not in it. Nor are seed and public text, for which the header has fields
of its own; the seed is not in the lock file at all (DECK 1).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import msgspec
import tomli_w

from arena.errors import ConfigError
from arena.files import is_file
from arena.league.bots import Bot, Draft, digest, resolve
from arena.league.config import League
from arena.league.reading import read_toml
from arena.league.schedule import HOUSE, Play
from arena.version import __version__

LOCK_FORMAT: Final = "arena.lock/1"
_HEAD: Final = """\
# What this run was started with, resolved; `arena league resume` reads it.
# tables, thinking, output_bytes and address may be edited. A run that was edited in what decides
# results, or whose bots have changed, is refused.

"""
_PAIRS: Final = ("env", "files")
"""Pairs of a bot that are tables in the file."""
_REMEDY: Final = "put the original back, or start a new run"


class _Run(msgspec.Struct, frozen=True, kw_only=True):
    format: str
    producer: str
    source: str
    """The league file, as it was given."""
    seed_commitment: str
    config_sha256: str
    decides: str


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock file that holds together, and whose bots are what they were."""

    league: League
    seed_commitment: str
    config_sha256: str


def decides(league: League) -> str:
    """Return what decides a league's results, as one line of JSON."""
    ruleset = league.ruleset.to_dict()
    del ruleset["name"]  # a label
    facts = {
        "play": str(league.play),
        "passes": league.passes,
        "field": list(league.field),
        "ruleset": ruleset,
        "clock": asdict(league.clock),
        "faults": asdict(league.faults),
        "isolation": league.isolation,
        "sandbox": league.sandbox,
        "entrants": [{"name": bot.name, "digest": bot.digest} for bot in league.entrants],
    }
    if league.play is Play.POINTS:
        facts |= {"target": league.target, "max_deals": league.max_deals}
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def config_sha256(league: League) -> str:
    """Return the digest of what decides a league's results, 64 hex digits."""
    return hashlib.sha256(decides(league).encode()).hexdigest()


def lock_text(league: League, seed_commitment: str) -> str:
    """Return the lock file of a league, TOML."""
    run = _Run(
        format=LOCK_FORMAT,
        producer=f"arena {__version__}",
        source=league.label,
        seed_commitment=seed_commitment,
        config_sha256=config_sha256(league),
        decides=decides(league),
    )
    table = msgspec.to_builtins(replace(league, origins={}))
    bots = [*table.pop("bots"), *filter(None, [table.pop("house")])]
    for key in ("label", "seed", "origins"):
        del table[key]
    for bot in bots:
        del bot["argv"], bot["cwd"]  # found again when they are needed
        bot |= {key: dict(bot.pop(key)) for key in _PAIRS}
    sections = {section: table.pop(section) for section in ("ruleset", "clock", "faults")}
    tables = {"run": msgspec.to_builtins(run), "league": table, **sections, "bot": bots}
    return _HEAD + tomli_w.dumps(tables)


def read_lock(path: Path, *, samples: Mapping[str, Path]) -> Lock:
    """Read a lock file and find its bots again.

    Raises `ConfigError`, saying what changed, when it was edited in what decides results or a
    bot's files are not what they were.
    """
    if path.exists() and not is_file(path):
        raise ConfigError(f"{path}: is no regular file")
    tables = read_toml(path)
    try:
        run = msgspec.convert(tables.get("run"), type=_Run)
        if run.format != LOCK_FORMAT:
            raise ConfigError(f"{path}: expected format {LOCK_FORMAT!r}, got {run.format!r}")
        league = _locked_league(path, tables)
    except (msgspec.ValidationError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path}: was edited: {error}", hint=_REMEDY) from error
    _refuse_edit(path, run, league)
    found = [_found_again(path, bot, samples) for bot in league.bots]
    house = league.house and _found_again(path, league.house, samples)
    league = replace(league, bots=tuple(found), house=house)
    return Lock(league, run.seed_commitment, run.config_sha256)


def check_header(lock: Lock, *, config_sha256: str, public: str, seed_commitment: str) -> None:
    """Raise `ConfigError` unless a record's header belongs to a run's lock file.

    The three texts are those of the header.
    """
    for what, expected, came in (
        ("config_sha256", config_sha256, lock.config_sha256),
        ("public", public, lock.league.public),
        ("seed_commitment", seed_commitment, lock.seed_commitment),
    ):
        if expected != came:
            raise ConfigError(
                f"{lock.league.label}: {what} is not that of the record's header",
                why=f"expected {expected!r}, got {came!r}",
                hint=_REMEDY,
            )


def _locked_league(path: Path, tables: Mapping[str, Any]) -> League:
    """Return the league as the lock file has it, its bots not looked up."""
    bots = [
        {**bot, "argv": [], "cwd": ""} | {key: sorted(bot[key].items()) for key in _PAIRS}
        for bot in tables.get("bot", [])
    ]
    house = bots.pop() if bots and bots[-1].get("name") == HOUSE else None
    league = {
        **tables.get("league", {}),
        **{section: tables.get(section) for section in ("ruleset", "clock", "faults")},
        "bots": bots,
        "house": house,
        "label": str(path),
        "seed": "",
    }
    return msgspec.convert(league, type=League)


def _refuse_edit(path: Path, run: _Run, league: League) -> None:
    """Raise `ConfigError` with the first fact that decides results and was edited."""
    now = decides(league)
    if hashlib.sha256(run.decides.encode()).hexdigest() != run.config_sha256:
        differences = iter([("run.decides", run.config_sha256, "a text with another SHA-256")])
    elif now != run.decides:
        differences = _differences(json.loads(run.decides), json.loads(now))
    else:
        return
    what, expected, came = next(differences)
    raise ConfigError(
        f"{path}: was edited in what decides results: {what}",
        why=f"expected {expected}, got {came}",
        hint=_REMEDY,
    )


def _differences(before: Any, now: Any, at: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the places where two pieces of JSON differ, with both values."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted({*before, *now}, key=lambda key: (key not in before, key)):
            yield from _differences(before.get(key), now.get(key), f"{at}.{key}".lstrip("."))
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, pair in enumerate(zip(before, now, strict=True), 1):
            yield from _differences(*pair, f"{at} {number}")
    elif before != now:
        yield at, json.dumps(before), json.dumps(now)


def _found_again(path: Path, before: Bot, samples: Mapping[str, Path]) -> Bot:
    """Look a bot up and hash its files. Raises `ConfigError` when it is another by now."""
    env = dict(before.env)
    if digest(before.kind, before.command, env, before.files) != before.digest:
        raise ConfigError(
            f"{path}: was edited in what decides results: bot {before.name!r}",
            why="its command, env or files do not fit its digest",
            hint=_REMEDY,
        )
    draft = Draft(
        before.name, before.kind, before.where, before.command, env, before.version, before.patterns
    )
    now = resolve(draft, samples)
    if now.digest != before.digest:
        old, new = dict(before.files), dict(now.files)
        file = next(name for name in sorted({*old, *new}) if old.get(name) != new.get(name))
        raise ConfigError(
            f"bot {before.name!r} has changed since the run began: {file}",
            why=f"expected SHA-256 {_short(old.get(file))}, got {_short(new.get(file))}",
            hint="put its files back, or start a new run",
        )
    return now


def _short(sha256: str | None) -> str:
    return f"{sha256[:12]}..." if sha256 else "no such file"
