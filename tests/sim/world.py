"""A world in simulated time: a referee, scripted bots and a wire, without a clock or a socket."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final

from arena.league import schedule
from arena.league.plans import board_plans
from arena.referee.attendance import OrderKind
from arena.referee.referee import Referee
from arena.referee.values import (
    MS,
    BoardPlan,
    Clock,
    DealResult,
    EntrantSpec,
    Event,
    Game,
    LegPlan,
)
from arena.rules.deck import league_key, leg_order, parse_seed
from arena.v1 import referee_pb2
from arena.wire.frames import FrameEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from arena.league.legs import DoneLegs
    from arena.referee.session import Session
    from arena.referee.values import History, Policy

SEED: Final = parse_seed("simulated")
KEY: Final = league_key(SEED)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a scripted bot does with a decision; without anything, it stays silent."""

    action: int | None = None
    after_ms: float = 1.0
    garbage: bool = False
    crash: bool = False
    cut_ms: float | None = None
    """Cut the stream and be back after so many ms; negative: never come back."""
    again: int | None = None
    """Another answer to the same decision, right after the first."""
    replace: bool = False
    """Open another stream under the same token, without a word on the old one."""


def chosen(decision: referee_pb2.Decision) -> int:
    """Return what the sample bot `random` chooses: a pure function of the decision."""
    legal = decision.legal
    return legal[(decision.random_seed + len(decision.actions)) % len(legal)]


def steady(decision: referee_pb2.Decision) -> Reply:
    """Choose as `random` does, in a millisecond."""
    return Reply(chosen(decision))


@dataclass(slots=True)
class Bot:
    """A scripted bot: what it does with each decision."""

    script: Callable[[referee_pb2.Decision], Reply] = steady
    max_in_flight: int = 128
    start_ms: float = 1.0
    """From the start of its process to its Hello; negative: it never says Hello."""
    restart_ms: float = 1.0
    """The same for every later process."""
    frames: list[bytes] = field(default_factory=list)
    """Every frame it was sent."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A seat that was in a deal when its bot's process ended."""

    crash: int
    """Counted from 1, over the entrant's processes."""
    board: int
    leg: int
    number: int
    seat: int
    index: int
    """Actions before."""
    is_open: bool
    """Whether its decision was waiting for an answer."""


