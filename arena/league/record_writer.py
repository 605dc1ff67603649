"""Writing of a record: appended while the league runs, put in order when it ends (RECORD).

Everything here blocks and belongs to one thread at a time; whoever runs an event loop calls it
in an executor. Lines given to `append` are in the file when it returns and on the disk after
`sync`. A disk that is full ends the run early and leaves the file as it was before the call.
"""

from __future__ import annotations

import errno
import hashlib
import os
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import msgspec

from arena.errors import ArenaError, EndedEarly, MachineError, RecordError
from arena.league.record import EventLine, Footer, Header
from arena.league.record_lines import footer_line, header_line, is_sealed
from arena.league.record_reader import bad_line

if TYPE_CHECKING:
    from collections.abc import Iterator

_DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_KEY_BITS: Final = (8, 24, 48)
"""Bits of leg, number and offset in a packed key; the board's bits stand above them."""


class RecordWriter:
    """The record of a running league, open for appending.

    `create` begins a record, `reopen` goes on with one that `record_resume` has looked at.
    """

    def __init__(self, path: Path, fd: int, size: int) -> None:
        self.path = path
        self._fd = fd
        self._size = size
        self._is_dirty = False

    @classmethod
    def create(cls, path: Path, header: Header) -> RecordWriter:
        """Begin a record with its header, which is on the disk when this returns.

        The file comes into being whole, so no record is ever without a header. Raises
        `MachineError` when it cannot be made or is already there.
        """
        line = header_line(header)
        beside = path.with_name(path.name + ".new")
        with _disk_errors(path):
            if path.exists():
                raise MachineError(f"{path}: there is already a record")
            with beside.open("wb") as file:
                file.write(line)
                _sync_file(file)
            beside.rename(path)
            _sync_folder(path.parent)
        return cls.reopen(path, len(line))

    @classmethod
    def reopen(cls, path: Path, size: int) -> RecordWriter:
        """Go on with a record after its first `size` bytes; what follows them is cut off.

        Raises `MachineError` when it cannot be written.
        """
        with _disk_errors(path):
            fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            if os.fstat(fd).st_size > size:
                os.ftruncate(fd, size)
                os.fsync(fd)
        return cls(path, fd, size)

    def append(self, lines: bytes) -> None:
        """Append whole lines, all of them or none.

        Raises `EndedEarly` when the disk is full, `MachineError` for another trouble of the
        disk; the file then ends where it did before.
        """
        rest = memoryview(lines)
        with _disk_errors(self.path):
            try:
                while rest:
                    rest = rest[os.write(self._fd, rest) :]
            except OSError:
                with suppress(OSError):
                    os.ftruncate(self._fd, self._size)
                raise
        self._size += len(lines)
        self._is_dirty = True

    def sync(self) -> None:
        """Have the disk take what was appended; cheap when nothing was. Raises as `append`."""
        if self._is_dirty:
            with _disk_errors(self.path):
                os.fdatasync(self._fd)
            self._is_dirty = False

    def close(self) -> None:
        """Sync and close; a second call does nothing."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            try:
                with _disk_errors(self.path):
                    os.fdatasync(fd)
            finally:
                os.close(fd)

    def finish(self, *, seed: bytes, lag_p99_us: int) -> Footer:
        """Rewrite the record in order with its footer, and close it.

        The order: header; deals by board, leg and number; events as they came; footer. Deals
        after a `STOPPED` board are left out. The new file is written beside, synced and renamed
        over the old one, so at every moment there is a whole record. Raises as `append`, and
        `RecordError` when a line of its own file is bad.
        """
        self.close()
        beside = self.path.with_name(self.path.name + ".new")
        with _disk_errors(self.path):
            try:
                with self.path.open("rb") as old, beside.open("wb") as new:
                    footer = _write_ordered(self.path, old, new, seed, lag_p99_us)
                    _sync_file(new)
                beside.rename(self.path)
            except (OSError, ArenaError):
                beside.unlink(missing_ok=True)
                raise
            _sync_folder(self.path.parent)
        return footer


# --- putting lines in order ---------------------------------------------------------------------


class _Key(msgspec.Struct, gc=False):
    board: int
    leg: int
    number: int


class _KeyLine(msgspec.Struct, gc=False):
    deal: _Key | None = None
    event: EventLine | None = None


_decode_key = msgspec.json.Decoder(_KeyLine).decode


def _write_ordered(
    path: Path, old: BinaryIO, new: BinaryIO, seed: bytes, lag_p99_us: int
) -> Footer:
    """Copy the lines of a record in their final order, and add the footer."""
    header, keys, events = _index(path, old)
    digest = hashlib.sha256()
    last_offset = (1 << _KEY_BITS[2]) - 1
    for line in _in_order(old, header, [key & last_offset for key in keys], events):
        digest.update(line)
        new.write(line)
    footer = Footer(
        deals=len(keys),
        events=len(events),
        lag_p99_us=lag_p99_us,
        sha256=digest.hexdigest(),
        seed=seed.hex(),
    )
    new.write(footer_line(footer))
    return footer


def _in_order(
    old: BinaryIO, header: bytes, offsets: list[int], events: list[bytes]
) -> Iterator[bytes]:
    yield header
    for offset in offsets:
        old.seek(offset)
        yield old.readline()
    yield from events


def _index(path: Path, old: BinaryIO) -> tuple[bytes, list[int], list[bytes]]:
    """Return the header, the deals' packed keys in order, and the events of an open record.

    A packed key is one integer: 100,000 of them take 5 MB, the lines themselves 50 MB.
    """
    header = old.readline()
    offset = len(header)
    legs, numbers, offsets = _KEY_BITS
    keys: list[int] = []
    events: list[bytes] = []
    last_board: int | None = None
    for number, data in enumerate(old, 2):
        if not is_sealed(data[:-1]):
            raise bad_line(path, number, "its checksum (crc32) is not that of the line")
        line = _decode_key(data)
        if line.deal is not None:
            key = (line.deal.board << legs | line.deal.leg) << numbers | line.deal.number
            keys.append(key << offsets | offset)
        elif line.event is not None:
            events.append(data)
            if line.event.kind == "STOPPED":
                last_board = line.event.board
        offset += len(data)
    keys.sort()
    for one, other in pairwise(keys):
        if one >> offsets == other >> offsets:
            board = one >> sum(_KEY_BITS)
            raise RecordError(f"{path}: a deal of board {board} is recorded twice", path=path)
    if last_board is not None:
        limit = (last_board + 1) << sum(_KEY_BITS)
        keys = [key for key in keys if key < limit]
    return header, keys, events


# --- the disk -----------------------------------------------------------------------------------


def _sync_file(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Have the disk take the names in a folder: a rename is lost without it."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    """Turn what the disk says into the errors of the arena."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in _DISK_FULL:
            raise EndedEarly(
                f"{path}: the disk is full", why=reason, hint="make room, then resume the run"
            ) from error
        raise MachineError(f"{path}: cannot write the record", why=reason) from error
