"""The arena's own log of a run."""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


LINES_A_SECOND: Final = 50
"""More of them are left out: who can make the arena say something must not fill the disk."""
_OWN: Final = "arena"
_LIBRARIES: Final = ("grpc", "asyncio")
"""Loggers whose troubles are written to the file instead of the terminal."""


class RunLog(logging.FileHandler):
    """A log that never disturbs the run: it is sparse, and silent when the disk is full."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace")
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        self._second = 0.0
        self._lines = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Let so many lines a second pass, and say once that there were more."""
        second = monotonic() // 1
        if second != self._second:
            self._second, self._lines = second, 0
        self._lines += 1
        if self._lines == LINES_A_SECOND:
            record.msg, record.args, record.exc_info = "more in this second is left out", (), None
        return self._lines <= LINES_A_SECOND and bool(super().filter(record))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (the library's name)
        """Do nothing: what cannot be logged must not end up among a person's results."""

    def close(self) -> None:
        """Close the file; what it does not take is lost."""
        with suppress(OSError):
            super().close()


@contextmanager
def arena_log(path: Path) -> Iterator[None]:
    """Let the arena's loggers write to a file while the context is open.

    It takes what is said from INFO on; where less is shown elsewhere, the file alone has it.
    """
    handler = RunLog(path)
    own = logging.getLogger(_OWN)
    loggers = [own, *map(logging.getLogger, _LIBRARIES)]
    before = [(logger.level, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
    own.propagate = own.propagate and own.isEnabledFor(logging.INFO)
    own.setLevel(min(logging.INFO, own.getEffectiveLevel()))
    for logger in loggers[1:]:
        # Their warnings go to the terminal where somebody asked for more words, else to the file.
        logger.propagate = logger.propagate and logger.isEnabledFor(logging.INFO)
    try:
        yield
    finally:
        for logger, (level, propagates) in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level)
            logger.propagate = propagates
        handler.close()
