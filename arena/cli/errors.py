"""The one map from errors to exit codes and to what a person reads.

0    done
1    the thing checked is bad, or the first fault under --strict
2    usage or configuration
3    ended early, can go on
4    the machine: a port or folder taken, a file that may not be written
70   a bug in the arena
130  interrupted (SIGINT), resumable; 143 by SIGTERM
141  whoever read the output has gone
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import tempfile
import traceback
from typing import Final

import typer

from arena.cli import console
from arena.errors import ArenaError, ConfigError, EndedEarly, MachineError, RecordError, StrictFault
from arena.printable import printable_lines, shortened

DONE: Final = 0
BAD: Final = 1
USAGE: Final = 2
EARLY: Final = 3
MACHINE: Final = 4
BUG: Final = 70
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141

_CODES: Final[tuple[tuple[type[ArenaError], int], ...]] = (
    (StrictFault, BAD),
    (ConfigError, USAGE),
    (RecordError, USAGE),
    (EndedEarly, EARLY),
    (MachineError, MACHINE),
)


_LINE_CHARACTERS: Final = 500
"""What is shown of a line of an error."""
_WRITING: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
_WORDS: Final = {
    "Value error, ": "",
    "Input should be greater than or equal to": "expected at least",
    "Input should be a valid integer, unable to parse string as an integer": "expected a number",
}
"""What the libraries say, and what we say."""
_OS_REMEDIES: Final = {
    errno.ENOSPC: "make room, or choose another folder",
    errno.EACCES: "another folder, or the right to write into this one",
}


def report(error: BaseException, *, verbosity: int = 0) -> int:
    """Print an error for a person, on stderr, and return the exit code that belongs to it."""
    match error:
        case KeyboardInterrupt() | typer.Abort():
            _lines("interrupted")
            return INTERRUPTED
        case BrokenPipeError():
            _give_stdout_up()
            return BROKEN_PIPE
        case typer.TyperException():
            return _usage(error)
        case ArenaError():
            return _arena_error(error, verbosity)
        case OSError() if error.filename is not None or error.errno is not None:
            return _os_error(error, verbosity)
        case _:
            return _bug(error, verbosity)


def _lines(message: str, why: str = "", hint: str = "") -> None:
    """Print an error; what is quoted in it may be a stranger's and of any length."""
    console.error_lines(*(_fit(text) for text in (message, why, hint)))


def _fit(text: str) -> str:
    return "\n".join(
        shortened(line, _LINE_CHARACTERS) for line in printable_lines(text).split("\n")
    )


def _arena_error(error: ArenaError, verbosity: int) -> int:
    code = next((code for kind, code in _CODES if isinstance(error, kind)), None)
    if code is None:
        # An IllegalAction or MalformedFrame is data; one that arrives here has escaped its room.
        return _bug(error, verbosity)
    message = error.message
    if isinstance(error, RecordError) and error.path and error.path not in message:
        place = f"{error.path}:{error.line}" if error.line else error.path
        message = f"{place}: {message}"
    _lines(message, error.why, error.hint)
    if verbosity > 1:
        traceback.print_exception(error)
    return code


def _give_stdout_up() -> None:
    """Send stdout nowhere, else the interpreter complains once more when it flushes it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _os_error(error: OSError, verbosity: int) -> int:
    what = (error.strerror or str(error)).lower()
    if verbosity > 1:
        traceback.print_exception(error)
    if error.filename is None and error.errno in _WRITING:
        # Files that the arena writes are named by who writes them; what is left is the output.
        _give_stdout_up()
        _lines(f"cannot write the output: {what}")
        return MACHINE
    name = "" if error.filename is None else f"{error.filename}: "
    _lines(f"{name}{what}", hint=_OS_REMEDIES.get(error.errno or 0, ""))
    match error.errno:
        case errno.ENOENT | errno.EISDIR | errno.ENOTDIR:
            return USAGE
        case errno.ENOSPC | errno.EDQUOT:
            return EARLY
        case _:
            return MACHINE


def _usage(error: typer.TyperException) -> int:
    context = getattr(error, "ctx", None)
    hint = f"{context.command_path} --help" if context is not None else "arena --help"
    message = error.format_message().rstrip(".")
    if not message.strip():
        # A group without a command: its help has been printed.
        return USAGE
    for words, ours in _WORDS.items():
        message = message.replace(words, ours)
    why = ""
    if options := getattr(error, "possibilities", None):
        message, why = message.partition(" (Possible options")[0], ", ".join(sorted(options))
    elif " Did you mean " in message:
        message, _, why = message.partition(". Did you mean ")
        why = why.removesuffix("?")
    why = f"did you mean {why}?" if why else ""
    if context is not None and context.parent is not None and hasattr(error, "option_name"):
        ahead = {name for param in context.find_root().command.params for name in param.opts}
        if error.option_name in ahead:
            why = f"{error.option_name} stands before the command"
            words = context.command_path.removeprefix("arena ")
            hint = f"arena {error.option_name} {words} ..."
    _lines(_lower(message), why, hint)
    return USAGE


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _bug(error: BaseException, verbosity: int) -> int:
    said = traceback.format_exception_only(error)[-1].strip()
    why = "this is a bug in the arena, not in your files or bots"
    if verbosity > 0:
        traceback.print_exception(error)
        _lines(f"internal error: {said}", why)
        return BUG
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="arena-bug-", suffix=".txt", delete=False
    ) as file:
        traceback.print_exception(error, file=file)
    _lines(f"internal error: {said}", why, f"report it with {file.name}")
    return BUG
