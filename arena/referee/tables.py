"""All tables of a run: which leg starts where, how a deal goes on, and what its end brings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.referee.session import EndOut, Flow, NoticeOut, StartOut
from arena.referee.table import Table
from arena.referee.values import MS, DealResult, Fault
from arena.rules.safe import safe_action

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arena.referee.attendance import Attendance
    from arena.referee.flow import FlowControl
    from arena.referee.ledger import Ledger
    from arena.referee.session import Session
    from arena.referee.values import BoardPlan, Clock, Game, LegPlan

STARTS_IN_A_ROW: Final = 32
"""Legs started before the shell gets a turn: starting is slow work (deck, seeds)."""
WAITING_STARTS: Final = 256
"""Starts and ends that wait for a decision before they go without one (ARCHITECTURE)."""


class Tables:
    """Deals boards out to tables and plays on wherever nobody has to be asked."""

    def __init__(
        self,
        game: Game,
        clock: Clock,
        boards: Iterator[BoardPlan],
        tables: int,
        *,
        by_name: Mapping[str, Session],
        flow: FlowControl,
        ledger: Ledger,
        attendance: Attendance,
    ) -> None:
        self.in_play: dict[Table, None] = {}
        """Tables with a board in progress, in the order of their start."""
        self.is_open = False
        """Whether every entrant has come once."""
        self.now = 0
        """The time of the input at hand, in ns."""
        self._game = game
        self._boards = boards
        self._by_name = by_name
        self._flow = flow
        self._ledger = ledger
        self._attendance = attendance
        self._idle = [Table(game) for _ in range(tables)]
        """Tables between legs, to be started."""
        self._blocked: list[Table] = []
        """Tables whose next leg waits for an entrant that may come back."""
        self._is_exhausted = False
        self._is_draining = False
        self._is_clocked = not clock.is_off
        self._move_ns = clock.move_ms * MS
        self._bank_ns = clock.bank_ms * MS if self._is_clocked else 0

    @property
    def are_done(self) -> bool:
        """Whether nothing is in progress and nothing more will start."""
        if self._is_draining:
            return not any(table.leg for table in self.in_play)
        return self._is_exhausted and not self.in_play

    @property
    def have_work(self) -> bool:
        """Whether `step` has legs to start."""
        return self.is_open and bool(self._idle)

    def drain(self) -> None:
        """Start no more legs and no more deals; those in progress may end."""
        self._is_draining = True
        for table in (*self._idle, *self._blocked):
            table.leg = None

    def step(self) -> None:
        """Start some of the legs that are due; call it again while `have_work`."""
        for _ in range(min(STARTS_IN_A_ROW, len(self._idle))):
            self._start_next(self._idle.pop())

    def look_who_is_here(self) -> None:
        """Open the tables once all have come; give blocked tables another try."""
        if not self.is_open:
            self.is_open = self._attendance.all_are_here()
        elif self._blocked:
            self._idle += self._blocked
            self._blocked = []

    # ------------------------------------------------------------------ starting

    def _start_next(self, table: Table) -> None:
        """Start a table's next deal in a game, its next leg, or its next board."""
        if self._is_draining:
            table.leg = None
        elif table.leg:
            # Only a game to points is between two deals of one leg.
            if self._may_start(table.leg):
                self._start_deal(table)
            else:
                self._blocked.append(table)
        elif table.legs_left or self._take_board(table):
            if self._may_start(table.legs_left[-1]):
                self._start_leg(table, table.legs_left.pop())
            else:
                self._blocked.append(table)

    def _take_board(self, table: Table) -> bool:
        """Give a table the next board; without one it is put away."""
        plan = next(self._boards, None)
        if plan is None:
            self._is_exhausted = True
            self.in_play.pop(table, None)
            return False
        table.set_board(plan)
        self.in_play[table] = None
        self._ledger.highest_board = max(self._ledger.highest_board, plan.board)
        return True

    def _may_start(self, leg: LegPlan) -> bool:
        """Return whether a leg may start: nobody in it is away who may come back."""
        attendance = self._attendance
        if attendance.are_all_away():
            return False
        return all(attendance.is_settled(self._by_name[name]) for name in leg.seats)

    def _start_leg(self, table: Table, leg: LegPlan) -> None:
        table.leg = leg
        table.sessions = [self._by_name[name] for name in leg.seats]
        table.number = 1
        table.scores = [0, 0, 0, 0]
        table.game_results = []
        table.incidents = [0, 0, 0, 0]
        # A bench acts at the start of legs: those begun are finished (FAULTS, Bench).
        table.benched = [session.is_benched for session in table.sessions]
        table.start = StartOut(leg.seats if self._game.shows_names else ())
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
                    charge_later(session, table, seat)
            elif table_id not in session.seats_open:
                session.starts.append((table_id, seat, table.start))
                session.seats_open[table_id] = (seat, table.start)
                self._flush_if_many(session)
        self.advance(table)

    # ------------------------------------------------------------------ playing on

    def advance(self, table: Table) -> None:
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
                    _charge(table, seat)
                deal.push(safe_action(deal))
                continue
            session = table.sessions[seat]
            session.outbox.append(table)
            if not session.stream:
                self.start_clock(session, table)
            elif session.flow is Flow.IDLE:
                self._flow.want(session)
            return

    def start_clock(self, session: Session, table: Table) -> None:
        """Start the clock of a decision that cannot be sent, since there is no stream."""
        if self._is_clocked and not table.soft:
            table.soft = self.now + self._move_ns
            session.due = min(session.due, table.soft + table.bank[table.deal.turn])

    # ------------------------------------------------------------------ ending

    def _end_deal(self, table: Table) -> None:
        """Write a deal down and go on to the next deal, leg or board."""
        leg = table.leg
        assert leg is not None  # noqa: S101 (a deal is played in a leg)
        result = DealResult(
            table.board,
            leg.leg,
            table.number,
            leg.seats,
            table.deal,
            [think // 1000 for think in table.think],
            [think // 1000 for think in table.slowest],
            table.faults,
        )
        self._idle.append(table)
        if not self._game.target:
            self._end_leg(table, [result], EndOut(table.deal))
            return
        table.game_results.append(result)
        if self._game_is_over(table):
            end = EndOut(table.deal, table.number, tuple(table.scores))
            self._end_leg(table, table.game_results, end)
        else:
            table.number += 1

    def _game_is_over(self, table: Table) -> bool:
        """Add the deal's points and return whether the game has reached its end."""
        points = table.deal.points or (0, 0, 0, 0)
        table.scores = [score + won for score, won in zip(table.scores, points, strict=True)]
        return max(table.scores) >= self._game.target or table.number >= self._game.max_deals

    def _end_leg(self, table: Table, results: list[DealResult], end: EndOut) -> None:
        """Record a leg's deals together, tell its seats, and count what they cost."""
        table.leg = None
        self._ledger.journal += results
        for seat, session in enumerate(table.sessions):
            table_id = table.table_ids[seat]
            if session.seats_open.pop(table_id, None):
                session.ends.append((table_id, end))
                self._flush_if_many(session)
        for result in results:
            for session in self._ledger.count_deal(result, table.sessions):
                self._tell_benched(session)

    def _flush_if_many(self, session: Session) -> None:
        if len(session.starts) + len(session.ends) >= WAITING_STARTS:
            self._flow.flush(session)

    def _tell_benched(self, session: Session) -> None:
        if session.stream:
            detail = "benched: later tables are played by safe actions"
            session.notices.append(NoticeOut("BENCHED", detail))
            self._flow.flush(session)
        self._attendance.bench(session)
        # Nobody waits for it any more, nor does a leg that waited for it.
        self.look_who_is_here()


def charge_later(session: Session, table: Table, seat: int) -> None:
    """Let a session's incident be charged at the seat's next real choice, once a leg."""
    if session.incident_kind and table.incidents[seat] != session.incident:
        table.charges[seat] = (session.incident_kind, session.incident, session.incident_detail)


def _charge(table: Table, seat: int) -> None:
    """Charge a fault that waited for the seat's next real choice."""
    charge = table.charges[seat]
    if charge:
        kind, incident, detail = charge
        table.charges[seat] = None
        table.incidents[seat] = incident
        table.faults.append(Fault(seat, len(table.deal.actions), kind, detail, incident))
