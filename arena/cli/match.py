"""`arena match`: two bots in a duel, or four at a table, without a league file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import running
from arena.cli.options import Format, FormatOption, OverridesOption, globals_of
from arena.cli.progress import ProgressMode
from arena.cli.text import examples

EXAMPLES = examples(
    "arena match greedy cautious --boards 400",
    'arena match mybot/ "python other.py" random lowest --seed demo',
)


def match(
    context: typer.Context,
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT BOT [BOT BOT]",
            help="Sample bots, folders with a bot.toml, commands in quotes, or join:NAME.",
        ),
    ],
    boards: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Boards to play.", show_default="100")
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(metavar="SEED", help="A text or 64 hex digits.", show_default="random"),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--run", metavar="DIR", help="The run's new folder; default runs/match-N."),
    ] = None,
    strict: running.Strict = False,
    overrides: OverridesOption = None,
    progress: running.ProgressOption = ProgressMode.AUTO,
    trace: running.Trace = None,
    form: FormatOption = Format.TABLE,
) -> None:
    """Play two bots (a duel) or four (a table) and print the standings."""
    from arena.league.match import match_league
    from arena.shipped import sample_bots

    league = match_league(
        bots,
        (*globals_of(context).overrides, *(overrides or ())),
        base=Path.cwd(),
        samples=sample_bots(),
        boards=boards,
        seed=seed,
    )
    options = running.options(strict=strict, trace=trace, names=[bot.name for bot in league.bots])
    running.play(context, league, folder, options, progress, form)
