"""Who is here, who may come back, and who is given up (FAULTS, Faults and Absent)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from arena.referee.session import NEVER, Session
from arena.referee.values import MS, FaultKind, Stop, StopKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.referee.ledger import Ledger
    from arena.referee.values import Clock

RESTART_DELAYS_S: Final = (1, 2, 4)
"""Seconds before each restart of a bot that crashed (FAULTS, CRASH)."""


class OrderKind(Enum):
    """What the shell is asked to do."""

    START_PROCESS = "start the entrant's process, after a delay"
    KILL_PROCESS = "kill the entrant's process; its end is not reported back"
    CLOSE_STREAM = "end the stream with a status"


@dataclass(frozen=True, slots=True)
class Order:
    """Something the referee cannot do itself."""

    kind: OrderKind
    entrant: str
    delay_ns: int = 0
    """For `START_PROCESS`: how long to wait first."""
    stream: int = 0
    """For `CLOSE_STREAM`: which one."""
    detail: str = ""


class Attendance:
    """Keeps account of streams and processes; what that costs is the referee's business."""

    def __init__(self, sessions: Sequence[Session], clock: Clock, ledger: Ledger) -> None:
        self.orders: list[Order] = []
        self._sessions = sessions
        self._ledger = ledger
        self._start_ns = clock.start_ms * MS
        self._opened_at = NEVER
        self._has_opened = False
        """Whether all were here once, so that an end is a crash and no failed start."""

    def open(self, now: int) -> None:
        """Start the time that bots which dial in have to come."""
        self._opened_at = now
        for session in self._sessions:
            session.away_since = now
            if not session.is_local and not session.is_benched:
                session.hello_by = now + self._start_ns

    def all_are_here(self) -> bool:
        """Return whether everybody who is not benched has come; it stays so from then on."""
        here = all(session.stream or session.is_benched for session in self._sessions)
        self._has_opened = self._has_opened or here
        return self._has_opened

    def is_settled(self, session: Session) -> bool:
        """Return whether it is clear how a session's legs are played: by it, or safe."""
        return bool(session.stream) or session.is_played_safe

    def are_all_away(self) -> bool:
        """Return whether there are entrants that are not benched and none of them is here."""
        playing = [session for session in self._sessions if not session.is_benched]
        return bool(playing) and not any(session.stream for session in playing)

    def connect(self, session: Session, now: int) -> None:
        """Note a Hello."""
        session.streams += 1
        session.stream = session.streams
        if not session.has_been_here and not session.is_local:
            session.first_frame = True
        session.has_been_here = True
        session.hello_by = NEVER
        session.away_since = now
        session.is_absent = False
        session.incident = 0
        session.incident_kind = None
        session.incident_detail = ""

    def disconnect(self, session: Session, now: int) -> None:
        """Note that a session has no stream any more."""
        session.stream = 0
        session.away_since = now
        if not self._has_opened and not session.is_benched:
            # It has come and gone before the first leg: the run waits for it no longer than
            # it waits for one that never came.
            session.hello_by = now + self._start_ns

    def close_stream(self, session: Session, detail: str) -> None:
        """Ask the shell to end a session's stream."""
        order = Order(OrderKind.CLOSE_STREAM, session.name, stream=session.stream, detail=detail)
        self.orders.append(order)

    def bench(self, session: Session) -> None:
        """Note that a session is benched: nobody waits for it any more."""
        if not session.stream:
            session.is_absent = True

    def process_started(self, session: Session, now: int) -> None:
        """Give a new process `start` to say Hello, and its first frame three times the time."""
        session.hello_by = now + self._start_ns
        session.first_frame = True
        session.speed_ns = 0
        session.max_in_flight = 1

    def crash(self, session: Session, detail: str) -> Stop | None:
        """Note that a local bot's process has ended; return a stop when it never started."""
        session.hello_by = NEVER
        if not self._has_opened:
            return Stop(StopKind.NOT_STARTED, session.name, detail)
        # A benched bot still plays the legs that it has begun.
        if not session.is_benched or session.seats_open:
            self._ledger.open_incident(session, FaultKind.CRASH, detail)
        self._restart_or_give_up(session)
        return None

    def _restart_or_give_up(self, session: Session) -> None:
        if session.is_benched:
            self.bench(session)
        else:
            session.is_absent = False
            delay_s = RESTART_DELAYS_S[min(session.crashes, len(RESTART_DELAYS_S)) - 1]
            self.orders.append(
                Order(OrderKind.START_PROCESS, session.name, delay_ns=delay_s * 1000 * MS)
            )

    def next_due(self, now: int) -> int:
        """Return the earliest time, in ns, at which `tick` may have something to say."""
        due = NEVER
        for session in self._sessions:
            due = min(due, session.hello_by)
            if self._is_missed(session):
                due = min(due, session.away_since + self._start_ns)
        if self._has_opened and self.are_all_away():
            due = min(due, self._all_away_since() + self._start_ns)
        return max(due, now)

    def _is_missed(self, session: Session) -> bool:
        """Return whether a session lost its stream and may come back by itself."""
        return (
            self._has_opened
            and not session.stream
            and not session.is_absent
            and (not session.is_benched or bool(session.seats_open))
            and session.incident_kind is not FaultKind.CRASH
        )

    def tick(self, now: int) -> tuple[Stop | None, list[Session]]:
        """Look who has stayed away too long.

        Return a stop, if that ends the run, and the sessions that have a new incident.
        """
        changed = []
        for session in self._sessions:
            if session.hello_by <= now:
                stop = self._no_hello(session)
                if stop:
                    return stop, []
                changed.append(session)
            elif self._is_missed(session) and now - session.away_since >= self._start_ns:
                if not session.incident:
                    seconds = self._start_ns / 1e9
                    detail = f"its stream ended and it was not back in {seconds:g} s"
                    self._ledger.open_incident(session, FaultKind.DISCONNECT, detail)
                session.is_absent = True
                changed.append(session)
        return self._stop_if_all_away(now), changed

    def _no_hello(self, session: Session) -> Stop | None:
        session.hello_by = NEVER
        detail = f"said nothing for {self._start_ns / 1e9:g} s after its start (clock.start)"
        if not session.is_local:
            return Stop(StopKind.STAYED_AWAY, session.name, "has not come (clock.start)")
        self.orders.append(Order(OrderKind.KILL_PROCESS, session.name))
        return self.crash(session, detail)

    def _all_away_since(self) -> int:
        """Return since when nobody who is not benched is here; only when that is so."""
        return max(session.away_since for session in self._sessions if not session.is_benched)

    def _stop_if_all_away(self, now: int) -> Stop | None:
        if not self._has_opened or not self.are_all_away():
            return None
        if now - self._all_away_since() < self._start_ns:
            return None
        names = ", ".join(s.name for s in self._sessions if not s.is_benched)
        return Stop(StopKind.STAYED_AWAY, names, "every bot is away")
