"""A referee served on loopback, and bots in the test's own hands."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Self

import grpc
import pytest

from arena.referee.referee import Referee
from arena.referee.values import (
    Clock,
    DealResult,
    EntrantSpec,
    Event,
    Fault,
    Game,
    Policy,
)
from arena.rules.deck import league_key, parse_seed
from arena.server.server import RefereeServer
from arena.server.tokens import Tokens
from arena.v1 import referee_pb2
from tests.sim.world import boards_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from arena.referee.attendance import Order

KEY = league_key(parse_seed("served"))
NAMES = ("a", "b", "c", "d")
PLAY = "/arena.v1.RefereeService/Play"
INFO = "/arena.v1.RefereeService/GetServerInfo"
PATIENT = Clock(move_ms=60_000, bank_ms=0, start_ms=60_000)
"""A clock under which nobody is late in a test."""
LIMIT_S = 30.0
"""After this a test that hangs has failed."""


def on_a_loop(
    test: Callable[..., Coroutine[Any, Any, None]],
) -> Callable[..., None]:
    """Run a test on an event loop of its own; nothing may be left on it."""

    @wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        async def whole() -> None:
            async with asyncio.timeout(LIMIT_S):
                await test(*args, **kwargs)
                await nothing_left()

        asyncio.run(whole())

    return run


async def nothing_left() -> None:
    """Fail if a task of the server stays."""
    left: set[asyncio.Task[Any]] = set()
    for _ in range(2000):
        left = {task for task in asyncio.all_tasks() if not _is_spectator(task)}
        if not left:
            return
        await asyncio.sleep(0.001)
    pytest.fail(f"left on the loop: {left}")


def _is_spectator(task: asyncio.Task[Any]) -> bool:
    """Return whether a task is the test itself, or one in which grpc's client awaits a status.

    The latter stays now and then when a call is cancelled whose server has just ended it.
    """
    name = getattr(task.get_coro(), "__qualname__", "")
    return task is asyncio.current_task() or name.startswith("_AioCall.")


@dataclass
class Host:
    """Notes what the server asks of its host."""

    orders: list[Order] = field(default_factory=list)
    hellos: list[tuple[str, referee_pb2.Hello]] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    tick: Callable[[], None] = lambda: None
    ticked: asyncio.Event = field(default_factory=asyncio.Event)

    def on_order(self, order: Order) -> None:
        self.orders.append(order)

    def on_hello(self, name: str, hello: referee_pb2.Hello) -> None:
        self.hellos.append((name, hello))

    def on_failure(self, error: Exception) -> None:
        self.failures.append(error)

    def on_tick(self) -> None:
        self.tick()
        self.ticked.set()


class Serving:
    """A referee of some boards, served; leaving it closes the server and all callers."""

    def __init__(
        self,
        boards: int = 1,
        *,
        clock: Clock = PATIENT,
        policy: Policy | None = None,
        tables: int = 2,
        names: Sequence[str] = NAMES,
        local: bool = False,
        tracers: Mapping[str, Callable[[str, Any], None]] | None = None,
        with_ops: bool = False,
    ) -> None:
        self.host = Host()
        self.referee = Referee(
            [EntrantSpec(name, is_local=local) for name in names],
            boards_of(NAMES, boards, KEY),
            Game(KEY),
            clock=clock,
            policy=policy,
            tables=tables,
        )
        tokens = Tokens({name: token_of(name) for name in names})
        self.server = RefereeServer(self.referee, tokens, self.host, tracers=tracers)
        self.address = ""
        self.callers: list[Caller] = []
        self.playing: list[asyncio.Task[None]] = []
        self.journal: list[DealResult | Event] = []
        self._with_ops = with_ops
        self._is_closed = False

    async def __aenter__(self) -> Self:
        self.address = await self.server.start("127.0.0.1:0", with_ops=self._with_ops)
        self.server.open()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close(0.2)
        for caller in self.callers:
            await caller.leave()
        for task in self.playing:
            task.cancel()
        await asyncio.gather(*self.playing, return_exceptions=True)

    async def close(self, grace_s: float = 2.0) -> None:
        """Close the server, once."""
        if not self._is_closed:
            self._is_closed = True
            await self.server.close("the test is over", grace_s)

    def dial(self, name: str, token: str | None = None) -> Caller:
        """Open a stream as an entrant, without a Hello."""
        metadata = (("authorization", f"Bearer {token or token_of(name)}"),)
        return self.dial_with(metadata)

    def dial_with(self, metadata: tuple[tuple[str, str], ...]) -> Caller:
        """Open a stream with some metadata."""
        caller = Caller(self.address, metadata)
        self.callers.append(caller)
        return caller

    async def greet(self, name: str, **hello: Any) -> Caller:
        """Open a stream as an entrant and say Hello; it has been welcomed and seated."""
        streams = self.referee.by_name[name].streams
        caller = self.dial(name)
        await caller.say(referee_pb2.PlayRequest(hello=referee_pb2.Hello(name=name, **hello)))
        first = await caller.hear()
        assert first is not None
        assert first.HasField("welcome")
        await self.until(lambda: self.referee.by_name[name].streams > streams)
        return caller

    async def play_all(self, *names: str, **hello: Any) -> None:
        """Let entrants play: each answers at once, in the background."""
        for name in names or NAMES:
            self.let_play(await self.greet(name, **hello))

    def let_play(self, caller: Caller) -> None:
        """Let a caller that has been welcomed play in the background."""
        self.playing.append(asyncio.create_task(caller.play()))

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds, looking after each tick of the server."""
        while not condition():
            self.host.ticked.clear()
            await self.host.ticked.wait()

    async def finished(self) -> None:
        """Wait until all boards are played."""
        await self.until(lambda: self.referee.is_finished)

    def taken(self) -> list[DealResult | Event]:
        """Return all that has been journalled so far."""
        self.journal += self.referee.take_journal()
        return self.journal

    @property
    def deals(self) -> list[DealResult]:
        return [entry for entry in self.taken() if isinstance(entry, DealResult)]

    @property
    def events(self) -> list[Event]:
        return [entry for entry in self.taken() if isinstance(entry, Event)]

    @property
    def faults(self) -> list[tuple[str, Fault]]:
        """Who is charged with what."""
        return [(deal.seats[fault.seat], fault) for deal in self.deals for fault in deal.faults]


