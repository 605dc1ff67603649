"""Files whose paths and kinds are not ours: a path may be impossible, a file may be a pipe."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def is_file(path: Path) -> bool:
    r"""Return whether a path is a file; one that no file can have is none.

    >>> is_file(Path("x" * 10_000)), is_file(Path("a\0b"))
    (False, False)
    """
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; one that no folder can have is none.

    >>> is_folder(Path("/")), is_folder(Path("x" * 10_000))
    (True, False)
    """
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading, unless it is a pipe or a device, which might never say anything.

    Raises `OSError`; of such a file with the number EINVAL.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "is no regular file", str(path))
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")
