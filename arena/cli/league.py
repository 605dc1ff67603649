"""`arena league`: run leagues, go on with them, and read how they stand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import running, standings
from arena.cli.options import Format, FormatOption, OverridesOption, globals_of
from arena.cli.progress import ProgressMode
from arena.cli.text import examples, group
from arena.errors import ConfigError

if TYPE_CHECKING:
    from arena.league.config import League

app = group("Run leagues, go on with them, and read how they stand.")

LeagueFile = Annotated[Path, typer.Argument(metavar="FILE", help="A league file.")]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]
NewFolder = Annotated[
    Path | None,
    typer.Option("--run", metavar="DIR", help="The run's new folder; default runs/NAME-N."),
]
Public = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="What others add once the commitment is known."),
]


@app.command(epilog=examples("arena league run autumn.toml", "arena league run a.toml --dry-run"))
def run(
    context: typer.Context,
    file: LeagueFile,
    folder: NewFolder = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything and say what would be played.")
    ] = False,
    strict: running.Strict = False,
    public: Public = None,
    overrides: OverridesOption = None,
    progress: running.ProgressOption = ProgressMode.AUTO,
    trace: running.Trace = None,
    form: FormatOption = Format.TABLE,
) -> None:
    """Play a league from its file."""
    league = _load(context, file, overrides, public)
    if dry_run:
        from arena.cli import plan

        plan.show(league, form)
        return
    options = running.options(strict=strict, trace=trace, names=[bot.name for bot in league.bots])
    running.play(context, league, folder, options, progress, form)


@app.command(
    epilog=examples(
        "arena league commit autumn.toml",
        "arena league commit autumn.toml --set league.seed=random --run runs/fair",
    )
)
def commit(
    context: typer.Context,
    file: LeagueFile,
    folder: NewFolder = None,
    overrides: OverridesOption = None,
) -> None:
    """Draw the seed, make the run's folder and print the commitment; nothing is played yet."""
    from arena.league.config import refuse_guessable_seed
    from arena.league.runner import commit as commit_run

    league = _load(context, file, overrides, None)
    refuse_guessable_seed(league)
    run_folder, commitment = commit_run(league, folder)
    print(commitment)
    running.say_next(
        run_folder, "publish the commitment, add what others say, and play:", public=True
    )


@app.command(
    epilog=examples(
        "arena league resume runs/autumn-1",
        'arena league resume runs/autumn-1 --public "the lottery of Friday: 3 14 15"',
    )
)
def resume(
    context: typer.Context,
    folder: RunFolder,
    strict: running.Strict = False,
    public: Public = None,
    progress: running.ProgressOption = ProgressMode.AUTO,
    trace: running.Trace = None,
    form: FormatOption = Format.TABLE,
) -> None:
    """Play what a run still lacks: after a commitment, an interruption or a crash."""
    source = context.find_root().get_parameter_source("overrides")
    is_variable = source is not None and source.name == "ENVIRONMENT"
    if globals_of(context).overrides and not is_variable:
        raise ConfigError(
            "--set: a run goes on as it began",
            why="its settings are those of its lock file",
            hint=f"edit tables, thinking, output_bytes or address in {folder}/league.lock.toml",
        )
    options = running.options(strict=strict, trace=trace, names=None)
    running.resume(context, folder, public, options, progress, form)


@app.command(
    "standings",
    epilog=examples(
        "arena league standings runs/autumn-1",
        "arena league standings runs/autumn-1 --format csv > standings.csv",
    ),
)
def show_standings(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Runs' folders or their records.")
    ],
    form: FormatOption = Format.TABLE,
) -> None:
    """Print the standings of one record, or of several of one ruleset together."""
    standings.show(runs, form)


@app.command("ls", epilog=examples("arena league ls", "arena league ls elsewhere --format json"))
def list_runs(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where runs are.")] = Path("runs"),
    form: FormatOption = Format.TABLE,
) -> None:
    """List the runs in a folder, with how far each is."""
    from arena.cli import runs

    runs.show(folder, form)


def _load(
    context: typer.Context, file: Path, overrides: list[str] | None, public: str | None
) -> League:
    from arena.league.config import load_league
    from arena.shipped import sample_bots

    given = (*globals_of(context).overrides, *(overrides or ()))
    league = load_league(file, given, samples=sample_bots())
    return league if public is None else league.with_public(public)
