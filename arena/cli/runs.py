"""The runs in a folder, with how far each is; and what a path is that should be a record."""

from __future__ import annotations

import json
import re
import shlex
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from arena.cli import output
from arena.cli.options import Format
from arena.errors import ConfigError, RecordError

_LOCK_FILE: Final = "league.lock.toml"
_LINE: Final = re.compile(rb'\s*\{\s*"(header|deal|event|footer)"')


def check_record(path: Path) -> None:
    """Raise an error with what to do, unless a path is a record or a run's folder with one."""
    from arena.league.record_reader import RawLines, record_path

    if (path / _LOCK_FILE).is_file() and not record_path(path).exists():
        raise ConfigError(
            f"{path}: the run has not begun, so it has no record",
            hint=f"arena league resume {shlex.quote(str(path))}",
        )
    if path.is_dir() and not record_path(path).exists():
        inside = [each for each in _by_name(path) if (each / _LOCK_FILE).is_file()]
        what = "is a folder of runs" if inside else "is no folder of a run"
        raise ConfigError(
            f"{path}: {what}",
            hint=f"name one: {shlex.quote(str(inside[0]))}" if inside else "arena league ls",
        )
    if not path.exists():
        raise RecordError(
            f"{path}: there is no such record",
            path=path,
            hint="arena league ls, or the path of a deals.jsonl",
        )
    first = next(iter(RawLines(path)), None)
    if first is not None and not _LINE.match(first[1]):
        why = "the first line of a record is a JSON object with a header"
        raise RecordError(f"{path}: is no record of the arena", path=path, why=why)


def show(folder: Path, form: Format) -> None:
    """Print the runs in a folder, by name."""
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder", hint="arena league run FILE")
    rows = [_row(path) for path in _by_name(folder) if (path / _LOCK_FILE).is_file()]
    notes = () if rows else (f"no runs in {folder}",)
    columns = [
        output.Column("run", "run"),
        output.Column("league", "league", spare=2),
        output.Column("play", "play"),
        output.Column("bots", "bots", _names, spare=3),
        output.Column("deals", "deals", lambda deals: f"{deals:,}", numeric=True),
        output.Column("total", "of", _total, numeric=True),
        output.Column("state", "state"),
        output.Column("changed", "last change", _moment, spare=1),
    ]
    listing = output.Listing("arena.runs/1", columns, rows, {}, rows_key="runs", notes=notes)
    output.show(listing, form)


def _by_name(folder: Path) -> list[Path]:
    """Return what is in a folder by name, numbers in it by value: match-2 before match-10."""

    def key(path: Path) -> list[tuple[bool, int, str]]:
        parts = re.split(r"(\d+)", path.name)
        return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]

    return sorted(folder.iterdir(), key=key)


def _row(path: Path) -> dict[str, Any]:
    from arena.league.record_reader import record_path, tallies
    from arena.league.schedule import Play, boards_per_pass

    record = record_path(path)
    newest = record if record.is_file() else path / _LOCK_FILE
    row: dict[str, Any] = {
        "run": str(path),
        **_locked(path / _LOCK_FILE),
        "deals": 0,
        "total": None,
        "state": "not begun",
        "changed": datetime.fromtimestamp(newest.stat().st_mtime)
        .astimezone()
        .isoformat(timespec="seconds"),
    }
    if not record.is_file():
        return row
    try:
        for line in tallies(path):
            if line.header is not None:
                header = line.header
                play = Play(header.play)
                names = [entrant.name for entrant in header.entrants if not entrant.house]
                row |= {"league": header.league, "play": header.play, "state": "unfinished"}
                row |= {"entrants": len(header.entrants), "bots": list(header.names)}
                if play is not Play.POINTS:  # how many deals a game takes shows in the end
                    per_pass = boards_per_pass(play, names, header.field or ())
                    row["total"] = header.passes * per_pass * play.legs
            row["deals"] += line.deal is not None
            if line.footer is not None:
                row["state"] = "finished"
                row["total"] = row["deals"]
    except RecordError as error:
        row["state"] = f"unreadable: {error.message}"
    return row


def _locked(file: Path) -> dict[str, Any]:
    """Return what the lock file of a run says of its league, as far as it can be read."""
    from arena.league.reading import read_toml

    try:
        tables = read_toml(file)
        names = [str(bot["name"]) for bot in tables["bot"]]
        decides = json.loads(tables["run"]["decides"])
        league = {"league": tables["league"]["name"], "play": decides["play"]}
    except (ConfigError, KeyError, TypeError, ValueError):
        return {"league": None, "play": None, "entrants": None, "bots": None}
    return {**league, "entrants": len(names), "bots": names}


def _names(names: Any, most: int = 4) -> str:
    if not names:
        return "–"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _total(total: Any) -> str:
    return "–" if total is None else f"{total:,}"


def _moment(text: Any) -> str:
    return str(text)[:16].replace("T", " ")
