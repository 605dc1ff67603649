"""A referee made of lists: what each stream sends, and what the bot wrote to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from arena.bot.client import Client
from arena.bot.settings import Callbacks, Choose, Settings
from arena.bot.stream import End, StreamEnded
from arena.rules.deal import Deal
from arena.rules.deck import board_start, deal_hands, league_key, parse_seed
from arena.rules.ruleset import BRANDELN
from arena.rules.view import view_of
from arena.v1 import referee_pb2
from arena.wire.game import decision_to_message, ruleset_to_message

KEY = league_key(parse_seed("bot"))
LOST = StreamEnded(End.LOST, "connection refused")


def new_deal(board: int = 1) -> Deal:
    cards, dealer = board_start(KEY, board)
    return Deal(BRANDELN, dealer, deal_hands(cards, dealer))


def decision(number: int, table: int = 1) -> referee_pb2.Decision:
    """A first call, by its own number."""
    deal = new_deal(number)
    view = view_of(deal, deal.turn, random_seed=number)
    return decision_to_message(view, decision_id=number, table=table, move_ms=1000, bank_ms=2000)


def start(table: int, seat: int = 0) -> referee_pb2.TableStart:
    return referee_pb2.TableStart(
        table=table,
        seat=seat,
        ruleset=ruleset_to_message(BRANDELN),
        move_ms=1000,
        bank_ms=2000,
        names=["a", "b", "c", "d"],
    )


WELCOME = referee_pb2.PlayResponse(welcome=referee_pb2.Welcome(session_id="s1"))
SHUTDOWN = referee_pb2.PlayResponse(
    notices=[referee_pb2.Notice(kind=referee_pb2.Notice.KIND_SHUTDOWN, in_ms=1000)]
)


def frame(*numbers: int, table: int = 1) -> referee_pb2.PlayResponse:
    return referee_pb2.PlayResponse(decisions=[decision(number, table) for number in numbers])


Item = referee_pb2.PlayResponse | StreamEnded | bytes


class FakeStream:
    """Sends its items, the next one when all decisions are answered; then ends in good order."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items: Iterator[Item] = iter(items)
        self._open: set[int] = set()
        self._is_answered = asyncio.Event()
        self.written: list[referee_pb2.PlayRequest] = []
        self.has_answers = asyncio.Event()
        self.is_closed = False

    async def read(self) -> bytes | None:
        while self._open:
            self._is_answered.clear()
            await self._is_answered.wait()
        item = next(self._items, None)
        if isinstance(item, StreamEnded):
            raise item
        if isinstance(item, bytes) or item is None:
            return item
        self._open = {decision.id for decision in item.decisions}
        return item.SerializeToString()

    async def write(self, data: bytes) -> None:
        request = referee_pb2.PlayRequest.FromString(data)
        self.written.append(request)
        self._open -= {answer.decision_id for answer in request.answers}
        self._is_answered.set()
        if request.answers:
            self.has_answers.set()

    async def close(self) -> None:
        self.is_closed = True

    @property
    def answers(self) -> list[list[tuple[int, int]]]:
        """The answers of each message after the hello, as ids and actions."""
        return [
            [(answer.decision_id, int(answer.action)) for answer in request.answers]
            for request in self.written[1:]
        ]


@dataclass
class World:
    """Streams to be opened one after another, and a clock that only sleeping moves."""

    streams: list[FakeStream]
    now: float = 100.0
    opened: int = 0
    naps: list[float] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def connect(self) -> FakeStream:
        """The next stream; when all are used up, there is nobody any more."""
        self.opened += 1
        if self.opened > len(self.streams):
            return FakeStream([LOST])
        return self.streams[self.opened - 1]

    async def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds

    def client(
        self, choose: Choose, settings: Settings | None = None, **callbacks: object
    ) -> Client:
        return Client(
            Callbacks(choose, **callbacks),  # type: ignore[arg-type]
            settings or Settings(name="tester", version="7", max_in_flight=5),
            self.connect,
            clock=lambda: self.now,
            sleep=self.sleep,
            say=self.said.append,
        )


def world(*streams: Iterable[Item]) -> World:
    return World([FakeStream(items) for items in streams])
