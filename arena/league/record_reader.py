"""Reading of records: plain, `.gz` and `.zst`, finished or not (RECORD).

A file without a footer is unfinished, never corrupt: a last line that was torn in the middle
is left out. A bad line anywhere else is a `RecordError` that names it.
"""

from __future__ import annotations

import gzip
import io
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, TypeVar, cast

import msgspec

from arena.errors import MachineError, RecordError
from arena.files import open_regular
from arena.league.record import (
    FORMAT,
    DealLine,
    EventLine,
    Footer,
    Header,
    Line,
    TallyLine,
)
from arena.league.record_lines import is_sealed
from arena.league.schedule import Play
from arena.printable import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PLAYS: Final = frozenset(Play)
RECORD_NAME: Final = "deals.jsonl"
"""The record's name in the folder of its run."""
_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_BUFFER: Final = 1 << 20

decode_line: Final = msgspec.json.Decoder(Line).decode
"""Decode a line with everything it says; raises `msgspec.DecodeError`."""
decode_tally: Final = msgspec.json.Decoder(TallyLine).decode
"""Decode a line for those who count only; raises `msgspec.DecodeError`."""

AnyLine = TypeVar("AnyLine", Line, TallyLine)


class _FormatOnly(msgspec.Struct):
    format: str


class _FormatLine(msgspec.Struct):
    header: _FormatOnly


_decode_format = msgspec.json.Decoder(_FormatLine).decode


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record in memory."""

    path: Path
    header: Header
    deals: tuple[DealLine, ...]
    """In the order of the file, which in an unfinished record is that of completion."""
    events: tuple[EventLine, ...]
    footer: Footer | None
    """Absent while the league runs or when it stopped early."""
    torn: bool
    """Whether a last line was cut off in its middle, and left out."""

    @property
    def is_finished(self) -> bool:
        """Whether the record has its footer."""
        return self.footer is not None


def record_path(path: Path | str) -> Path:
    """Return the record that a path means: the file itself, or that of a run's folder."""
    found = Path(path)
    return found / RECORD_NAME if found.is_dir() else found


class RawLines:
    """The lines of a record as bytes, with their numbers from 1 and without their newlines.

    Iterate once; then `torn` tells whether a last line was cut off in its middle. It is not
    yielded. Raises `RecordError` when the file cannot be read or unpacked.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = record_path(path)
        self.torn = False

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number and the bytes of each complete line."""
        try:
            with _opened(self.path) as file:
                for number, line in enumerate(file, 1):
                    if line.endswith(b"\n"):
                        yield number, line[:-1]
                    elif line.startswith(b'{"footer":') and is_sealed(line):
                        # Whole: an editor or a copy took the last newline, no crash did.
                        yield number, line
                    else:
                        self.torn = True
        except (OSError, EOFError, zlib.error) as error:
            raise _unreadable(self.path, error) from error
        except Exception as error:
            if type(error).__name__ != "ZstdError":
                raise
            raise _unreadable(self.path, error) from error


def _unreadable(path: Path, error: Exception) -> RecordError:
    if isinstance(error, FileNotFoundError):
        what, why = "there is no such record", ""
    else:
        reason = error.strerror if isinstance(error, OSError) else None
        what, why = "cannot read the record", reason or str(error)
    return RecordError(f"{path}: {what}", path=path, why=why)


def _opened(path: Path) -> IO[bytes]:
    """Open a record for reading, unpacked, whatever its name says."""
    with open_regular(path) as file:
        magic = file.read(4)
    if magic.startswith(_GZIP_MAGIC):
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if magic == _ZSTD_MAGIC:
        try:
            import zstandard
        except ImportError as error:
            message = f"{path}: reading .zst needs the package zstandard"
            raise MachineError(message, hint="pip install zstandard") from error
        unpacker = zstandard.ZstdDecompressor()
        stream = unpacker.stream_reader(path.open("rb"), read_across_frames=True, closefd=True)
        # The reader of the package cannot tell lines apart; a buffer over it can.
        return cast("IO[bytes]", io.BufferedReader(cast("io.RawIOBase", stream), _BUFFER))
    return path.open("rb", buffering=_BUFFER)


