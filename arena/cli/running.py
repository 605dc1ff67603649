"""What `league run`, `league resume` and `match` share: options, the run, and its last words."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import console, standings
from arena.cli.errors import EARLY
from arena.cli.options import Format, globals_of
from arena.cli.progress import ProgressMode, make_progress
from arena.errors import ConfigError
from arena.printable import quoted, visible

if TYPE_CHECKING:
    from arena.league.config import League
    from arena.league.runner import Outcome, RunOptions

Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first fault, with its whole context.")
]
Trace = Annotated[
    list[str] | None,
    typer.Option(
        "--trace", metavar="BOT", help="Write every message of a bot beside its log; repeat."
    ),
]
ProgressOption = Annotated[
    ProgressMode, typer.Option("--progress", help="How to show progress, on stderr.")
]


def options(
    *, strict: bool, trace: Sequence[str] | None, names: Sequence[str] | None
) -> RunOptions:
    """Return the runner's options. Raises `ConfigError` for a traced bot that is not there."""
    from arena.league.reading import did_you_mean
    from arena.league.runner import RunOptions

    for name in trace or ():
        if names is not None and name not in names:
            raise ConfigError(f"--trace: no bot {quoted(name)}", why=did_you_mean(name, names))
    return RunOptions(strict=strict, trace=frozenset(trace or ()))


def play(
    context: typer.Context,
    league: League,
    folder: Path | None,
    run_options: RunOptions,
    mode: ProgressMode,
    form: Format,
) -> None:
    """Play a league in a new folder and print its standings."""
    from arena.league import runner

    shown = make_progress(mode, time.monotonic_ns, quiet=globals_of(context).quiet)
    try:
        outcome = runner.run(league, folder, run_options, shown)
    finally:
        shown.close()
    _conclude(context, outcome, form)


def resume(
    context: typer.Context,
    folder: Path,
    public: str | None,
    run_options: RunOptions,
    mode: ProgressMode,
    form: Format,
) -> None:
    """Play what a run lacks and print its standings."""
    from arena.league import runner

    shown = make_progress(mode, time.monotonic_ns, quiet=globals_of(context).quiet)
    try:
        outcome = runner.resume(folder, run_options, shown, public=public)
    finally:
        shown.close()
    _conclude(context, outcome, form)


def _conclude(context: typer.Context, outcome: Outcome, form: Format) -> None:
    """Print standings and digest, or how to go on, and leave with the run's exit code."""
    if outcome.record.exists():
        standings.show([outcome.record], form)
    if outcome.is_finished:
        if not globals_of(context).quiet:
            console.note(f"record: {outcome.record}")
            console.note(f"commitment: {visible(outcome.commitment)}")
            console.note(f"sha256: {visible(outcome.sha256)}")
        return
    say_next(outcome.folder, "the run is not finished; it goes on with")
    raise typer.Exit(128 + outcome.signal if outcome.signal else EARLY)


def say_next(folder: Path, what: str, *, public: bool = False) -> None:
    """Tell, on stderr, the command that goes on with a run."""
    tail = " --public TEXT" if public else ""
    console.note(what)
    console.note(f"  arena league resume {shlex.quote(str(folder))}{tail}")
