"""A referee on a stage: nothing happens and no time passes but what the test says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.referee.attendance import Order, OrderKind
from arena.referee.referee import Referee
from arena.referee.values import (
    MS,
    BoardPlan,
    DealResult,
    EntrantSpec,
    Event,
    Fault,
    Game,
    LegPlan,
)
from arena.rules.actions import Action
from arena.rules.deal import Deal
from arena.rules.safe import safe_action
from tests.sim.world import KEY, boards_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from arena.referee.session import EndOut, NoticeOut, Session, StartOut
    from arena.referee.table import Table


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision as it stood in its frame."""

    id: int
    table: Table
    deal: Deal
    seat: int
    index: int
    """Actions before it."""
    legal: tuple[int, ...]
    move_ms: int
    bank_ms: int


@dataclass(frozen=True, slots=True)
class Sent:
    """A frame as it was sent."""

    name: str
    now: int
    starts: tuple[tuple[int, int, StartOut], ...]
    asked: tuple[Asked, ...]
    ends: tuple[tuple[int, EndOut], ...]
    notices: tuple[NoticeOut, ...]
    frame_ms: int


def calm(asked: Asked) -> int:
    """Return a legal action: a low bid now and then, and mostly not the safe card."""
    legal = asked.legal
    if legal[0] == Action.PASS:
        return legal[asked.index % 3 == 0 and len(legal) > 1]
    return legal[(7 * asked.index + 3) % len(legal)]


