"""`arena verify`: whether records are what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli import output
from arena.cli.errors import BAD
from arena.cli.options import Format, FormatOption
from arena.cli.text import examples
from arena.errors import ConfigError

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
    rows: list[dict[str, Any]] = []
    for path in records:
        verdict = verify_record(path, commitment=commitment, sha256=sha256)
        rows.append(_row(path, verdict))
    if form is Format.TABLE:
        for row in rows:
            print(_line(row))
    else:
        keys = ("record", "ok", "finished", "deals", "events", "line", "difference")
        columns = [output.Column(key, key) for key in keys]
        listing = output.Listing("arena.verify/1", columns, rows, {}, rows_key="records")
        output.show(listing, form)
    if not all(row["ok"] for row in rows):
        raise typer.Exit(BAD)


def _check_hex(option: str, value: str | None) -> None:
    if value is None:
        return
    if len(value) != 64 or set(value.lower()) - set("0123456789abcdef"):
        raise ConfigError(f"{option}: expected 64 hex digits, got {value!r}")


def _row(path: Path, verdict: Verdict) -> dict[str, Any]:
    return {"record": str(path), "ok": verdict.ok}


def _line(row: dict[str, Any]) -> str:
    return str(row)
