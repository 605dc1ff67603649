"""Stdin, stdout and stderr as the command finds them: closed, or of few characters."""

from __future__ import annotations

import codecs
import os
import sys
from typing import Final

_PLAIN: Final = {
    "♠": "S",
    "♥": "H",
    "♦": "D",
    "♣": "C",
    "–": "-",
    "—": "-",
    "−": "-",
    "─": "-",
    "│": "|",
    "█": "#",
    "░": ".",
    "±": "+-",
    "…": "...",
    "·": ".",
}
"""What stands for a character where the encoding lacks it."""


def prepare() -> None:
    """Make the three streams usable: open, and writable whatever is written."""
    _open_what_is_closed()
    codecs.register_error("arena", _replacement)
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="arena")


def _open_what_is_closed() -> None:
    """Put nothing in the place of streams that were closed (`2>&-`).

    Else the next file to be opened, such as a record, would get the number of one of them and
    what is printed would end in it.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is given out first, so this is `number`.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _replacement(error: UnicodeError) -> tuple[str, int]:
    """Return what is written in the place of what the encoding lacks; a codec's error handler."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_PLAIN.get(each, "?") for each in lacking), error.end
