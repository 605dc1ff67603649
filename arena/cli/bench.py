"""`arena bench`: how fast the arena is on this machine."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from arena.cli import console, output
from arena.cli.options import Format, FormatOption
from arena.cli.text import examples

EXAMPLES = examples("arena bench", "arena bench referee --repeat 3")


class What(StrEnum):
    """What is measured."""

    WIRE = "wire"
    REFEREE = "referee"
    RULES = "rules"
    LEAGUE = "league"
    MEMORY = "memory"


def bench(
    what: Annotated[
        list[What] | None,
        typer.Argument(help="What to measure; all but memory if not said."),
    ] = None,
    repeat: Annotated[
        int, typer.Option(metavar="N", min=1, help="Rounds; medians are printed.")
    ] = 5,
    form: FormatOption = Format.TABLE,
) -> None:
    """Measure deals and decisions per second: the wire, the referee, the rules, the records."""
    from arena.bench.suite import Bench, rows

    parts = [each for each in What if each in (what or set(What) - {What.MEMORY})]
    bench = Bench(console.note)
    measures = bench.run([each.value for each in parts if each is not What.MEMORY], repeat)
    if What.MEMORY in parts:
        measures = bench.memory()
    columns = [
        output.Column("what", "what"),
        output.Column("tables", "tables", numeric=True),
        output.Column("figure", "figure"),
        *(output.Column(key, key, _number, numeric=True) for key in ("median", "min", "max")),
    ]
    listing = output.Listing("arena.bench/1", columns, rows(measures), {}, rows_key="measures")
    output.show(listing, form)


def _number(value: Any) -> str:
    """Return a figure with the digits that mean something."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
