"""The command `arena`: wires the groups together and does nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from arena.cli import bench, bot, commands, config, league, match, proto, replay, streams, verify
from arena.cli.options import Color, Globals, set_up_logging
from arena.cli.text import OUTPUT, PLAY, TOOLS, examples, group

app = group("An arena in which bots play Brandeln.", root=True)
app.add_typer(league.app, name="league", rich_help_panel=PLAY)
app.command("match", rich_help_panel=PLAY, epilog=match.EXAMPLES)(match.match)
app.add_typer(bot.app, name="bot", rich_help_panel=PLAY)
app.command("replay", rich_help_panel=OUTPUT, epilog=replay.EXAMPLES)(replay.replay)
app.command("verify", rich_help_panel=OUTPUT, epilog=verify.EXAMPLES)(verify.verify)
app.add_typer(config.app, name="config", rich_help_panel=TOOLS)
app.add_typer(proto.app, name="proto", rich_help_panel=TOOLS)
app.command("bench", rich_help_panel=TOOLS, epilog=bench.EXAMPLES)(bench.bench)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        from arena.version import RULES_VERSION, WIRE_VERSION, __version__

        print(
            f"arena {__version__}, wire {WIRE_VERSION}, rules {RULES_VERSION},"
            f" grpcio {version('grpcio')}"
        )
        raise typer.Exit


@app.callback(
    invoke_without_command=True,
    epilog=examples("arena match greedy cautious", "arena league run autumn.toml"),
)
def root(
    context: typer.Context,
    verbose: Annotated[
        int,
        typer.Option("--verbose", "-v", count=True, show_default=False, help="Say more; repeat."),
    ] = 0,
    quiet: Annotated[
        int,
        typer.Option(
            "--quiet", "-q", count=True, show_default=False, help="Say less: only data and errors."
        ),
    ] = 0,
    color: Annotated[
        Color, typer.Option(help="When to colour. NO_COLOR and FORCE_COLOR count too.")
    ] = Color.AUTO,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SECTION.KEY=VALUE",
            envvar="ARENA_SET",
            help="Override a key of the league file; repeat.",
        ),
    ] = None,
    version: Annotated[  # noqa: ARG001 (the callback has printed it)
        bool,
        typer.Option(
            "--version", "-V", is_eager=True, callback=_print_version, help="Print the versions."
        ),
    ] = False,
) -> None:
    """An arena in which bots play Brandeln: leagues, matches, and records that can be checked."""
    from arena.cli import console

    console.choose_color(color)
    verbosity = verbose - quiet
    context.obj = Globals(verbosity, color, tuple(overrides or ()))
    set_up_logging(verbosity)
    if context.invoked_subcommand is None:
        print(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, print any error for a person, and return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = commands.build(app)(given, prog_name="arena", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as left:
        # Typer itself leaves when stdout is a pipe that nobody reads any more.
        from arena.cli import errors

        if not isinstance(left.__context__, BrokenPipeError):
            raise
        return errors.report(left.__context__)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (the one place that maps them)
        from arena.cli import errors

        if os.environ.get("_ARENA_COMPLETE"):
            # A shell asks for words, or somebody in its place: nobody reads an error.
            return errors.USAGE
        verbosity = sum(word.count("v") for word in given if word.strip("-") in {"v", "vv", "vvv"})
        return errors.report(error, verbosity=verbosity)
    return code if isinstance(code, int) else 0


def main() -> NoReturn:
    """Run `arena` as a program."""
    streams.prepare()
    sys.exit(run())
