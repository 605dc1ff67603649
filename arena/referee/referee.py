"""The referee: tables, sessions, clocks and faults as one state machine without any I/O.

The shell hands in what happened and when (`now` in ns of one monotonic clock) and takes out
frames, deals, events and orders. Nothing here reads a clock, a socket or a file, so timeouts,
crashes and reconnects are tested in simulated time.

Inputs: `open`, `connect`, `disconnect`, `receive`, `receive_garbage`, `process_started`,
`process_ended`, `block`, `tick`, `drain`. Outputs: `ready` sessions and their `take_frame`,
`take_journal`, `take_orders`, `is_finished`, `stopped`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.referee.attendance import Attendance
from arena.referee.context import fault_context
from arena.referee.flow import FlowControl
from arena.referee.ledger import Ledger
from arena.referee.session import (
    NEVER,
    REPLACED,
    Frame,
    NoticeOut,
    Session,
    Stray,
)
from arena.referee.tables import Tables, charge_later
from arena.referee.values import (
    DETAIL_LENGTH,
    MS,
    Clock,
    DealResult,
    EntrantSpec,
    Event,
    Fault,
    FaultKind,
    Game,
    History,
    Policy,
    Stop,
    StopKind,
)
from arena.rules.actions import ACTION_TEXTS, LAST_ACTION
from arena.rules.safe import safe_action

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.referee.attendance import Order
    from arena.referee.session import Frame
    from arena.referee.table import Table
    from arena.referee.values import BoardPlan

MAX_VIOLATIONS: Final = 50
"""Protocol violations on a stream; the next one closes it (FAULTS, Faults)."""


class Referee:
    """Plays the boards it is given with the entrants that connect."""

    def __init__(
        self,
        entrants: Sequence[EntrantSpec],
        boards: Iterator[BoardPlan],
        game: Game,
        *,
        clock: Clock | None = None,
        policy: Policy | None = None,
        tables: int = 64,
        thinking: int = 0,
        history: History | None = None,
    ) -> None:
        self.clock = clock or Clock()
        self.game = game
        history = history or History()
        self.sessions = [Session(index, spec) for index, spec in enumerate(entrants)]
        self.by_name = {session.name: session for session in self.sessions}
        for name, past in history.entrants.items():
            session = self.by_name[name]
            session.crashes, session.deals = past.crashes, past.deals
            session.faulty, session.is_benched = past.faulty, past.is_benched
            session.charged_incidents = set(past.incidents)
        self.flow = FlowControl(self.clock, thinking)
        self.ledger = Ledger(policy or Policy(), history)
        self.attendance = Attendance(self.sessions, self.clock, self.ledger)
        self.tables = Tables(
            game,
            self.clock,
            boards,
            tables,
            by_name=self.by_name,
            flow=self.flow,
            ledger=self.ledger,
            attendance=self.attendance,
        )
        self.stopped: Stop | None = None
        self.is_draining = False
        self.answers = 0
        """Decisions answered so far."""
        self._move_ns = self.clock.move_ms * MS
        self._now = 0

    # ------------------------------------------------------------------ what the shell takes out

    @property
    def ready(self) -> list[Session]:
        """Sessions whose frame is to be taken; the shell empties the list."""
        return self.flow.ready

    @property
    def is_open(self) -> bool:
        """Whether every entrant has come and boards are being played."""
        return self.tables.is_open

    @property
    def is_finished(self) -> bool:
        """Whether nothing is in progress and nothing more will start."""
        return self.tables.are_done

    @property
    def has_work(self) -> bool:
        """Whether `step` has legs to start."""
        return self.tables.have_work and not self.stopped

    def take_journal(self) -> list[DealResult | Event]:
        """Return the deals and events since the last call, in the order of the record."""
        journal, self.ledger.journal = self.ledger.journal, []
        return journal

    def take_orders(self) -> list[Order]:
        """Return what the shell is to do: start or kill processes, close streams."""
        orders, self.attendance.orders = self.attendance.orders, []
        return orders

    def take_frame(self, session: Session, now: int) -> Frame | None:
        """Return what is to be sent to a session now, `None` when there is nothing.

        The clocks of its decisions start at `now`; the shell begins to write at once.
        """
        return self.flow.take_frame(session, now)

    # ------------------------------------------------------------------ the run

    def open(self, now: int) -> None:
        """Open the run: from now on bots may come, and the first legs start when all have."""
        self._set_now(now)
        self.attendance.open(now)
        self.tables.look_who_is_here()

    def step(self, now: int) -> None:
        """Start some of the legs that are due; call it again while `has_work`."""
        self._set_now(now)
        if self.has_work:
            self.tables.step()

    def drain(self) -> None:
        """Start no more legs and no more deals; those in progress may end."""
        self.is_draining = True
        self.tables.drain()

    def close_books(self) -> None:
        """Write down what is written at the end of a stream, for the streams that are up."""
        for session in self.sessions:
            self.ledger.close_violations(session)

    def say_goodbye(self, in_ms: int, detail: str) -> None:
        """Tell every bot that its stream will end; what waits for it goes along."""
        for session in self.sessions:
            if session.stream:
                session.notices.append(NoticeOut("SHUTDOWN", detail, in_ms=in_ms))
                self.flow.flush(session)

    def _set_now(self, now: int) -> None:
        self._now = self.tables.now = now

    def _settle(self) -> None:
        """Start the next legs of tables that an input has brought to the end of one."""
        if self.has_work:
            self.tables.step()

    # ------------------------------------------------------------------ answers

    def receive(self, session: Session, answers: Sequence[tuple[int, int]], now: int) -> None:
        """Take a message of answers: pairs of decision id and action number."""
        self._now = self.tables.now = now
        opened = session.open
        share = (now - session.last_answer) // (len(answers) or 1)
        in_flight = len(opened)
        ring, advance = session.ring, self.tables.advance
        for decision_id, action in answers:
            table = opened.pop(decision_id, None)
            if table is None:
                self._stray(session, decision_id, action)
                continue
            deal = table.deal
            seat = deal.turn
            table.think[seat] += share
            if share > table.slowest[seat]:  # noqa: PLR1730 (a call costs more)
                table.slowest[seat] = share
            if now > table.soft and table.soft:
                table.bank[seat] = max(table.bank[seat] - (now - table.soft), 0)
            table.soft = 0
            if 0 < action <= LAST_ACTION and deal.legal >> action & 1:
                ring[(decision_id >> 8) & 1023] = action
                deal.push(action)
            else:
                self._wrong_answer(session, table, decision_id, action)
            advance(table)
        closed = in_flight - len(opened)
        if closed:
            session.last_answer = now
            self.flow.in_flight -= closed
            self.answers += closed
            if not opened or (session.unsent and len(opened) == len(session.still_unsent())):
                self.flow.end_frame(session, now)
        self._settle()

    def receive_garbage(self, session: Session, now: int) -> None:
        """Take bytes that are no message: they count against the oldest open decision."""
        self._set_now(now)
        if not session.open:
            self._violate(session, "sent bytes that are no message")
            return
        table = next(iter(session.open.values()))
        seat = table.deal.turn
        table.add_think_time(seat, now - session.last_answer)
        if now > table.soft and table.soft:
            table.bank[seat] = max(table.bank[seat] - (now - table.soft), 0)
        self._replace(session, table, FaultKind.MALFORMED, "bytes that are no message")
        session.last_answer = now
        self._settle()

    def violate(self, session: Session, detail: str, now: int) -> None:
        """Count a protocol violation that only the shell can see, such as a second Hello."""
        self._set_now(now)
        self._violate(session, detail)

    def _stray(self, session: Session, decision_id: int, action: int) -> None:
        verdict, detail = session.judge_stray(decision_id, action)
        if verdict is Stray.NOISE:
            session.noise += 1
        else:
            self._violate(session, detail)

    def _violate(self, session: Session, detail: str) -> None:
        if not session.stream:
            return
        session.violations += 1
        if session.violations > MAX_VIOLATIONS:
            self.attendance.close_stream(session, f"over {MAX_VIOLATIONS} protocol violations")
            # Down at once: what else comes on this stream is not even counted.
            self.disconnect(session, session.stream, self._now)
            return
        session.notices.append(NoticeOut("VIOLATION", detail))
        self.flow.flush(session)

    # ------------------------------------------------------------------ faults

    def _wrong_answer(self, session: Session, table: Table, decision_id: int, action: int) -> None:
        """Play the safe action for an answer that is not legal; the caller plays on."""
        session.close(decision_id, REPLACED)
        deal = table.deal
        if 0 < action <= LAST_ACTION:
            detail = f"{ACTION_TEXTS[action]}: {deal.illegal_reason(action)}"
            self._fault(table, FaultKind.ILLEGAL, detail, came=ACTION_TEXTS[action])
        else:
            detail = f"action {action} does not exist" if action else "an answer without an action"
            self._fault(table, FaultKind.MALFORMED, detail, came=f"action {action}")
        deal.push(safe_action(deal))

    def _replace(
        self, session: Session, table: Table, kind: FaultKind, detail: str, late_ms: int = 0
    ) -> None:
        """Take an open decision away from its bot, play the safe action and play on."""
        self._withdraw(session, table)
        self._fault(table, kind, detail, came=detail, late_ms=late_ms)
        table.deal.push(safe_action(table.deal))
        self.tables.advance(table)
        self.flow.withdrawn(session, self._now)

    def _withdraw(self, session: Session, table: Table) -> None:
        """Take a decision out of a session's frame or outbox."""
        if session.open.pop(table.ask_id, None) is table:
            session.close(table.ask_id, REPLACED)
            self.flow.in_flight -= 1
        else:
            session.outbox.remove(table)
            table.ask_id = 0
        table.soft = 0

    def _fault(
        self,
        table: Table,
        kind: FaultKind,
        detail: str,
        *,
        came: str,
        incident: int = 0,
        late_ms: int = 0,
    ) -> None:
        """Write down a fault of the seat in turn and tell its bot."""
        deal, seat = table.deal, table.deal.turn
        session = table.sessions[seat]
        safe = ACTION_TEXTS[safe_action(deal)]
        text = f"{detail}; played {safe}" if not incident else detail
        text = text[:DETAIL_LENGTH]
        table.faults.append(Fault(seat, len(deal.actions), kind, text, incident))
        if session.stream:
            table_id = table.table_ids[seat]
            notice = NoticeOut("FAULT", text, kind, table_id, table.ask_id, late_ms)
            session.notices.append(notice)
            self.flow.flush(session)
        if self.ledger.policy.strict and not self.stopped:
            self._stop(StopKind.STRICT, session.name, fault_context(table, kind, detail, came))

    def _stop(self, kind: StopKind, entrant: str, detail: str) -> None:
        self.stopped = Stop(kind, entrant, detail)

    # ------------------------------------------------------------------ time

    def next_due(self) -> int:
        """Return the earliest time, in ns, at which `tick` may have something to judge."""
        clocks = min((session.due for session in self.sessions), default=NEVER)
        return min(clocks, self.attendance.next_due(self._now))

    def block(self, begin: int, end: int) -> None:
        """Credit a block of the shell's loop to the decisions it overlapped (FAULTS, Clock)."""
        for session in self.sessions:
            if session.due == NEVER:
                continue
            for table in (*session.open.values(), *session.outbox):
                if table.soft:
                    start = table.soft - self._move_ns
                    if table.ask_id in session.open:
                        start = min(start, session.frame_start)
                    table.soft += end - max(begin, min(start, end))

    def tick(self, now: int, looked: int | None = None) -> None:
        """Judge what is late and who stays away.

        The shell calls it once `next_due` has passed and all that has arrived has been read.
        `looked` is the time before which all that had arrived has been read; clocks that ended
        after it are judged at the next call.
        """
        self._set_now(now)
        until = now if looked is None else looked
        for session in self.sessions:
            if session.due <= until:
                self._judge(session, until)
        stop, changed = self.attendance.tick(until)
        if stop and not self.stopped:
            self.stopped = stop
        for session in changed:
            self._on_incident(session)
        if not self.stopped:
            self.tables.look_who_is_here()
        self._settle()

    def _judge(self, session: Session, now: int) -> None:
        """Replace the decisions of a session whose time is up."""
        late, due = [], NEVER
        for table in (*session.open.values(), *session.outbox):
            if not table.soft:
                continue
            hard = table.soft + table.bank[table.deal.turn]
            if hard <= now:
                late.append(table)
            else:
                due = min(due, hard)
        session.due = due
        if not late:
            return
        share = max(now - session.last_answer, 0) // len(late)
        session.last_answer = max(session.last_answer, now)
        for table in late:
            seat = table.deal.turn
            if session.stream:
                table.add_think_time(seat, share)
                table.timeouts[seat] += 1
                table.autopilot[seat] = table.timeouts[seat] > 1
                late_ms = (now - table.soft - table.bank[seat]) // MS
                table.bank[seat] = 0
                clock = self.clock
                detail = f"no answer in {clock.move_ms} ms and the bank of {clock.bank_ms} ms"
                self._replace(session, table, FaultKind.TIMEOUT, detail, late_ms)
            else:
                if not session.incident:
                    self.ledger.open_incident(session, FaultKind.DISCONNECT, "its stream ended")
                self._hit(session, table)
                self._replace_by_incident(session, table)

    # ------------------------------------------------------------------ coming and going

    def connect(self, name: str, now: int, *, max_in_flight: int = 1) -> tuple[Session, int]:
        """Seat an entrant whose Hello has been read; return its session and stream number.

        A stream that is still up is replaced: the shell closes it when it sees the order.
        """
        self._set_now(now)
        session = self.by_name[name]
        if session.stream:
            self._stream_down(session)
        self.attendance.connect(session, now)
        session.max_in_flight = max_in_flight
        session.violations = 0
        session.unsent = list(session.open)
        session.starts = [(key, seat, start) for key, (seat, start) in session.seats_open.items()]
        if session.open or any(table.soft for table in session.outbox):
            self.flow.grant_now(session)
        elif session.outbox:
            self.flow.want(session)
        self.tables.look_who_is_here()
        self._settle()
        return session, session.stream

    def disconnect(self, session: Session, stream: int, now: int) -> None:
        """Note that a stream has ended; an older stream's end changes nothing."""
        self._set_now(now)
        if session.stream != stream or not stream:
            return
        self._stream_down(session)
        self.attendance.disconnect(session, now)
        for table in session.outbox:
            self.tables.start_clock(session, table)

    def _stream_down(self, session: Session) -> None:
        self.ledger.close_violations(session)
        self.flow.release(session)
        session.stream = 0
        session.wants_flush = False
        session.notices = []
        self.flow.pump()

    def process_started(self, name: str, now: int) -> None:
        """Note that a local bot's process has been spawned: it has `start` to say Hello."""
        self.attendance.process_started(self.by_name[name], now)

    def process_ended(self, name: str, detail: str, now: int) -> None:
        """Note that a local bot's process has ended: a crash, its stream's end included."""
        self._set_now(now)
        session = self.by_name[name]
        if session.stream:
            self._stream_down(session)
            self.attendance.disconnect(session, now)
        stop = self.attendance.crash(session, detail)
        if stop:
            self.stopped = self.stopped or stop
            return
        self._on_incident(session)
        self.tables.look_who_is_here()
        self._settle()

    def _on_incident(self, session: Session) -> None:
        """Charge an incident to the deals the session is in (FAULTS, Faults)."""
        if session.incident_kind is None:
            return
        waiting = (*session.open.values(), *session.outbox)
        for table in list(self.tables.in_play):
            if table.leg is not None and session in table.sessions and not table.deal.is_over:
                self._hit(session, table)
        for table in waiting:
            self._replace_by_incident(session, table)
        if self.ledger.policy.strict and not self.stopped:
            detail = f"{session.incident_kind}: {session.incident_detail}"
            self._stop(StopKind.STRICT, session.name, f"{detail}\nasked: nothing")

    def _hit(self, session: Session, table: Table) -> None:
        """Have a session's seats in a deal played safe to its end, and charged at their next turn.

        A seat whose decision is open is left out: it is charged there (`_replace_by_incident`).
        """
        deal = table.deal
        for seat in table.seats_of(session):
            if not table.autopilot[seat] and seat != deal.turn:
                table.autopilot[seat] = True
                charge_later(session, table, seat)

    def _replace_by_incident(self, session: Session, table: Table) -> None:
        """Charge an incident to an open decision; the seat is played safe to the deal's end."""
        kind = session.incident_kind
        assert kind is not None  # noqa: S101 (the caller has opened the incident)
        seat = table.deal.turn
        table.autopilot[seat] = True
        table.incidents[seat] = session.incident
        self._withdraw(session, table)
        self._fault(
            table,
            kind,
            session.incident_detail,
            came=session.incident_detail,
            incident=session.incident,
        )
        table.deal.push(safe_action(table.deal))
        self.tables.advance(table)
        self.flow.withdrawn(session, self._now)
