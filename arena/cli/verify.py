"""`arena verify`: whether records are what they say."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli import output, runs
from arena.cli.errors import BAD
from arena.cli.options import Format, FormatOption
from arena.cli.text import examples
from arena.errors import ConfigError
from arena.files import open_regular
from arena.printable import quoted, shortened, visible

if TYPE_CHECKING:
    from arena.league.verify import Verdict

_SHOWN: Final = 300
"""Characters that are shown of a text of the record."""
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
            print(_said({key: _shown(value) for key, value in row.items()}))
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
    """Return the seed of a run whose record does not reveal it yet, if it is at hand.

    Raises `ConfigError` when what is there is no seed.
    """
    file = path / "seed"
    if not path.is_dir() or not os.access(file, os.R_OK):
        return None
    try:
        with open_regular(file) as stream:
            text = stream.read(_SHOWN).decode(errors="replace").strip()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    if re.fullmatch(r"[0-9A-Fa-f]{64}", text) is None:
        raise ConfigError(f"{file}: expected 64 hex digits")
    return bytes.fromhex(text)


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


def _shown(value: Any) -> Any:
    """Return a value of a row for people: what a record says may be anything."""
    return shortened(visible(value), _SHOWN) if isinstance(value, str) else value


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
