"""What an unfinished record says about going on with its league (RECORD, FAULTS).

Resuming is building the schedule again and leaving out the legs that are done; the bench, the
incidents and the legs that were void are remembered nowhere but in the record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from arena.errors import RecordError
from arena.league.legs import DoneLegs
from arena.league.record import INCIDENT_EVENTS, EventLine, Footer, Header, Tally
from arena.league.record_reader import RawLines, bad_line, checked, decode_tally, is_packed
from arena.referee.values import EntrantHistory, History

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arena.league.standings_fold import StandingsFold


@dataclass(slots=True)
class _Counts:
    """What has been counted of an entrant so far, mutable."""

    crashes: int = 0
    deals: int = 0
    faulty: int = 0
    incidents: set[int] = field(default_factory=set)
    is_benched: bool = False


@dataclass(frozen=True, slots=True)
class Resumption:
    """Where an unfinished record stands."""

    header: Header
    footer: Footer | None
    """There when the record is finished already."""
    size: int
    """Bytes of whole lines and whole games; what follows is to be cut off."""
    cut: int
    """Bytes to be cut off."""
    deals: int
    events: int
    done: DoneLegs
    history: History
    """Incidents, crashes, benches: what the referee starts from."""
    voided: frozenset[tuple[int, int]]
    """Board and leg of the legs that have been void once."""
    stopped: int | None
    """The board of a `STOPPED` event."""


def look(path: Path, fold: StandingsFold | None = None) -> Resumption:
    """Read an unfinished record to its last whole line, changing nothing.

    `fold` is given every deal and event that stands, so that live standings go on. Raises
    `RecordError` that names a bad line; a torn last line is none.
    """
    scan = _Scan(path, fold)
    raw = RawLines(path)
    if path.is_file() and is_packed(path):
        raise RecordError(f"{path}: a packed record cannot be continued", hint="unpack it first")
    for number, line in checked(scan.measured(raw), decode_tally):
        if line.header is not None:
            scan.take_header(line.header)
        elif line.deal is not None:
            scan.take_deal(number, line.deal)
        elif line.event is not None:
            scan.take_event(number, line.event)
        scan.footer = line.footer or scan.footer
    return scan.resumption(raw.path.stat().st_size)


class _MeasuredLines(RawLines):
    """Lines that tell how many bytes of the file they have used up."""

    def __init__(self, raw: RawLines) -> None:
        super().__init__(raw.path)
        self._raw = raw
        self.bytes_before = 0
        """Bytes before the line that was yielded last."""
        self.bytes_after = 0
        """Bytes up to its end."""

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        for number, data in self._raw:
            self.bytes_before, self.bytes_after = self.bytes_after, self.bytes_after + len(data) + 1
            yield number, data


class _Scan:
    """The state of `look`."""

    def __init__(self, path: Path, fold: StandingsFold | None) -> None:
        self.path = path
        self.fold = fold
        self.lines: _MeasuredLines
        self.header: Header
        self.footer: Footer | None = None
        self.deals = 0
        self.events = 0
        self.done = DoneLegs()
        self.highest = 0
        self.incidents = 0
        self.counts: dict[str, _Counts] = {}
        self.voided: set[tuple[int, int]] = set()
        self.stopped: int | None = None
        self.game: list[Tally] = []
        """The deals of a game to points that has not ended yet."""
        self.game_start = 0
        self.totals = [0, 0, 0, 0]

    def measured(self, raw: RawLines) -> _MeasuredLines:
        self.lines = _MeasuredLines(raw)
        return self.lines

    def take_header(self, header: Header) -> None:
        self.header = header
        self.counts = {name: _Counts() for name in header.names}

    def take_event(self, number: int, event: EventLine) -> None:
        self._expect_no_open_game(number)
        self.events += 1
        if event.incident is not None and event.kind in INCIDENT_EVENTS:
            self.incidents = max(self.incidents, event.incident)
        counts = self.counts.get(event.entrant)
        if counts is not None:
            counts.crashes += event.kind == "CRASHED"
            counts.is_benched |= event.kind in {"BENCHED", "WITHDRAWN"}
        board = event.board or 0
        if event.kind == "VOID":
            self.voided.add((board, event.leg or 0))
        elif event.kind == "STOPPED":
            self.stopped = board
        if event.kind != "STOPPED":
            self.highest = max(self.highest, board)
        if self.fold is not None:
            self.fold.add_event(event)

    def take_deal(self, number: int, deal: Tally) -> None:
        if any(name not in self.counts for name in deal.seats):
            raise bad_line(self.path, number, "a seat is held by a stranger")
        if deal.board < 1 or not 0 <= deal.leg < 8:
            raise bad_line(self.path, number, "its board or leg cannot be")
        if (deal.board, deal.leg) in self.done:
            raise bad_line(
                self.path, number, f"board {deal.board} leg {deal.leg} is recorded twice"
            )
        if self.header.target is None:
            self._count_deal(deal)
            self.done.add(deal.board, deal.leg)
        else:
            self._take_deal_of_game(number, deal)

    def _take_deal_of_game(self, number: int, deal: Tally) -> None:
        """Take a deal of a game to points: its deals were appended together, so they adjoin."""
        if not self.game:
            self.game_start = self.lines.bytes_before
            self.totals = [0, 0, 0, 0]
        elif (deal.board, deal.leg) != (self.game[0].board, self.game[0].leg):
            self._expect_no_open_game(number)
        if deal.number != len(self.game) + 1:
            why = f"expected deal {len(self.game) + 1} of its game, got {deal.number}"
            raise bad_line(self.path, number, why)
        self.game.append(deal)
        for seat in range(4):
            self.totals[seat] += deal.points[seat]
        target, last = self.header.target or 0, self.header.max_deals or 0
        if max(self.totals) >= target or deal.number == last:
            for each in self.game:
                self._count_deal(each)
            self.done.add(deal.board, deal.leg)
            self.game = []

    def _expect_no_open_game(self, number: int) -> None:
        if self.game:
            deal = self.game[0]
            why = f"the game of board {deal.board} leg {deal.leg} is cut short before it"
            raise bad_line(self.path, number, why)

    def _count_deal(self, deal: Tally) -> None:
        self.deals += 1
        self.highest = max(self.highest, deal.board)
        for name in set(deal.seats):
            self.counts[name].deals += 1
        if deal.faults:
            self._count_faults(deal)
        if self.fold is not None:
            self.fold.add_deal(deal)

    def _count_faults(self, deal: Tally) -> None:
        """Count as the referee does: a deal once, an incident with the first deal it hits."""
        for name in set(deal.seats):
            counts = self.counts[name]
            incidents = {fault.incident for fault in deal.faults if deal.seats[fault.seat] == name}
            # 0 stands for the faults of this deal that belong to no incident.
            counts.faulty += bool(incidents - counts.incidents)
            counts.incidents |= incidents - {0}

    def resumption(self, file_size: int) -> Resumption:
        size = self.game_start if self.game else self.lines.bytes_after
        # Of a footer without its newline nothing is cut off.
        size = min(size, file_size)
        history = History(
            incidents=self.incidents,
            highest_board=self.highest,
            entrants={
                name: EntrantHistory(
                    crashes=counts.crashes,
                    deals=counts.deals,
                    faulty=counts.faulty,
                    incidents=frozenset(counts.incidents),
                    is_benched=counts.is_benched,
                )
                for name, counts in self.counts.items()
            },
        )
        if self.game and self.footer is not None:
            why = f"the game of board {self.game[0].board} is cut short"
            raise RecordError(f"{self.path}: the finished record is damaged", why=why)
        return Resumption(
            header=self.header,
            footer=self.footer,
            size=size,
            cut=file_size - size,
            deals=self.deals,
            events=self.events,
            done=self.done,
            history=history,
            voided=frozenset(self.voided),
            stopped=self.stopped,
        )
