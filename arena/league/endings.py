"""What a person is told when the referee has ended a run before its last board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.errors import ArenaError, ConfigError, EndedEarly, StrictFault
from arena.league.processes import OUTPUT_ENDS
from arena.referee.values import FaultKind, Stop, StopKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LINES_OF_A_CRASH: Final = 12
"""As many lines of output are shown of a bot that crashed: a traceback's last steps."""
_LINES: Final = 3


def error_of(
    stop: Stop, *, folder: Path, log: Path, output: Sequence[str], said_hello: bool
) -> ArenaError:
    """Return the error that ends a run.

    `folder` is the run's, `log` the file with what the bot of `stop` has printed, `output` the
    last lines of it.
    """
    # What the bot has printed is shown apart from the reason, once and in lines.
    reason = "\n".join(line.partition(OUTPUT_ENDS)[0] for line in stop.detail.split("\n"))
    match stop.kind:
        case StopKind.NOT_STARTED:
            hint = f"look into {log}"
            if not said_hello:
                if reason == "exit code 0":
                    hint = f"let it call run(choose), or {hint}"
                reason = f"it ended before it said Hello ({reason})"
            tail = " | ".join(line.strip() for line in output[-_LINES:])
            return ConfigError(
                f"bot {stop.entrant!r} could not be started: {reason}",
                why=f"its output ends: {tail}" if tail else "it has printed nothing",
                hint=hint,
            )
        case StopKind.STRICT:
            is_crash = reason.startswith(FaultKind.CRASH)
            lines = output[-(_LINES_OF_A_CRASH if is_crash else _LINES) :]
            shown = ["its output ends:", *(f"  {line}" for line in lines)] if lines else []
            return StrictFault(
                f"bot {stop.entrant!r}: the first fault",
                why="\n".join([reason, *shown]),
                hint=f"look into {log}" if lines else "",
            )
        case _:
            hint = f"arena league resume {folder}"
            return EndedEarly(f"{stop.entrant}: {reason}", hint=hint)
