"""Checking a record's events, and what its deals owe to them (RECORD, FAULTS)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from arena.league.record import (
    DETAIL_LENGTH,
    EVENT_FIELDS,
    EVENT_KINDS,
    INCIDENT_EVENTS,
    INCIDENT_OF_FAULT,
    DealLine,
    EventLine,
    Header,
)
from arena.league.schedule import Play
from arena.league.verify_values import DiffersError, expect, require

if TYPE_CHECKING:
    from collections.abc import Iterable

_ROUNDING: Final = 1e-9


class Happenings:
    """What all events of a record say, known before its deals are checked."""

    def __init__(self, events: Iterable[EventLine]) -> None:
        self.incidents: dict[int, tuple[str, str]] = {}
        """Kind and entrant by the number of the incident."""
        self.benched: dict[str, int] = {}
        """By entrant, the board above which all its actions are safe ones."""
        self.stopped: int | None = None
        """The last board that counts, in a match that a test ended."""
        for event in events:
            if event.kind in INCIDENT_EVENTS and event.incident is not None:
                self.incidents[event.incident] = event.kind, event.entrant
            elif event.kind in {"BENCHED", "WITHDRAWN"} and event.board is not None:
                before = self.benched.get(event.entrant, event.board)
                self.benched[event.entrant] = min(before, event.board)
            elif event.kind == "STOPPED":
                self.stopped = event.board

    def benched_seats(self, deal: DealLine) -> list[int]:
        """Return the seats whose entrant was out before the deal's board began."""
        if not self.benched:
            return []
        return [
            seat
            for seat, name in enumerate(deal.seats)
            if name in self.benched and deal.board > self.benched[name]
        ]

    def check_incidents(self, deal: DealLine) -> None:
        """Raise `DiffersError` when the incident of a fault has no event, or another's."""
        for fault in deal.faults:
            if fault.incident is None:
                continue
            kind = INCIDENT_OF_FAULT[fault.kind]
            expected = f"its event, {kind} of {deal.seats[fault.seat]}"
            if fault.incident not in self.incidents:
                raise DiffersError(f"incident {fault.incident}", expected, "no such event")
            found = self.incidents[fault.incident]
            if found != (kind, deal.seats[fault.seat]):
                came = f"{found[0]} of {found[1]}"
                raise DiffersError(f"incident {fault.incident}", expected, came)


class EventCheck:
    """Checks events in the order in which they came."""

    def __init__(self, header: Header, boards: int) -> None:
        self.header = header
        self.boards = boards
        """Boards of the whole league."""
        self._incidents = 0
        self._crashes: Counter[str] = Counter()
        self._hostile: set[str] = set()
        self._voided: set[tuple[int, int]] = set()
        self._stopped = False

    def take(self, event: EventLine) -> None:
        """Raise `DiffersError` when an event is not what it should be."""
        require("kind", " ".join(EVENT_KINDS), event.kind, holds=event.kind in EVENT_KINDS)
        self._check_fields(event)
        length = len(event.detail)
        require("detail", f"at most {DETAIL_LENGTH} characters", length, holds=length <= 500)
        if event.kind in INCIDENT_EVENTS:
            self._incidents += 1
            expect("incident", self._incidents, event.incident)
            self._crashes[event.entrant] += event.kind == "CRASHED"
            if event.kind == "HOSTILE":
                self._hostile.add(event.entrant)
        elif event.kind == "BENCHED":
            self._check_bench(event)
        elif event.kind == "VOID":
            self._check_void(event)
        elif event.kind == "STOPPED":
            require("STOPPED", "once", "twice", holds=not self._stopped)
            self._stopped = True

    def _check_fields(self, event: EventLine) -> None:
        wanted = EVENT_FIELDS[event.kind]
        for what in ("incident", "board", "leg", "crashes", "deals", "faulty"):
            value = getattr(event, what)
            if what in wanted:
                number = value is not None and value >= 0
                require(f"{what} of {event.kind}", "a number", value, holds=number)
            else:
                expect(f"{what} of {event.kind}", None, value)
        if "entrant" in wanted:
            known = event.entrant in self.header.names
            require("entrant", "a name of the header", event.entrant, holds=known)
        else:
            expect(f"entrant of {event.kind}", "", event.entrant)
        board = event.board or 0
        require("board", f"at most {self.boards}", board, holds=board <= self.boards)

    def _check_bench(self, event: EventLine) -> None:
        """Raise `DiffersError` when the counts of a bench do not reach a limit of the header."""
        header = self.header
        crashes, deals, faulty = event.crashes or 0, event.deals or 0, event.faulty or 0
        told = self._crashes[event.entrant]
        require("crashes", f"at most {told}, as told before", crashes, holds=crashes <= told)
        # A deal counts once at most, whatever faults and incidents it has.
        require("faulty", f"at most {deals}, its deals", faulty, holds=faulty <= deals)
        by_crashes = crashes > header.fault_crashes
        share = header.fault_share * deals + _ROUNDING
        by_share = deals >= header.fault_after and faulty > share
        if not (by_crashes or by_share or event.entrant in self._hostile):
            limits = (
                f"more than {header.fault_crashes} crashes, or from {header.fault_after} deals on"
                f" faults in more than {header.fault_share:g} of them, or a HOSTILE event"
            )
            came = f"{crashes} crashes, {deals} deals, {faulty} faulty"
            raise DiffersError(f"bench of {event.entrant}", limits, came)

    def _check_void(self, event: EventLine) -> None:
        board, leg = event.board or 0, event.leg or 0
        play = Play(self.header.play)
        legs = 4 if play is Play.INDEPENDENT else play.legs
        require("board", "1 or more", board, holds=board >= 1)
        require("leg", f"0 to {legs - 1}", leg, holds=leg < legs)
        if (board, leg) in self._voided:
            raise DiffersError(f"board {board} leg {leg}", "void once at most", "twice")
        self._voided.add((board, leg))