class World:
    """Runs a referee with scripted bots to the end."""

    def __init__(
        self,
        bots: dict[str, Bot],
        boards: Iterable[BoardPlan],
        *,
        game: Game | None = None,
        clock: Clock | None = None,
        policy: Policy | None = None,
        tables: int = 1,
        thinking: int = 0,
        dials_in: Sequence[str] = (),
        history: History | None = None,
        check: Callable[[World], None] | None = None,
    ) -> None:
        self.bots = bots
        self.game = game or Game(KEY)
        self.clock = clock or Clock()
        self.referee = Referee(
            [EntrantSpec(name, name not in dials_in) for name in bots],
            iter(boards),
            self.game,
            clock=self.clock,
            policy=policy,
            tables=tables,
            thinking=thinking,
            history=history,
        )
        self.encoder = FrameEncoder(self.game, self.clock)
        self.now = 1_000_000_000
        self.journal: list[DealResult | Event] = []
        self.crashes: dict[str, int] = dict.fromkeys(bots, 0)
        """Processes that ended by themselves, by entrant."""
        self.cuts: dict[str, int] = dict.fromkeys(bots, 0)
        """Streams that were cut, by entrant."""
        self.hits: list[tuple[str, Hit]] = []
        """Seats in play when their bot's process ended."""
        self.frames_in_order: list[tuple[str, bytes]] = []
        self._check = check
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._order = count()
        self._running: dict[str, int] = {}
        """The number of each bot's process."""
        self._processes = 0

    @property
    def deals(self) -> list[DealResult]:
        return [entry for entry in self.journal if isinstance(entry, DealResult)]

    @property
    def events(self) -> list[Event]:
        return [entry for entry in self.journal if isinstance(entry, Event)]

    # ------------------------------------------------------------------ time

    def at(self, delay_ms: float, action: Callable[[], None]) -> None:
        """Let something happen after a while."""
        when = self.now + int(delay_ms * MS)
        heapq.heappush(self._events, (when, next(self._order), action))

    def run(self, limit: int = 2_000_000, until: Callable[[], bool] = lambda: False) -> World:
        """Run until the referee has finished or stopped; fail when nothing moves any more."""
        self.referee.open(self.now)
        for session in self.referee.sessions:
            if not session.is_local:
                self.at(self.bots[session.name].start_ms, partial(self.hello, session.name))
            elif not session.is_benched:
                self._start(session.name)
        referee = self.referee
        for _ in range(limit):
            self._settle()
            if referee.is_finished or referee.stopped or until():
                self._finish()
                return self
            due = referee.next_due()
            if self._events and self._events[0][0] <= due:
                self.now, _, action = heapq.heappop(self._events)
                action()
            else:
                assert due < 1 << 62, "nothing will ever happen again"
                self.now = max(due, self.now)
                referee.tick(self.now)
        raise AssertionError("the world does not end")

    def _settle(self) -> None:
        referee = self.referee
        while referee.ready or referee.has_work or referee.attendance.orders:
            ready = referee.ready[:]
            referee.ready.clear()
            for session in ready:
                self._send(session)
            for order in referee.take_orders():
                name = order.entrant
                if order.kind is OrderKind.START_PROCESS:
                    self.at(order.delay_ns / MS, partial(self._start, name))
                elif order.kind is OrderKind.CLOSE_STREAM:
                    referee.disconnect(referee.by_name[name], order.stream, self.now)
                    self.at(5, partial(self.hello, name, self._running.get(name, 0)))
                else:
                    self._running.pop(name, None)
            referee.step(self.now)
        if self._check:
            self._check(self)
        self.journal += referee.take_journal()

    def _finish(self) -> None:
        """Do what the shell does when the run is over."""
        self.referee.close_books()
        self.journal += self.referee.take_journal()
        self.referee.say_goodbye(2000, "the run is over")
        for session in self.referee.ready:
            self._send(session)
        self.referee.ready.clear()

    # ------------------------------------------------------------------ what bots do

    def _start(self, name: str) -> None:
        self._processes += 1
        process = self._running[name] = self._processes
        self.referee.process_started(name, self.now)
        bot = self.bots[name]
        hello_ms = bot.restart_ms if self.crashes[name] else bot.start_ms
        if hello_ms >= 0:
            self.at(hello_ms, partial(self.hello, name, process))

    def hello(self, name: str, process: int = 0) -> None:
        """Open a stream, unless the process that would has ended."""
        if self._running.get(name, 0) == process:
            self.referee.connect(name, self.now, max_in_flight=self.bots[name].max_in_flight)

    def hello_again(self, name: str) -> None:
        """Open a stream from whatever process there is; it replaces the one that is up."""
        session = self.referee.by_name[name]
        if not session.is_local or name in self._running:
            self.hello(name, self._running.get(name, 0))

    def cut(self, name: str, stream: int = 0, back_ms: float = -1) -> None:
        """End a stream, the one that is up unless another is named."""
        session = self.referee.by_name[name]
        if session.stream and stream in (0, session.stream):
            self.cuts[name] += 1
            self.referee.disconnect(session, session.stream, self.now)
            if back_ms >= 0:
                self.at(back_ms, partial(self.hello, name, self._running.get(name, 0)))

    def crash(self, name: str, process: int = 0) -> None:
        """End a bot's process, if it runs."""
        if name in self._running and process in (0, self._running[name]):
            self.crashes[name] += 1
            self._note_hits(name)
            del self._running[name]
            self.referee.process_ended(name, "exit code 1", self.now)

    def _note_hits(self, name: str) -> None:
        session = self.referee.by_name[name]
        for table in self.referee.tables.in_play:
            if table.leg is None or table.deal.is_over:
                continue
            for seat in table.seats_of(session):
                if not table.autopilot[seat]:
                    place = table.board, table.leg.leg, table.number, seat
                    is_open = table.deal.turn == seat
                    hit = Hit(self.crashes[name], *place, len(table.deal.actions), is_open)
                    self.hits.append((name, hit))

    def _send(self, session: Session) -> None:
        frame = self.referee.take_frame(session, self.now)
        if frame is None:
            return
        data = self.encoder.encode(frame)
        bot, stream = self.bots[session.name], session.stream
        bot.frames.append(data)
        self.frames_in_order.append((session.name, data))
        message = referee_pb2.PlayResponse.FromString(data)
        assert len(message.decisions) <= session.max_in_flight, "a bot gets what it asks for"
        for decision in message.decisions:
            self._play(session, stream, bot.script(decision), decision.id)

    def _play(self, session: Session, stream: int, reply: Reply, decision_id: int) -> None:
        name, process = session.name, self._running.get(session.name, 0)
        if reply.crash:
            self.at(reply.after_ms, partial(self.crash, name, process))
        elif reply.cut_ms is not None:
            self.at(reply.after_ms, partial(self.cut, name, stream, reply.cut_ms))
        elif reply.replace:
            self.at(reply.after_ms, partial(self.hello_again, name))
        elif reply.garbage:
            self.at(reply.after_ms, partial(self.garbage, name, stream))
        for action in (reply.action, reply.again):
            if action is not None:
                answer = decision_id, action
                self.at(reply.after_ms, partial(self.answer, name, stream, answer))

    def answer(self, name: str, stream: int, answer: tuple[int, int]) -> None:
        """Answer a decision, unless the stream is down."""
        session = self.referee.by_name[name]
        if session.stream and stream in (0, session.stream):
            self.referee.receive(session, [answer], self.now)

    def garbage(self, name: str, stream: int = 0) -> None:
        """Send bytes that are no message."""
        session = self.referee.by_name[name]
        if session.stream and stream in (0, session.stream):
            self.referee.receive_garbage(session, self.now)


def boards_of(names: Sequence[str], boards: int, key: bytes = KEY) -> Iterator[BoardPlan]:
    """Return boards of four entrants, each in four legs with the seats moved round."""
    for board in range(1, boards + 1):
        legs = [
            LegPlan(leg, tuple(names[(seat - leg) % 4] for seat in range(4)))  # type: ignore[arg-type]
            for leg in leg_order(key, board, 4)
        ]
        yield BoardPlan(board, legs)


def plans(
    play: str,
    names: Sequence[str],
    passes: int,
    done: DoneLegs | None = None,
    *,
    field: Sequence[str] = (),
) -> Iterator[BoardPlan]:
    """Return a league's boards as SCHEDULE says, without the legs that are done."""
    return board_plans(
        schedule.Play(play), names, KEY, field=tuple(field), passes=passes, done=done
    )


def four(**scripted: Bot) -> dict[str, Bot]:
    """Return four bots a, b, c, d, of which some are scripted."""
    return {name: scripted.get(name) or Bot() for name in "abcd"}
