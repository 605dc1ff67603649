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
    EndOut,
    Flow,
    Frame,
    NoticeOut,
    Session,
    StartOut,
    Stray,
)
from arena.referee.table import Table
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
    from arena.referee.values import BoardPlan

STARTS_IN_A_ROW: Final = 32
"""Legs started before the shell gets a turn: starting is slow work (deck, seeds)."""
WAITING_STARTS: Final = 256
"""Starts and ends that wait for a decision before they go without one (ARCHITECTURE)."""
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
        self.tables: dict[Table, None] = {}
        """Tables with a board in progress, in the order of their start."""
        self.stopped: Stop | None = None
        self.answers = 0
        """Decisions answered so far."""
        self.frames = 0
        """Frames with decisions so far."""
        self.is_draining = False
        self._boards = boards
        self._idle = [Table(game) for _ in range(tables)]
        """Tables between legs, to be started."""
        self._blocked: list[Table] = []
        """Tables whose next leg waits for an entrant that may come back."""
        self._is_open = False
        self._is_exhausted = False
        self._bank_ns = 0 if self.clock.is_off else self.clock.bank_ms * MS
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
        return self._is_open

    @property
    def is_finished(self) -> bool:
        """Whether nothing is in progress and nothing more will start."""
        if self.is_draining:
            return not any(table.leg for table in self.tables)
        return self._is_exhausted and not self.tables

    @property
    def has_work(self) -> bool:
        """Whether `step` has legs to start."""
        return bool(self._idle) and self._is_open and not self.stopped

    def take_journal(self) -> list[DealResult | Event]:
        """Return the deals and events since the last call, in the order of the record."""
        journal, self.ledger.journal = self.ledger.journal, []
        return journal

    def take_orders(self) -> list[Order]:
        """Return what the shell is to do: start or kill processes, close streams."""
        orders, self.attendance.orders = self.attendance.orders, []
        return orders

    # ------------------------------------------------------------------ boards, legs and deals

    def open(self, now: int) -> None:
        """Open the run: from now on bots may come, and the first legs start when all have."""
        self.attendance.open(now)
        self._look_who_is_here(now)

    def step(self, now: int) -> None:
        """Start some of the legs that are due; call it again while `has_work`."""
        self._now = now
        for _ in range(min(STARTS_IN_A_ROW, len(self._idle))):
            if self.stopped:
                return
            self._start_next(self._idle.pop())

    def _settle(self) -> None:
        """Start the next legs of tables that an input has brought to the end of one."""
        if self.has_work:
            self.step(self._now)

    def drain(self) -> None:
        """Start no more legs and no more deals; those in progress may end."""
        self.is_draining = True
        for table in (*self._idle, *self._blocked):
            table.leg = None

    def _look_who_is_here(self, now: int) -> None:
        """Open the tables once all have come; give blocked tables another try."""
        self._now = now
        if self.stopped:
            return
        if not self._is_open:
            self._is_open = self.attendance.all_are_here()
        elif self._blocked:
            self._idle += self._blocked
            self._blocked = []

    def _start_next(self, table: Table) -> None:
        """Start a table's next leg, or its next board's first."""
        if self.is_draining:
            table.leg = None
            return
        if table.leg and self.game.target:
            # In a game to points: the next deal of the leg in play.
            if self._may_start(table.leg.seats):
                self._start_deal(table)
            else:
                self._blocked.append(table)
            return
        if not table.legs_left:
            plan = next(self._boards, None)
            if plan is None:
                self._is_exhausted = True
                self.tables.pop(table, None)
                return
            table.set_board(plan)
            self.tables[table] = None
            self.ledger.highest_board = max(self.ledger.highest_board, plan.board)
        if not self._may_start(table.legs_left[-1].seats):
            self._blocked.append(table)
            return
        table.leg = table.legs_left.pop()
        self._start_leg(table)

    def _may_start(self, seats: Sequence[str]) -> bool:
        """Return whether a leg may start: nobody in it is away who may come back."""
        if self.attendance.are_all_away():
            return False
        return all(self.attendance.is_settled(self.by_name[name]) for name in seats)

    def _start_leg(self, table: Table) -> None:
        leg = table.leg
        assert leg is not None  # noqa: S101 (the caller has just set it)
        table.sessions = [self.by_name[name] for name in leg.seats]
        table.number = 1
        table.scores = [0, 0, 0, 0]
        table.game_results = []
        # A bench acts at the start of legs: those begun are finished (FAULTS, Bench).
        table.benched = [session.is_benched for session in table.sessions]
        table.start = StartOut(leg.seats if self.game.shows_names else ())
        for seat, session in enumerate(table.sessions):
            table.table_ids[seat] = session.next_table_id()
        self._start_deal(table)

    def _start_deal(self, table: Table) -> None:
        table.start_deal(self._bank_ns)
        for seat, session in enumerate(table.sessions):
            table_id = table.table_ids[seat]
            if table.benched[seat] or session.is_absent:
                table.autopilot[seat] = True
                if not session.is_benched:
                    self._charge_later(session, table, seat)
            elif table_id not in session.seats_open:
                session.starts.append((table_id, seat, table.start))
                session.seats_open[table_id] = (seat, table.start)
                self._flush_if_many(session)
        self._advance(table)

    def _advance(self, table: Table) -> None:
        """Play on until somebody is to be asked or the deal is over."""
        deal = table.deal
        while True:
            legal = deal.legal
            if not legal & (legal - 1):
                if not legal:
                    self._end_deal(table)
                    return
                # Only one action is legal: it is played without asking (ARCHITECTURE).
                deal.push(legal.bit_length() - 1)
                continue
            seat = deal.turn
            if table.autopilot[seat]:
                if table.charges[seat]:
                    self._charge(table, seat)
                deal.push(safe_action(deal))
                continue
            session = table.sessions[seat]
            session.outbox.append(table)
            if not session.stream:
                self._start_clock(session, table)
            elif session.flow is Flow.IDLE:
                self.flow.want(session)
            return

    @staticmethod
    def _charge_later(session: Session, table: Table, seat: int) -> None:
        """Let the session's incident be charged at the seat's next real choice."""
        if session.incident_kind:
            detail = session.incident_detail
            table.charges[seat] = (session.incident_kind, session.incident, detail)

    def _charge(self, table: Table, seat: int) -> None:
        """Charge a fault that waited for the seat's next real choice."""
        charge = table.charges[seat]
        if charge:
            kind, incident, detail = charge
            table.charges[seat] = None
            table.faults.append(Fault(seat, len(table.deal.actions), kind, detail, incident))

    def _end_deal(self, table: Table) -> None:
        """Write a deal down and go on to the next deal, leg or board."""
        leg, deal = table.leg, table.deal
        assert leg is not None  # noqa: S101 (a deal is played in a leg)
        result = DealResult(
            table.board,
            leg.leg,
            table.number,
            leg.seats,
            deal,
            [think // 1000 for think in table.think],
            [think // 1000 for think in table.slowest],
            table.faults,
        )
        end = EndOut(deal)
        if self.game.target:
            table.game_results.append(result)
            if not self._game_is_over(table):
                table.number += 1
                self._idle.append(table)
                return
            end.number, end.scores = table.number, tuple(table.scores)
            self.ledger.journal += table.game_results
            results = table.game_results
        else:
            self.ledger.journal.append(result)
            results = [result]
        table.leg = None
        self._send_ends(table, end)
        for played in results:
            for session in self.ledger.count_deal(played, table.sessions):
                self._tell_benched(session)
        self._idle.append(table)

    def _game_is_over(self, table: Table) -> bool:
        """Add the deal's points and return whether the game has reached its end."""
        points = table.deal.points or (0, 0, 0, 0)
        table.scores = [score + won for score, won in zip(table.scores, points, strict=True)]
        return max(table.scores) >= self.game.target or table.number >= self.game.max_deals

    def _send_ends(self, table: Table, end: EndOut) -> None:
        for seat, session in enumerate(table.sessions):
            table_id = table.table_ids[seat]
            if session.seats_open.pop(table_id, None):
                session.ends.append((table_id, end))
                self._flush_if_many(session)

    def _flush_if_many(self, session: Session) -> None:
        if len(session.starts) + len(session.ends) >= WAITING_STARTS:
            self.flow.flush(session)

    # ------------------------------------------------------------------ frames and answers

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
        """Put decisions into a frame: those already open first, after a reconnect."""
        tables = list(session.open.values())
        outbox = session.outbox
        count = min(len(outbox), max(self.flow.frame_limit(session) - len(tables), 0))
        if not tables and not count:
            self.flow.release(session)
            self.flow.pump()
            return
        clocked = not self.clock.is_off
        move_ns = self._move_ns * (3 if session.first_frame else 1)
        soft = now + move_ns
        due = session.due
        session.first_frame = False
        for _ in range(count):
            table = outbox.popleft()
            tables.append(table)
            table.ask_id = decision_id = session.next_id()
            session.open[decision_id] = table
            if clocked and not table.soft:
                table.soft = soft
        frame.tables = tables
        self.flow.in_flight += count
        self.frames += 1
        if clocked:
            self._set_times(frame, now)
            for table in tables:
                hard = table.soft + table.bank[table.deal.turn]
                due = min(due, hard)
        else:
            frame.times_ms = [(0, 0)] * len(tables)
        session.due = due
        session.flow = Flow.BUSY
        session.frame_start = session.last_answer = now
        session.frame_size = len(tables)

    @staticmethod
    def _set_times(frame: Frame, now: int) -> None:
        least = NEVER
        for table in frame.tables:
            move_ms = (table.soft - now) // MS
            bank_ns = table.bank[table.deal.turn]
            if move_ms < 0:
                bank_ns, move_ms = max(bank_ns + table.soft - now, 0), 0
            bank_ms = bank_ns // MS
            frame.times_ms.append((move_ms, bank_ms))
            least = min(least, move_ms + bank_ms)
        frame.frame_ms = least

    def receive(self, session: Session, answers: Sequence[tuple[int, int]], now: int) -> None:
        """Take a message of answers: pairs of decision id and action number."""
        self._now = now
        opened = session.open
        share = (now - session.last_answer) // (len(answers) or 1)
        in_flight = len(opened)
        for decision_id, action in answers:
            table = opened.pop(decision_id, None)
            if table is None:
                self._stray(session, decision_id, action)
                continue
            deal = table.deal
            seat = deal.turn
            table.think[seat] += share
            table.slowest[seat] = max(table.slowest[seat], share)
            if now > table.soft and table.soft:
                table.bank[seat] = max(table.bank[seat] - (now - table.soft), 0)
            table.soft = 0
            if 0 < action <= LAST_ACTION and deal.legal >> action & 1:
                session.ring[(decision_id >> 8) & 1023] = action
                deal.push(action)
            else:
                self._wrong_answer(session, table, decision_id, action)
            self._advance(table)
        closed = in_flight - len(opened)
        if closed:
            session.last_answer = now
            self.flow.in_flight -= closed
            self.answers += closed
            if not opened:
                self._end_frame(session)
        if self._idle:
            self._settle()

    def _end_frame(self, session: Session) -> None:
        """Note that a frame is fully answered, and how quickly."""
        session.due = NEVER
        if session.flow is Flow.BUSY and session.stream:
            sample = (self._now - session.frame_start) // max(session.frame_size, 1) or 1
            speed = session.speed_ns
            # Slower counts at once, quicker bit by bit: a frame must never be too large.
            session.speed_ns = sample if sample > speed else (7 * speed + sample) // 8 or 1
        self.flow.release(session)
        if session.outbox:
            self.flow.want(session)
        self.flow.pump()

    def receive_garbage(self, session: Session, now: int) -> None:
        """Take bytes that are no message: they count against the oldest open decision."""
        self._now = now
        if not session.open:
            self._violate(session, "sent bytes that are no message")
            return
        table = next(iter(session.open.values()))
        share = now - session.last_answer
        table.add_think_time(table.deal.turn, share)
        self._replace(session, table, FaultKind.MALFORMED, "bytes that are no message")
        session.last_answer = now
        self._settle()

    def violate(self, session: Session, detail: str, now: int) -> None:
        """Count a protocol violation that only the shell can see, such as a second Hello."""
        self._now = now
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
        session.notices.append(NoticeOut("VIOLATION", detail))
        self.flow.flush(session)
        if session.violations > MAX_VIOLATIONS:
            self.attendance.close_stream(session, f"over {MAX_VIOLATIONS} protocol violations")

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
        self._advance(table)
        self._after_withdrawal(session)

    def _withdraw(self, session: Session, table: Table) -> None:
        """Take a decision out of a session's frame or outbox."""
        if session.open.pop(table.ask_id, None) is table:
            session.close(table.ask_id, REPLACED)
            self.flow.in_flight -= 1
        else:
            session.outbox.remove(table)
        table.soft = 0

    def _after_withdrawal(self, session: Session) -> None:
        if session.flow is Flow.BUSY and not session.open:
            self._end_frame(session)
        else:
            self.flow.pump()

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

    def say_goodbye(self, in_ms: int, detail: str) -> None:
        """Tell every bot that its stream will end; what waits for it goes along."""
        for session in self.sessions:
            if session.stream:
                session.notices.append(NoticeOut("SHUTDOWN", detail, in_ms=in_ms))
                self.flow.flush(session)

    def _tell_benched(self, session: Session) -> None:
        if session.stream:
            detail = "benched: later tables are played by safe actions"
            session.notices.append(NoticeOut("BENCHED", detail))
            self.flow.flush(session)
        self.attendance.bench(session)

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
        self._now = now
        until = now if looked is None else looked
        for session in self.sessions:
            if session.due <= until:
                self._judge(session, until)
        stop, changed = self.attendance.tick(now)
        if stop and not self.stopped:
            self.stopped = stop
        for session in changed:
            self._on_incident(session)
        if changed or self._blocked:
            self._look_who_is_here(now)
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
        for table in late:
            seat = table.deal.turn
            think = now - (table.soft - self._move_ns)
            if session.stream:
                table.add_think_time(seat, think)
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
                self._replace_by_incident(session, table)

    def _start_clock(self, session: Session, table: Table) -> None:
        """Start the clock of a decision that cannot be sent, since there is no stream."""
        if not self.clock.is_off and not table.soft:
            table.soft = self._now + self._move_ns
            hard = table.soft + table.bank[table.deal.turn]
            session.due = min(session.due, hard)

    # ------------------------------------------------------------------ coming and going

    def connect(self, name: str, now: int, *, max_in_flight: int = 1) -> tuple[Session, int]:
        """Seat an entrant whose Hello has been read; return its session and stream number.

        A stream that is still up is replaced: the shell closes it when it sees the order.
        """
        self._now = now
        session = self.by_name[name]
        if session.stream:
            self._stream_down(session)
        self.attendance.connect(session, now)
        session.max_in_flight = max_in_flight
        session.violations = 0
        session.starts = [(key, seat, start) for key, (seat, start) in session.seats_open.items()]
        if session.open or any(table.soft for table in session.outbox):
            self.flow.grant_now(session)
        elif session.outbox:
            self.flow.want(session)
        self._look_who_is_here(now)
        self._settle()
        return session, session.stream

    def disconnect(self, session: Session, stream: int, now: int) -> None:
        """Note that a stream has ended; an older stream's end changes nothing."""
        self._now = now
        if session.stream != stream or not stream:
            return
        self._stream_down(session)
        self.attendance.disconnect(session, now)
        for table in session.outbox:
            self._start_clock(session, table)

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
        self._now = now
        session = self.by_name[name]
        if session.stream:
            self._stream_down(session)
            self.attendance.disconnect(session, now)
        stop = self.attendance.crash(session, detail, now)
        if stop:
            self.stopped = self.stopped or stop
            return
        self._on_incident(session)
        self._look_who_is_here(now)
        self._settle()

    def _on_incident(self, session: Session) -> None:
        """Charge an incident to the deals the session is in (FAULTS, Faults)."""
        if session.incident_kind is None:
            return
        waiting = dict.fromkeys((*session.open.values(), *session.outbox))
        for table in list(self.tables):
            if table.leg is None or session not in table.sessions:
                continue
            for seat in table.seats_of(session):
                if table.autopilot[seat] or table.deal.is_over:
                    continue
                if table in waiting and table.deal.turn == seat:
                    continue
                table.autopilot[seat] = True
                self._charge_later(session, table, seat)
        for table in waiting:
            self._replace_by_incident(session, table)

    def _replace_by_incident(self, session: Session, table: Table) -> None:
        """Charge an incident to an open decision; the seat is played safe to the deal's end."""
        kind = session.incident_kind
        assert kind is not None  # noqa: S101 (the caller has opened the incident)
        table.autopilot[table.deal.turn] = True
        self._withdraw(session, table)
        self._fault(
            table,
            kind,
            session.incident_detail,
            came=session.incident_detail,
            incident=session.incident,
        )
        table.deal.push(safe_action(table.deal))
        self._advance(table)
        self._after_withdrawal(session)
