"""The arena's own log of a run."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def arena_log(path: Path) -> Iterator[None]:
    """Let the arena's loggers write to a file while the context is open.

    It takes what is said from INFO on; where less is shown elsewhere, the file alone has it.
    """
    logger = logging.getLogger("arena")
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    level, propagates = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.propagate = propagates and logger.isEnabledFor(logging.INFO)
    logger.setLevel(min(logging.INFO, logger.getEffectiveLevel()))
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagates
        handler.close()
