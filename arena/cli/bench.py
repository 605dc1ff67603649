"""`arena bench`: how fast the arena is on this machine."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from arena.cli import output
from arena.cli.options import Format, FormatOption
from arena.cli.text import examples

EXAMPLES = examples("arena bench", "arena bench referee")


class What(StrEnum):
    """What is measured."""

    WIRE = "wire"
    REFEREE = "referee"
    RULES = "rules"
    LEAGUE = "league"


def bench(
    what: Annotated[
        list[What] | None, typer.Argument(help="What to measure; all of it if not said.")
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Rounds; medians are printed.")] = 5,
    form: FormatOption = Format.TABLE,
) -> None:
    """Measure deals and decisions per second: the wire, the referee, the rules, the records."""
    from arena.bench import run

    rows = run([each.value for each in what or list(What)], repeat=repeat)
    columns = [output.Column(key, key.replace("_", " ")) for key in (rows[0] if rows else {})]
    output.show(output.Listing("arena.bench/1", columns, rows, {}, rows_key="measures"), form)