class Stage:
    """Four entrants `a` to `d`, local unless they dial in, at as many tables as wanted."""

    def __init__(
        self,
        names: Sequence[str] = "abcd",
        boards: int | Iterator[BoardPlan] = 1,
        *,
        max_in_flight: int = 128,
        dials_in: Iterable[str] = (),
        game: Game | None = None,
        tables: int = 1,
        service_ms: float = 0.02,
        is_set: bool = True,
        **options: Any,
    ) -> None:
        plans = boards_of(names, boards) if isinstance(boards, int) else boards
        remote = set(dials_in)
        specs = [EntrantSpec(name, name not in remote) for name in names]
        self.names = tuple(names)
        self.referee = Referee(specs, plans, game or Game(KEY), tables=tables, **options)
        self.referee.flow.service_ns = int(service_ms * MS)
        self.max_in_flight = max_in_flight
        self.now = 1_000_000_000
        self.sent: list[Sent] = []
        self.asked: dict[int, Asked] = {}
        """Every decision by its id, as it was last sent."""
        self.journal: list[DealResult | Event] = []
        self.orders: list[Order] = []
        if is_set:
            self.open()
            for name in names:
                if name not in remote:
                    self.referee.process_started(name, self.now)
            for name in names:
                self.connect(name)

    # ------------------------------------------------------------------ inputs

    def open(self) -> None:
        self.referee.open(self.now)

    def connect(self, name: str, max_in_flight: int | None = None) -> int:
        """Say Hello; return the stream's number."""
        in_flight = self.max_in_flight if max_in_flight is None else max_in_flight
        _, stream = self.referee.connect(name, self.now, max_in_flight=in_flight)
        self.pull()
        return stream

    def cut(self, name: str) -> None:
        """End a bot's stream."""
        session = self[name]
        self.referee.disconnect(session, session.stream, self.now)
        self.pull()

    def crash(self, name: str) -> None:
        """End a bot's process."""
        self.referee.process_ended(name, "exit code 1", self.now)
        self.pull()

    def restart(self, name: str) -> None:
        """Start a bot's process again; its Hello is still to come."""
        self.referee.process_started(name, self.now)

    def answer(self, asked: Asked, action: int | None = None, *, name: str | None = None) -> None:
        """Answer a decision, with a legal action unless another is named."""
        pair = (asked.id, calm(asked) if action is None else action)
        self.say(name or asked.table.sessions[asked.seat].name, [pair])

    def say(self, name: str, answers: Sequence[tuple[int, int]]) -> None:
        """Send a message of answers."""
        self.referee.receive(self[name], answers, self.now)
        self.pull()

    def garbage(self, name: str) -> None:
        """Send bytes that are no message."""
        self.referee.receive_garbage(self[name], self.now)
        self.pull()

    def wait(self, ms: float, *, judge: bool = True) -> None:
        """Let time pass, and let the referee judge whenever something is due."""
        end = self.now + int(ms * MS)
        while judge and (due := self.referee.next_due()) <= end:
            self.now = max(self.now, due)
            self.tick()
            if self.referee.next_due() <= due:
                break
        self.now = end
        if judge:
            self.tick()

    def tick(self, looked: int | None = None) -> None:
        self.referee.tick(self.now, looked)
        self.pull()

    # ------------------------------------------------------------------ outputs

    def pull(self) -> None:
        """Take out all that the referee has for anybody."""
        referee = self.referee
        while referee.ready or referee.has_work:
            ready = referee.ready[:]
            referee.ready.clear()
            for session in ready:
                self.take(session)
            referee.step(self.now)
        self.orders += referee.take_orders()
        self.journal += referee.take_journal()

    def take(self, session: Session) -> None:
        frame = self.referee.take_frame(session, self.now)
        if frame is None:
            return
        asked = tuple(
            Asked(
                table.ask_id,
                table,
                table.deal,
                table.deal.turn,
                len(table.deal.actions),
                tuple(table.deal.legal_actions()),
                *times,
            )
            for table, times in zip(frame.tables, frame.times_ms, strict=True)
        )
        self.asked |= {each.id: each for each in asked}
        self.sent.append(
            Sent(
                session.name,
                self.now,
                tuple(frame.starts),
                asked,
                tuple(frame.ends),
                tuple(frame.notices),
                frame.frame_ms,
            )
        )

    def __getitem__(self, name: str) -> Session:
        return self.referee.by_name[name]

    def frames(self, name: str, *, asking: bool = True) -> list[Sent]:
        """Return the frames that a bot was sent, only those with decisions unless told."""
        return [f for f in self.sent if f.name == name and (f.asked or not asking)]

    def open_of(self, name: str) -> list[Asked]:
        """Return a bot's open decisions, oldest first, as they were last sent."""
        return [self.asked[key] for key in self[name].open]

    def oldest(self, name: str) -> Asked:
        """Return a bot's oldest open decision."""
        return self.asked[next(iter(self[name].open))]

    def notices(self, name: str, kind: str = "FAULT") -> list[NoticeOut]:
        return [n for f in self.sent if f.name == name for n in f.notices if n.kind == kind]

    @property
    def deals(self) -> list[DealResult]:
        return [entry for entry in self.journal if isinstance(entry, DealResult)]

    @property
    def events(self) -> list[Event]:
        return [entry for entry in self.journal if isinstance(entry, Event)]

    @property
    def starts(self) -> list[Order]:
        """Return the orders to start a process."""
        return [order for order in self.orders if order.kind is OrderKind.START_PROCESS]

    def faults(self, name: str = "") -> list[Fault]:
        """Return an entrant's faults (or all), those of deals in progress too."""
        found = [(result.seats, fault) for result in self.deals for fault in result.faults]
        for table in self.referee.tables.in_play:
            for result in table.game_results:
                found += [(result.seats, fault) for fault in result.faults]
            if table.leg and not table.deal.is_over:
                found += [(table.leg.seats, fault) for fault in table.faults]
        return [fault for seats, fault in found if name in ("", seats[fault.seat])]

    # ------------------------------------------------------------------ playing

    def play(
        self,
        until: Callable[[], object] = lambda: False,
        *,
        silent: str = "",
        ms: float = 0,
        limit: int = 20_000,
    ) -> None:
        """Let all but the silent ones answer, oldest first, until something holds.

        `ms` passes before each answer. Ends too when nobody has anything to answer.
        """
        for _ in range(limit):
            if until():
                return
            asked = next(
                (self.oldest(name) for name in self.names if self._can(name, silent)), None
            )
            if asked is None:
                return
            self.now += int(ms * MS)
            self.answer(asked)
        raise AssertionError("it goes on and on")

    def _can(self, name: str, silent: str) -> bool:
        session = self[name]
        return name not in silent and bool(session.stream) and bool(session.open)

    def live(self, ms: int, *, silent: str) -> None:
        """Let time pass while all but the silent ones answer at once."""
        for _ in range(0, ms, 500):
            self.play(silent=silent)
            self.wait(500)
        self.play(silent=silent)

    def is_finished(self) -> bool:
        return self.referee.is_finished

    def ask(self, name: str) -> Asked:
        """Let the others play until a bot has open decisions, and return its oldest."""
        self.play(lambda: self[name].open, silent=name)
        assert self[name].open, f"{name} is not asked"
        return self.oldest(name)

    def ask_many(self, name: str, least: int) -> list[Asked]:
        """Let a bot answer until a frame of at least so many decisions is out."""
        for _ in range(1000):
            self.play(lambda: len(self[name].open) + len(self[name].outbox) > least, silent=name)
            if len(self[name].open) >= least:
                return self.open_of(name)
            for asked in self.open_of(name):
                self.answer(asked)
        raise AssertionError(f"{name} is never asked {least} at once")


def was_safe(asked: Asked) -> bool:
    """Return whether the safe action was played in a decision's place."""
    deal = asked.deal
    again = Deal(deal.ruleset, deal.dealer, deal.hands)
    for action in deal.actions[: asked.index]:
        again.push(action)
    return len(deal.actions) > asked.index and deal.actions[asked.index] == safe_action(again)


def duel_boards(boards: int) -> Iterator[BoardPlan]:
    """Return boards of a duel between `a` and `b`, two legs each."""
    for board in range(1, boards + 1):
        yield BoardPlan(board, [LegPlan(0, ("a", "b", "a", "b")), LegPlan(1, ("b", "a", "b", "a"))])
