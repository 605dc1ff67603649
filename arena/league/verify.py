"""Whether a record is what it says, by everything a record can show (RECORD, What verify checks).

The file is read twice: first for what stands at its end (the seed, the events, the digest),
then line by line, so that the difference that is reported is the first one.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from zlib import crc32

import msgspec

from arena.errors import RecordError
from arena.league.record import EventLine, Footer, Header, Line
from arena.league.record_lines import SEAL_LENGTH, is_sealed
from arena.league.record_reader import RawLines, check_format, decode_line
from arena.league.verify_deal import check_faults, check_ranges, replay
from arena.league.verify_events import EventCheck, Happenings
from arena.league.verify_header import check_header, is_digest
from arena.league.verify_order import FinishedOrder, UnfinishedOrder
from arena.league.verify_values import Difference, DiffersError, expect, require
from arena.rules.deck import commitment as commitment_of
from arena.rules.deck import league_key

if TYPE_CHECKING:
    from pathlib import Path

    from arena.rules.ruleset import Ruleset

_EVENT: Final = b'{"event":'
_FOOTER: Final = b'{"footer":'


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found."""

    path: Path
    difference: Difference | None
    """The first difference; `None` when there is none."""
    is_finished: bool
    """Whether the record has its footer; one without is checked as far as it goes."""
    is_torn: bool
    """Whether a last line was cut off in its middle, and left out."""
    deals: int
    """Deals checked."""
    events: int
    """Events checked."""
    sha256: str
    """The digest of all bytes before the footer, or of all whole lines without one."""
    commitment: str
    """The header's; empty when there is no good header."""

    @property
    def ok(self) -> bool:
        """Whether nothing differs."""
        return self.difference is None


def verify_record(
    path: Path | str,
    *,
    commitment: str | None = None,
    sha256: str | None = None,
    seed: bytes | None = None,
) -> Verdict:
    """Check a record, finished or not, and return what was found.

    `commitment` and `sha256` are what was published before the start and at the end, as hex
    digits; `seed` is for an unfinished record, whose seed is not in it. Raises `RecordError`
    when there is no such file, it cannot be unpacked, or it is of another major format.
    """
    outline = _Outline(path)
    check = _Check(outline, seed)
    difference: Difference | None = None
    try:
        check.run(commitment, sha256)
    except DiffersError as error:
        difference = Difference(check.line, check.where, error.what, error.expected, error.came)
    return Verdict(
        path=outline.path,
        difference=difference,
        is_finished=outline.footer is not None,
        is_torn=outline.is_torn,
        deals=check.deals,
        events=check.events,
        sha256=outline.sha256,
        commitment=check.header.seed_commitment if check.header else "",
    )


class _Outline:
    """What is taken from a first look at the lines: events, footer, digest. Nothing is judged."""

    def __init__(self, path: Path | str) -> None:
        raw = RawLines(path)
        digest = hashlib.sha256()
        events: list[EventLine] = []
        last, lines, size = b"", 0, 0
        for number, data in raw:
            if number > 1:
                digest.update(last + b"\n")
            last, lines = data, number
            size += len(data)
            if data.startswith(_EVENT) and is_sealed(data):
                line = _decoded(data)
                if line is not None and line.event is not None:
                    events.append(line.event)
        if not lines and not raw.torn:
            raise RecordError(f"{raw.path}: the record is empty", path=raw.path)
        self.path = raw.path
        self.is_torn = raw.torn
        self.lines = lines
        footer = _decoded(last) if last.startswith(_FOOTER) and is_sealed(last) else None
        self.footer: Footer | None = footer.footer if footer else None
        if self.footer is None and lines:
            digest.update(last + b"\n")
        self.sha256 = digest.hexdigest()
        self.happenings = Happenings(events)


def _decoded(data: bytes) -> Line | None:
    try:
        return decode_line(data)
    except msgspec.DecodeError:
        return None


