"""`arena verify`: whether records are what they say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import output, runs
from arena.cli.errors import BAD
from arena.cli.options import Format, FormatOption
from arena.cli.text import examples
from arena.errors import ConfigError
from arena.printable import quoted

if TYPE_CHECKING:
    from arena.league.verify import Verdict

EXAMPLES = examples(
    "arena verify runs/autumn-1",
    "arena verify deals.jsonl --commitment 5e8f… --sha256 0b1c…",
)


def verify(
    records: Annotated[
        list[Path], typer.Argument(metavar="RECORD...", help="Records or runs' folders.")
    ],
    commitment: Annotated[
        str | None, typer.Option(metavar="HEX", help="The commitment published before the start.")
    ] = None,
    sha256: Annotated[
        str | None, typer.Option(metavar="HEX", help="The digest published at the end.")
    ] = None,
    form: FormatOption = Format.TABLE,
) -> None:
    """Check records: decks from the seed, seats, every action, points, faults, and the seal.

    Exit 0 if all is as it should be, 1 at the first difference.
    """
    from arena.league.verify import verify_record

    if len(records) > 1 and (commitment or sha256):
        raise ConfigError(
            f"--commitment and --sha256 belong to one record, got {len(records)}",
            hint=f"arena verify {records[0]} --commitment HEX",
        )
    _check_hex("--commitment", commitment)
    _check_hex("--sha256", sha256)
    for path in records:
        runs.check_record(path)
    rows = [
        _row(verify_record(path, commitment=commitment, sha256=sha256, seed=_seed_beside(path)))
        for path in records
    ]
    if form is Format.TABLE:
        for row in rows:
            print(_said(row))
    else:
        columns = [output.Column(key, key.replace("_", " ")) for key in rows[0]]
        listing = output.Listing("arena.verify/1", columns, rows, {}, rows_key="records")
        output.show(listing, form)
    if not all(row["ok"] for row in rows):
        raise typer.Exit(BAD)


def _check_hex(option: str, value: str | None) -> None:
    if value is None:
        return
    if len(value) != 64 or set(value.lower()) - set("0123456789abcdef"):
        raise ConfigError(f"{option}: expected 64 hex digits, got {quoted(value)}")


def _seed_beside(path: Path) -> bytes | None:
    """Return the seed of a run whose record does not reveal it yet, if it is at hand."""
    from arena.rules.deck import parse_seed

    file = path / "seed"
    if not path.is_dir() or not file.is_file() or not os.access(file, os.R_OK):
        return None
    return parse_seed(file.read_text(encoding="ascii").strip())


def _row(verdict: Verdict) -> dict[str, Any]:
    found = verdict.difference
    return {
        "record": str(verdict.path),
        "ok": verdict.ok,
        "finished": verdict.is_finished,
        "torn": verdict.is_torn,
        "deals": verdict.deals,
        "events": verdict.events,
        "commitment": verdict.commitment,
        "sha256": verdict.sha256,
        "line": found.line if found else None,
        "where": found.where if found else None,
        "difference": found.what if found else None,
        "expected": found.expected if found else None,
        "came": found.came if found else None,
    }


def _said(row: dict[str, Any]) -> str:
    """Return what is said of a record in a few lines."""
    checked = f"{row['deals']:,} deals, {row['events']:,} events"
    if not row["ok"]:
        lines = [f"{row['record']}: line {row['line']}, {row['where']}: {row['difference']}"]
        lines += [f"  {key:<8} {row[key]}" for key in ("expected", "came") if row[key]]
        return "\n".join([*lines, f"  before it {checked} are as they should be"])
    state = "is as it should be"
    if not row["finished"]:
        torn = ", its last line is torn" if row["torn"] else ""
        state = f"is as it should be as far as it goes: it is unfinished{torn}"
    return f"{row['record']}: {state}; {checked}\n  sha256   {row['sha256']}"
