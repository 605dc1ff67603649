"""Who may send a frame: as many thinkers as cores, and bounded work in flight (FAULTS, Clock)."""

from __future__ import annotations

from collections import deque
from typing import Final

from arena.referee.session import NEVER, Flow, Frame, Session
from arena.referee.values import MS, Clock

MAX_FRAME: Final = 128
"""Decisions in a frame at most: serving more blocks the shell's loop too long (GRPC)."""


class FlowControl:
    """Grants frames to sessions, first come first served."""

    def __init__(self, clock: Clock, thinking: int) -> None:
        self._clock = clock
        self._thinking_limit = thinking
        self._thinking = 0
        """Local sessions that may send or have an unanswered frame."""
        self._waiting: deque[Session] = deque()
        self._granted = 0
        """Sessions that have leave and whose frame has not been taken."""
        self.in_flight = 0
        """Decisions that have been sent and are open, over all sessions."""
        self.service_ns = 20_000
        """Measured time the referee needs for a decision; the shell keeps it up to date."""
        self.frames = 0
        """Frames with decisions so far."""
        self._move_ns = clock.move_ms * MS
        self.ready: list[Session] = []
        """Sessions whose frame is to be taken; the shell empties it."""

    def budget(self) -> int:
        """Return how many more decisions may be out: a tenth of `move` of the referee's work.

        One is kept for every session that has leave and has not sent yet.
        """
        if self._clock.is_off:
            return MAX_FRAME
        out = self.in_flight + self._granted
        return self._move_ns // 10 // max(self.service_ns, 1) - out

    def want(self, session: Session) -> None:
        """Let a session that has decisions to send send them, or wait for leave."""
        if session.flow is Flow.IDLE and session.stream:
            session.flow = Flow.WAITING
            self._waiting.append(session)
            self.pump()

    def pump(self) -> None:
        """Grant what may be granted now."""
        waiting = self._waiting
        passed_over: list[Session] = []
        while waiting:
            session = waiting.popleft()
            if self.in_flight + self._granted and self.budget() <= 0:
                passed_over.append(session)
                break
            if session.is_local and self._thinking_limit:
                if self._thinking >= self._thinking_limit:
                    passed_over.append(session)
                    continue
                self._thinking += 1
            self._grant(session)
        if passed_over:
            waiting.extendleft(reversed(passed_over))

    def grant_now(self, session: Session) -> None:
        """Let a session send at once, whatever the limits: its clocks are running already."""
        if session.flow in (Flow.IDLE, Flow.WAITING):
            self.release(session)
            if session.is_local and self._thinking_limit:
                self._thinking += 1
            self._grant(session)

    def _grant(self, session: Session) -> None:
        session.flow = Flow.GRANTED
        self._granted += 1
        self.ready.append(session)

    def flush(self, session: Session) -> None:
        """Let a session get what needs no answer: notices, starts, ends."""
        if session.stream and not session.wants_flush:
            session.wants_flush = True
            self.ready.append(session)

    def release(self, session: Session) -> None:
        """Take back a session's leave: its frame is answered, or its stream is gone."""
        flow = session.flow
        if flow is Flow.WAITING:
            self._waiting.remove(session)
        elif flow is not Flow.IDLE:
            if flow is Flow.GRANTED:
                self._granted -= 1
            if session.is_local and self._thinking_limit:
                self._thinking -= 1
        session.flow = Flow.IDLE

    def end_frame(self, session: Session, now: int) -> None:
        """Note that a frame is fully answered, and how quickly.

        What is open then waits to be sent again: its clocks are running, so it needs no leave.
        `due` stays: it is only a bound, and the next judgement finds the next.
        """
        if session.flow is Flow.BUSY and session.stream:
            sample = (now - session.frame_start) // max(session.frame_size, 1) or 1
            speed = session.speed_ns
            # Slower counts at once, quicker bit by bit: a frame must never be too large.
            session.speed_ns = sample if sample > speed else (7 * speed + sample) // 8 or 1
        self.release(session)
        if session.unsent and session.stream and session.still_unsent():
            self.grant_now(session)
        elif session.outbox:
            self.want(session)
        self.pump()

    def withdrawn(self, session: Session, now: int) -> None:
        """Note that one of a session's decisions was taken away from it."""
        if session.flow is Flow.BUSY and len(session.open) == len(session.still_unsent()):
            self.end_frame(session, now)
        else:
            self.pump()

    def _frame_limit(self, session: Session) -> int:
        """Return how many decisions the session's next frame may carry, at least 1.

        No more than the bot asks for, than it answers in half of `move` by its measured speed,
        and than may be in flight.
        """
        limit = min(session.max_in_flight, MAX_FRAME)
        if not self._clock.is_off:
            by_speed = 1
            if session.speed_ns:
                by_speed = self._clock.move_ms * MS // 2 // session.speed_ns
            limit = min(limit, by_speed, self.budget())
        return max(limit, 1)

    def take_frame(self, session: Session, now: int) -> Frame | None:
        """Return what is to be sent to a session now, `None` when there is nothing.

        The clocks of its decisions start at `now`; the shell begins to write at once.
        """
        if not session.stream:
            return None
        granted = session.flow is Flow.GRANTED
        frame = Frame(session.starts, ends=session.ends, notices=session.notices)
        if granted:
            self._fill(frame, session, now)
        elif not session.wants_flush:
            return None
        session.wants_flush = False
        session.starts, session.ends, session.notices = [], [], []
        empty = not (frame.starts or frame.tables or frame.ends or frame.notices)
        return None if empty else frame

    def _fill(self, frame: Frame, session: Session, now: int) -> None:
        """Put decisions into a frame: first those still open from an earlier stream.

        Their clocks are running already, so of them go as many as the bot asks for.
        """
        self._granted -= 1
        session.flow = Flow.BUSY
        opened, outbox = session.open, session.outbox
        frame.tables = tables = []
        if session.unsent:
            unsent = session.still_unsent()
            most = min(session.max_in_flight, MAX_FRAME)
            tables += [opened[key] for key in unsent[:most]]
            del unsent[:most]
        count = min(len(outbox), max(self._frame_limit(session) - len(tables), 0))
        if not tables and not count:
            self.release(session)
            self.pump()
            return
        if session.first_frame:
            session.first_frame = False
            soft = now + 3 * self._move_ns
        else:
            soft = now + self._move_ns
        clocked = not self._clock.is_off
        next_id = session.next_id
        for _ in range(count):
            table = outbox.popleft()
            tables.append(table)
            table.ask_id = decision_id = next_id()
            opened[decision_id] = table
            if clocked and not table.soft:
                table.soft = soft
        self.in_flight += count
        self.frames += 1
        if clocked:
            self._set_times(frame, session, now)
        else:
            frame.times_ms = [(0, 0)] * len(tables)
        session.frame_start = session.last_answer = now
        session.frame_size = len(tables)

    @staticmethod
    def _set_times(frame: Frame, session: Session, now: int) -> None:
        """Set what is left for each decision, and when the first of them is late."""
        add = frame.times_ms.append
        first = NEVER
        for table in frame.tables:
            soft = table.soft
            bank = table.bank[table.deal.turn]
            hard = soft + bank
            first = min(first, hard)
            if soft >= now:
                add(((soft - now) // MS, bank // MS))
            else:
                add((0, max(hard - now, 0) // MS))
        frame.frame_ms = min(map(sum, frame.times_ms))
        session.due = min(session.due, first)