class _Check:
    """One walk through a record; `line` and `where` say where it stands when it raises."""

    def __init__(self, outline: _Outline, seed: bytes | None) -> None:
        self.outline = outline
        self.line = 0
        self.where = "record"
        self.deals = 0
        self.events = 0
        self.header: Header | None = None
        self._seed = seed
        self._ruleset: Ruleset
        self._order: FinishedOrder | UnfinishedOrder
        self._event_check: EventCheck

    def run(self, commitment: str | None, sha256: str | None) -> None:
        """Raise `DiffersError` at the first difference."""
        ended = False
        for number, data in RawLines(self.outline.path):
            self.line, self.where = number, f"line of {len(data)} bytes"
            line = self._read(data)
            if ended:
                raise DiffersError("end", "nothing after the footer", "another line")
            if number == 1:
                self._take_header(line, commitment)
            elif line.deal is not None:
                self._take_deal(line)
            elif line.event is not None:
                self._take_event(line.event)
            elif line.footer is not None:
                self._take_footer(line.footer, sha256)
                ended = True
            else:
                expected = "one of deal, event and footer"
                raise DiffersError("kind of line", expected, "header" if line.header else "neither")
        if self.header is None:
            raise DiffersError("first line", "a header", "a torn line")
        if ended and self.outline.is_torn:
            self.line += 1
            raise DiffersError("end", "nothing after the footer", "part of a line")
        if not ended and sha256 is not None:
            self.line, self.where = 0, "record"
            raise DiffersError("sha256", f"a footer with {sha256}", "an unfinished record")

    def _read(self, data: bytes) -> Line:
        """Return a line that is sealed, parses, and says one thing."""
        if not is_sealed(data):
            raise _seal_differs(data)
        if self.line == 1:
            check_format(self.outline.path, data)
        try:
            line = decode_line(data)
        except msgspec.DecodeError as error:
            raise DiffersError("form", "a line of a record", str(error)) from error
        kinds = [
            kind
            for kind in ("header", "deal", "event", "footer")
            if getattr(line, kind) is not None
        ]
        require("kind of line", "exactly one", " and ".join(kinds), holds=len(kinds) == 1)
        self.where = kinds[0]
        return line

    def _take_header(self, line: Line, commitment: str | None) -> None:
        header = line.header
        if header is None:
            raise DiffersError("first line", "a header", self.where)
        self._ruleset = check_header(header)
        self.header = header
        if commitment is not None:
            expect("seed_commitment (as published)", commitment.lower(), header.seed_commitment)
        footer, happenings = self.outline.footer, self.outline.happenings
        seed = self._seed
        if footer is not None:
            seed = self._revealed_seed(header, footer)
        elif seed is not None:
            expect("seed_commitment", commitment_of(seed), header.seed_commitment)
        key = league_key(seed, header.public) if seed is not None else None
        if footer is not None and key is not None:
            self._order = FinishedOrder(header, key, happenings.stopped)
        else:
            self._order = UnfinishedOrder(header, key)
        self._event_check = EventCheck(header, UnfinishedOrder(header, None).boards)

    def _revealed_seed(self, header: Header, footer: Footer) -> bytes:
        """Return the footer's seed, which everything after the header is checked with."""
        self.line, self.where = self.outline.lines, "footer"
        require("seed", "64 lower-case hex digits", footer.seed, holds=is_digest(footer.seed))
        seed = bytes.fromhex(footer.seed)
        expect("commitment of the seed", header.seed_commitment, commitment_of(seed))
        self.line, self.where = 1, "header"
        return seed

    def _take_deal(self, line: Line) -> None:
        deal = line.deal
        assert deal is not None  # noqa: S101 (the caller has looked)
        self.where = f"board {deal.board} leg {deal.leg} deal {deal.number}"
        check_ranges(deal)
        if self.events and isinstance(self._order, FinishedOrder):
            raise DiffersError("order", "all deals before the events", "a deal after an event")
        self._order.take(deal)
        game = replay(deal, self._ruleset)
        happenings = self.outline.happenings
        check_faults(deal, game, happenings.benched_seats(deal))
        happenings.check_incidents(deal)
        self._order.count(deal.points)
        self.deals += 1

    def _take_event(self, event: EventLine) -> None:
        self._order.end("an event")
        self.where = f"event {event.kind}"
        self._event_check.take(event)
        self.events += 1

    def _take_footer(self, footer: Footer, sha256: str | None) -> None:
        self._order.end("the footer")
        expect("deals", self.deals, footer.deals)
        expect("events", self.events, footer.events)
        require("lag_p99_us", "0 or more", footer.lag_p99_us, holds=footer.lag_p99_us >= 0)
        expect("sha256 of all bytes before", self.outline.sha256, footer.sha256)
        if sha256 is not None:
            expect("sha256 (as published)", sha256.lower(), footer.sha256)


def _seal_differs(data: bytes) -> DiffersError:
    """Return what is wrong with a line that does not end in its checksum."""
    body, came = data[:-SEAL_LENGTH], data[-SEAL_LENGTH:]
    found = re.fullmatch(rb',"crc32":"([0-9a-f]{8})"}', came)
    if found is None:
        return DiffersError("crc32", 'the checksum of the line at its end: ,"crc32":"…"}', "none")
    return DiffersError("crc32", f"{crc32(body):08x}, computed", f"{found[1].decode()} at its end")