class Caller:
    """A bot's side of a stream, in bytes."""

    def __init__(self, address: str, metadata: tuple[tuple[str, str], ...]) -> None:
        options = (("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1))
        self.channel = grpc.aio.insecure_channel(address, options=options)
        self.call: Any = self.channel.stream_stream(PLAY)(metadata=metadata)
        self.frames: list[referee_pb2.PlayResponse] = []
        """What has been heard."""
        self.is_cut_off = False
        """Whether the stream ended while an answer was on its way.

        grpc's client then makes up a status of its own and drops what it has not read.
        """

    async def say(self, message: referee_pb2.PlayRequest | bytes) -> None:
        """Send a message."""
        data = message if isinstance(message, bytes) else message.SerializeToString()
        await self.call.write(data)

    async def hear(self) -> referee_pb2.PlayResponse | None:
        """Return the next message, `None` at the end of the stream, however it ends."""
        try:
            data = await self.call.read()
        except grpc.RpcError:
            return None
        if data is grpc.aio.EOF:
            return None
        frame = referee_pb2.PlayResponse.FromString(data)
        self.frames.append(frame)
        return frame

    async def hear_out(self) -> None:
        """Hear until the stream ends."""
        while await self.hear() is not None:
            pass

    async def hear_decisions(self) -> list[referee_pb2.Decision]:
        """Return the decisions of the next frame that has some."""
        while True:
            frame = await self.hear()
            assert frame is not None
            if frame.decisions:
                return list(frame.decisions)

    async def hear_notice(self) -> referee_pb2.Notice:
        """Return the first notice of the next frame that has some."""
        while True:
            frame = await self.hear()
            assert frame is not None
            if frame.notices:
                return frame.notices[0]

    async def answer(self, *decisions: referee_pb2.Decision) -> None:
        """Answer decisions with their first legal action."""
        await self.say(
            referee_pb2.PlayRequest(
                answers=[
                    referee_pb2.Answer(decision_id=decision.id, action=decision.legal[0])
                    for decision in decisions
                ]
            )
        )

    async def play(self) -> None:
        """Answer everything at once until the stream ends."""
        while (frame := await self.hear()) is not None:
            if frame.decisions:
                try:
                    await self.answer(*frame.decisions)
                except (grpc.RpcError, asyncio.InvalidStateError):
                    self.is_cut_off = True
                    return

    @property
    def notices(self) -> list[referee_pb2.Notice]:
        """All notices that have been heard."""
        return [notice for frame in self.frames for notice in frame.notices]

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """Return the status with which the stream has ended."""
        return await self.call.code(), await self.call.details()

    async def leave(self) -> None:
        """Drop the stream and the connection."""
        self.call.cancel()
        await self.channel.close()


def token_of(name: str) -> str:
    """Return an entrant's token."""
    return f"token-of-{name}"
