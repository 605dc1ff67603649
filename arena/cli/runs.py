"""The runs in a folder, with how far each is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.cli import output
from arena.cli.options import Format
from arena.errors import ConfigError, RecordError


def show(folder: Path, form: Format) -> None:
    """Print the runs in a folder, by name."""
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder", hint="arena league run FILE")
    rows = [
        _row(path) for path in sorted(folder.iterdir()) if (path / "league.lock.toml").is_file()
    ]
    notes = () if rows else (f"no runs in {folder}",)
    columns = [
        output.Column("run", "run"),
        output.Column("league", "league"),
        output.Column("play", "play"),
        output.Column("entrants", "entrants", numeric=True),
        output.Column("deals", "deals", numeric=True),
        output.Column("state", "state"),
    ]
    listing = output.Listing("arena.runs/1", columns, rows, {}, rows_key="runs", notes=notes)
    output.show(listing, form)


def _row(path: Path) -> dict[str, Any]:
    from arena.league.record_reader import record_path, tallies

    row: dict[str, Any] = {"run": str(path), "deals": 0, "state": "not begun"}
    if not record_path(path).is_file():
        return row
    try:
        for line in tallies(path):
            if line.header is not None:
                row |= {
                    "league": line.header.league,
                    "play": line.header.play,
                    "entrants": len(line.header.entrants),
                    "state": "unfinished",
                }
            row["deals"] += line.deal is not None
            if line.footer is not None:
                row["state"] = "finished"
    except RecordError as error:
        row["state"] = f"unreadable: {error.message}"
    return row