def is_packed(path: Path) -> bool:
    """Return whether a record is a `.gz` or `.zst`, whatever its name says."""
    with path.open("rb") as file:
        magic = file.read(4)
    return magic.startswith(_GZIP_MAGIC) or magic == _ZSTD_MAGIC


def lines(path: Path | str) -> Iterator[tuple[int, Line]]:
    """Yield the number and the content of each line. Raises `RecordError` at a bad one."""
    return checked(RawLines(path), decode_line)


def tallies(path: Path | str) -> Iterator[TallyLine]:
    """Yield each line for those who count only, at about 5 us a deal.

    Raises `RecordError` at a bad line.
    """
    for _, line in checked(RawLines(path), decode_tally):
        yield line


def checked(raw: RawLines, decode: Callable[[bytes], AnyLine]) -> Iterator[tuple[int, AnyLine]]:
    """Yield the decoded lines, each checked: checksum, form, and the header first and once.

    Raises `RecordError` that names the first bad line.
    """
    path, number, finished = raw.path, 0, False
    for number, data in raw:
        if not is_sealed(data):
            raise bad_line(path, number, "its checksum (crc32) is not that of the line")
        if number == 1:
            check_format(path, data)
        try:
            line = decode(data)
        except msgspec.DecodeError as error:
            raise bad_line(path, number, str(error)) from error
        if finished:
            raise bad_line(path, number, "nothing may follow the footer")
        if (line.header is None) == (number == 1):
            what = "the header must stand first" if number == 1 else "a second header"
            raise bad_line(path, number, what)
        if line.header is not None and line.header.play not in _PLAYS:
            raise bad_line(path, number, f"play: no play is called {quoted(line.header.play)}")
        if line.footer is not None:
            finished = True
        elif number > 1 and (line.deal is None) == (line.event is None):
            raise bad_line(path, number, "expected one of deal, event and footer")
        yield number, line
    if number == 0:
        raise RecordError(f"{path}: the record is empty", path=path, why="it has not even a header")


def bad_line(path: Path, number: int, why: str) -> RecordError:
    """Return the error of a line that cannot be read."""
    return RecordError(
        f"{path}, line {number}: not a line of a record", path=path, line=number, why=why
    )


def check_format(path: Path, data: bytes) -> None:
    """Raise `RecordError` when the first line is no header, or of another major format."""
    try:
        came = _decode_format(data).header.format
    except msgspec.DecodeError as error:
        raise bad_line(path, 1, f"expected a header with a format ({error})") from error
    name, _, version = came.partition("/")
    wanted_name, _, wanted = FORMAT.partition("/")
    if name != wanted_name or version.partition(".")[0] != wanted:
        raise RecordError(
            f"{path}, line 1: expected the format {FORMAT}, got {quoted(came)}", path=path, line=1
        )


def read_header(path: Path | str) -> Header:
    """Return the header alone. Raises `RecordError`."""
    for _, line in lines(path):
        if line.header is not None:
            return line.header
    raise AssertionError  # `checked` yields a header first or raises


def read_record(path: Path | str) -> Record:
    """Read a whole record into memory. Raises `RecordError` that names the first bad line."""
    raw = RawLines(path)
    header: Header | None = None
    footer: Footer | None = None
    deals: list[DealLine] = []
    events: list[EventLine] = []
    for _, line in checked(raw, decode_line):
        header = line.header or header
        footer = line.footer or footer
        if line.deal is not None:
            deals.append(line.deal)
        if line.event is not None:
            events.append(line.event)
    assert header is not None  # noqa: S101 (`checked` yields a header first or raises)
    return Record(raw.path, header, tuple(deals), tuple(events), footer, raw.torn)


def find_deals(
    path: Path | str, board: int | None = None, leg: int | None = None, number: int | None = None
) -> Iterator[DealLine]:
    """Yield the deals of a board, of a leg, or the one with a number; all when none is given.

    In the order of the file. Raises `RecordError` at a bad line.
    """
    for _, line in lines(path):
        deal = line.deal
        if deal is None:
            continue
        if board not in {None, deal.board} or leg not in {None, deal.leg}:
            continue
        if number in {None, deal.number}:
            yield deal
