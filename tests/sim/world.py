"""A world in simulated time: a referee, scripted bots and a wire, without a clock or a socket."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from arena.referee.attendance import OrderKind
from arena.referee.referee import Referee
from arena.referee.session import Session
from arena.referee.values import (
    MS,
    BoardPlan,
    Clock,
    DealResult,
    EntrantSpec,
    Event,
    Game,
    History,
    LegPlan,
    Policy,
)
from arena.rules.deck import league_key, leg_order, parse_seed
from arena.rules.ruleset import BRANDELN
from arena.v1 import referee_pb2
from arena.wire.frames import FrameEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

KEY = league_key(parse_seed("simulated"))


@dataclass(slots=True)
class Reply:
    """What a scripted bot does with a decision; without anything, it stays silent."""

    action: int | None = None
    after_ms: float = 1.0
    garbage: bool = False
    crash: bool = False
    cut_ms: float | None = None
    """Cut the stream and be back after so many ms; negative: never come back."""


def first_legal(decision: referee_pb2.Decision) -> Reply:
    """Answer with the formula of the sample bot `random`."""
    legal = decision.legal
    return Reply(legal[(decision.random_seed + len(decision.actions)) % len(legal)])


@dataclass(slots=True)
class Bot:
    """A scripted bot: what it does with each decision."""

    script: Callable[[referee_pb2.Decision], Reply] = first_legal
    max_in_flight: int = 128
    start_ms: float = 1.0
    """From the start of its process to its Hello; negative: it never says Hello."""
    frames: list[bytes] = field(default_factory=list)
    """Every frame it was sent."""


class World:
    """Runs a referee with scripted bots to the end."""

    def __init__(  # noqa: PLR0913 (a test names what it needs)
        self,
        bots: dict[str, Bot],
        boards: Iterator[BoardPlan],
        *,
        game: Game | None = None,
        clock: Clock | None = None,
        policy: Policy | None = None,
        tables: int = 1,
        thinking: int = 0,
        dials_in: Sequence[str] = (),
        history: History | None = None,
    ) -> None:
        self.bots = bots
        self.game = game or Game(KEY)
        self.clock = clock or Clock()
        self.referee = Referee(
            [EntrantSpec(name, name not in dials_in) for name in bots],
            boards,
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

    def at(self, delay_ms: float, action: Callable[[], None]) -> None:
        """Let something happen after a while."""
        when = self.now + int(delay_ms * MS)
        heapq.heappush(self._events, (when, next(self._order), action))

    def run(self, limit: int = 2_000_000) -> World:
        """Run until the referee has finished or stopped; fail when nothing moves any more."""
        self.referee.open(self.now)
        for session in self.referee.sessions:
            if session.is_local:
                self._start(session.name)
            else:
                self.at(
                    self.bots[session.name].start_ms, lambda name=session.name: self._hello(name)
                )  # type: ignore[misc]
        for _ in range(limit):
            self._settle()
            if self.referee.is_finished or self.referee.stopped:
                return self
            due = self.referee.next_due()
            if self._events and self._events[0][0] <= due:
                self.now, _, action = heapq.heappop(self._events)
                action()
            else:
                assert due < 1 << 62, "nothing will ever happen again"
                self.now = max(due, self.now)
                self.referee.tick(self.now)
        raise AssertionError("the world does not end")

    def _settle(self) -> None:
        while self.referee.ready or self.referee.has_work or self.referee.attendance.orders:
            ready = self.referee.ready[:]
            self.referee.ready.clear()
            for session in ready:
                self._send(session)
            for order in self.referee.take_orders():
                if order.kind is OrderKind.START_PROCESS:
                    self.at(order.delay_ns / MS, lambda name=order.entrant: self._start(name))  # type: ignore[misc]
                elif order.kind is OrderKind.CLOSE_STREAM:
                    session = self.referee.by_name[order.entrant]
                    self.referee.disconnect(session, order.stream, self.now)
                else:
                    self._running.pop(order.entrant, None)
            if self.referee.has_work:
                self.referee.step(self.now)
        self.journal += self.referee.take_journal()

    def _start(self, name: str) -> None:
        self._processes += 1
        process = self._running[name] = self._processes
        self.referee.process_started(name, self.now)
        if self.bots[name].start_ms >= 0:
            self.at(self.bots[name].start_ms, lambda: self._hello(name, process))

    def _hello(self, name: str, process: int = 0) -> None:
        if self._running.get(name, 0) == process:
            self.referee.connect(name, self.now, max_in_flight=self.bots[name].max_in_flight)

    def _send(self, session: Session) -> None:
        frame = self.referee.take_frame(session, self.now)
        if frame is None:
            return
        data = self.encoder.encode(frame)
        bot, stream = self.bots[session.name], session.stream
        bot.frames.append(data)
        message = referee_pb2.PlayResponse.FromString(data)
        for decision in message.decisions:
            self._play(session, stream, bot.script(decision), decision)

    def _play(
        self, session: Session, stream: int, reply: Reply, decision: referee_pb2.Decision
    ) -> None:
        referee = self.referee
        action = reply.action
        if reply.crash:
            self.at(reply.after_ms, lambda: self.crash(session.name))
        elif reply.cut_ms is not None:
            self.at(reply.after_ms, lambda: referee.disconnect(session, stream, self.now))
            if reply.cut_ms >= 0:
                process = self._running.get(session.name, 0)
                back = reply.after_ms + reply.cut_ms
                self.at(back, lambda: self._hello(session.name, process))
        elif reply.garbage:
            self.at(reply.after_ms, lambda: self._garbage(session, stream))
        elif action is not None:
            self.at(reply.after_ms, lambda: self._answer(session, stream, decision.id, action))

    def _answer(self, session: Session, stream: int, decision_id: int, action: int) -> None:
        if session.stream == stream:
            self.referee.receive(session, [(decision_id, action)], self.now)

    def _garbage(self, session: Session, stream: int) -> None:
        if session.stream == stream:
            self.referee.receive_garbage(session, self.now)

    def crash(self, name: str) -> None:
        """End a bot's process."""
        if self._running.pop(name, None):
            self.referee.process_ended(name, "exit code 1", self.now)


def boards_of(names: Sequence[str], boards: int) -> Iterator[BoardPlan]:
    """Return boards of four entrants, each in four legs with the seats moved round."""
    for board in range(1, boards + 1):
        legs = [
            LegPlan(leg, tuple(names[(seat - leg) % 4] for seat in range(4)))  # type: ignore[arg-type]
            for leg in leg_order(KEY, board, 4)
        ]
        yield BoardPlan(board, legs)


def four(**scripted: Bot) -> dict[str, Bot]:
    """Return four bots a, b, c, d, of which some are scripted."""
    return {name: scripted.get(name) or Bot() for name in "abcd"}


__all__ = ["BRANDELN", "Bot", "Reply", "World", "boards_of", "first_legal", "four"]
