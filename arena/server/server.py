"""The grpc.aio shell round the referee: it carries bytes and time in and out, and decides nothing.

Everything here runs on one event loop. Nothing slow does: writing a record, compressing and
statistics belong to the caller's own threads.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

import grpc

from arena.address import loopback_host
from arena.errors import MachineError
from arena.printable import printable
from arena.referee.attendance import OrderKind
from arena.referee.referee import MAX_VIOLATIONS
from arena.referee.session import NEVER
from arena.referee.values import MS
from arena.server.clockwork import Clockwork
from arena.server.options import server_options
from arena.server.status import Refusal
from arena.server.stream import MAX_IN_FLIGHT, Stream
from arena.v1 import referee_pb2
from arena.version import __version__
from arena.wire.frames import (
    MAX_MESSAGE_BYTES,
    PROTOCOL_VERSION,
    FrameEncoder,
)
from arena.wire.game import ruleset_to_message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena.referee.attendance import Order
    from arena.referee.referee import Referee
    from arena.referee.session import Session
    from arena.server.tokens import Tokens

SERVICE: Final = "arena.v1.RefereeService"
OPENS_A_SECOND: Final = 50
"""Streams that one token may open in a second; opening costs the referee time."""
FAREWELL_S: Final = 2.0
"""How long bots have to take their last frame."""

_log = logging.getLogger("arena.server")


class Host(Protocol):
    """What the caller does for the shell."""

    def on_order(self, order: Order) -> None:
        """Start or kill a process."""

    def on_hello(self, name: str, hello: referee_pb2.Hello) -> None:
        """Note what a bot says of itself."""

    def on_failure(self, error: Exception) -> None:
        """End the run: the referee itself has failed, and what it holds may be wrong."""

    def on_tick(self) -> None:
        """Do a little work, some hundred times a second: take the journal, look who is late."""


class RefereeServer:
    """Serves a referee to bots."""

    def __init__(
        self,
        referee: Referee,
        tokens: Tokens,
        host: Host,
        *,
        tracers: Mapping[str, Callable[[str, Any], None]] | None = None,
    ) -> None:
        self.referee = referee
        self.tracers = tracers or {}
        self.clockwork = Clockwork(referee, judge=self._judge, after_tick=self._after_tick)
        self._tokens = tokens
        self._host = host
        self._encoder = FrameEncoder(referee.game, referee.clock)
        self._streams: dict[int, Stream] = {}
        """The stream that holds each session, by the session's index."""
        self._all_streams: set[Stream] = set()
        self._opens: Counter[str] = Counter()
        self._opens_second = 0.0
        self._handlers: set[asyncio.Task[Any]] = set()
        self._server: grpc.aio.Server | None = None
        self._is_stepping = False
        self._is_closing = False
        self._at_work = _AtWork(host)
        clock = referee.clock
        # A bot that does not read is found by its clock; without one, nobody is.
        self._write_limit_ns = (3 * clock.move_ms + clock.bank_ms) * MS or NEVER

    # ------------------------------------------------------------------ start and stop

    async def start(self, address: str, *, with_ops: bool = True) -> str:
        """Listen on `host:port` (port 0: any) and return the address with the port.

        Raises `MachineError` when the port is taken and `ConfigError` for an address that is not
        on this machine, since bots' tokens would travel in plain text.
        """
        host = loopback_host(address)
        self._server = server = grpc.aio.server(options=server_options(self.referee.clock))
        handlers = {
            "Play": grpc.stream_stream_rpc_method_handler(self._play),
            "GetServerInfo": grpc.unary_unary_rpc_method_handler(
                self._info,
                request_deserializer=referee_pb2.GetServerInfoRequest.FromString,
                response_serializer=referee_pb2.GetServerInfoResponse.SerializeToString,
            ),
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
        if with_ops:
            from arena.server.ops import add_ops

            await add_ops(server, SERVICE)
        try:
            port = server.add_insecure_port(address)
        except RuntimeError as error:
            msg = f"cannot listen on {address}"
            hint = "stop the program that uses the port, or set server.address to port 0"
            raise MachineError(msg, why="the port is taken", hint=hint) from error
        await server.start()
        self.clockwork.start()
        return f"{host}:{port}"

    async def close(self, detail: str, grace_s: float = FAREWELL_S) -> None:
        """Say goodbye to all bots, end their streams and stop listening."""
        self._is_closing = True
        self.referee.say_goodbye(int(grace_s * 1000), detail)
        for stream in list(self._all_streams):
            stream.finish()
        if self._handlers:
            await asyncio.wait(self._handlers, timeout=grace_s)
        self.clockwork.stop()
        if self._server:
            await self._server.stop(grace_s / 2)
        # `stop` returns before the handlers have ended (GRPC, Streams).
        if self._handlers:
            await asyncio.wait(self._handlers, timeout=grace_s)

    # ------------------------------------------------------------------ the calls

    async def _play(
        self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 (a handler is a task)
        self._handlers.add(task)
        try:
            refusal = await self._serve_safely(context)
            if refusal:
                await _abort(context, refusal)
        finally:
            self._handlers.discard(task)

    async def _serve_safely(
        self, context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> Refusal | None:
        """Serve a stream; whatever fails in it must not touch another."""
        try:
            return await self._serve(context)
        except (grpc.RpcError, grpc.aio.BaseError) as error:
            # The call is gone: its bot has cancelled it, or broke off.
            _log.info("a stream broke: %s", error)
            return None
        except Exception:  # noqa: BLE001 (see above)
            _log.exception("serving a stream failed; the others go on")
            return Refusal.ARENA_FAULT

    async def _serve(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> Refusal | None:
        name = self._tokens.entrant_of(context.invocation_metadata())
        if name is None:
            return Refusal.NO_TOKEN
        if self._is_closing:
            return Refusal.IS_OVER
        if not self._may_open(name):
            return Refusal.TOO_MANY_OPENS
        stream = Stream(self, name, context)
        self._all_streams.add(stream)
        try:
            return await stream.run(self.referee.clock.start_ms / 1000)
        finally:
            self._all_streams.discard(stream)

    async def _info(self, _request: object, _context: object) -> referee_pb2.GetServerInfoResponse:
        return referee_pb2.GetServerInfoResponse(
            server=f"arena {__version__}",
            protocol_versions=[PROTOCOL_VERSION],
            rulesets=[ruleset_to_message(self.referee.game.ruleset)],
            limits=_limits(MAX_IN_FLIGHT),
        )

    def _may_open(self, name: str) -> bool:
        second = monotonic() // 1
        if second != self._opens_second:
            self._opens_second = second
            self._opens.clear()
        self._opens[name] += 1
        return self._opens[name] <= OPENS_A_SECOND

    # ------------------------------------------------------------------ what streams call

    def welcome(self, stream: Stream) -> bytes:
        """Return the answer to a stream's Hello."""
        return referee_pb2.PlayResponse(
            welcome=referee_pb2.Welcome(
                session_id=f"{stream.name}-{self.referee.by_name[stream.name].streams + 1}",
                protocol_version=PROTOCOL_VERSION,
                limits=_limits(stream.max_in_flight),
                server=f"arena {__version__}",
            )
        ).SerializeToString()

    def seat(self, stream: Stream) -> None:
        """Give a stream its session; an older stream of the same entrant is closed."""
        index = self.referee.by_name[stream.name].index
        older = self._streams.get(index)
        if older:
            older.close(Refusal.REPLACED)
        self._streams[index] = stream
        if stream.hello:
            self._host.on_hello(stream.name, stream.hello)
        now = self.clockwork.now()
        in_flight = stream.max_in_flight
        with self._at_work:
            session, number = self.referee.connect(stream.name, now, max_in_flight=in_flight)
        stream.session, stream.number = session, number
        hello = stream.hello or referee_pb2.Hello()
        said = " ".join(printable(text) for text in (hello.name, hello.version, hello.sdk))
        _log.info("%s: stream %d is up (%s)", stream.name, number, said)
        self._dispatch()

    def stream_ended(self, stream: Stream) -> None:
        """Note that a stream's bot sends no more."""
        session = stream.session
        if session and not self._is_closing and session.stream == stream.number:
            _log.info("%s: stream %d has ended", stream.name, stream.number)
            with self._at_work:
                self.referee.disconnect(session, stream.number, self.clockwork.now())
            self._dispatch()

    def unseat(self, stream: Stream) -> None:
        """Forget a stream that is over."""
        self.stream_ended(stream)
        if stream.session and self._streams.get(stream.session.index) is stream:
            del self._streams[stream.session.index]

    def next_frame(self, session: Session) -> bytes | None:
        """Return the session's next frame, encoded; the clocks in it start now."""
        now = self.clockwork.now()
        with self._at_work:
            frame = self.referee.take_frame(session, now)
            if frame is None:
                return None
            data = self._encoder.encode(frame)
        self.clockwork.served(now, 0)
        return data

    def receive(self, session: Session, answers: Sequence[tuple[int, int]]) -> None:
        """Hand answers to the referee and let go what they set free."""
        now = self.clockwork.now()
        with self._at_work:
            self.referee.receive(session, answers, now)
        self._dispatch()
        self.clockwork.served(now, len(answers))

    def receive_garbage(self, session: Session) -> None:
        """Hand on that bytes came which are no message."""
        with self._at_work:
            self.referee.receive_garbage(session, self.clockwork.now())
        self._dispatch()

    def violate(self, session: Session, detail: str) -> None:
        """Hand on a protocol violation."""
        with self._at_work:
            self.referee.violate(session, detail, self.clockwork.now())
        self._dispatch()

    # ------------------------------------------------------------------ what the host calls

    def open(self) -> None:
        """Open the run."""
        self.referee.open(self.clockwork.now())
        self._dispatch()

    def process_started(self, name: str) -> None:
        """Note that a local bot's process has been spawned."""
        self.referee.process_started(name, self.clockwork.now())

    def process_ended(self, name: str, detail: str) -> None:
        """Note that a local bot's process has ended."""
        if not self._is_closing:
            with self._at_work:
                self.referee.process_ended(name, detail, self.clockwork.now())
            self._dispatch()

    # ------------------------------------------------------------------ inside

    def _judge(self, now: int, looked: int) -> None:
        with self._at_work:
            self.referee.tick(now, looked)

    def _dispatch(self) -> None:
        """Carry out what the referee wants after an input."""
        referee = self.referee
        ready = referee.flow.ready
        if ready:
            for session in ready:
                stream = self._streams.get(session.index)
                if stream:
                    stream.wake()
            ready.clear()
        if referee.attendance.orders:
            for order in referee.take_orders():
                self._carry_out(order)
        if referee.has_work and not self._is_stepping:
            self._is_stepping = True
            asyncio.get_running_loop().call_soon(self._step)

    def _step(self) -> None:
        """Start legs, with a turn of the loop between some and the next."""
        self._is_stepping = False
        with self._at_work:
            self.referee.step(self.clockwork.now())
        self._dispatch()

    def _carry_out(self, order: Order) -> None:
        if order.kind is not OrderKind.CLOSE_STREAM:
            self._host.on_order(order)
            return
        session = self.referee.by_name[order.entrant]
        stream = self._streams.get(session.index)
        if stream and stream.number == order.stream:
            stream.close(Refusal.VIOLATIONS)

    def _after_tick(self) -> None:
        self._dispatch()
        now = self.clockwork.now()
        for stream in self._all_streams:
            if stream.writing_since and now - stream.writing_since > self._write_limit_ns:
                _log.warning("%s: does not read what it is sent; its stream is cut", stream.name)
                stream.writing_since = 0
                stream.cut()
        self._host.on_tick()


async def _abort(context: grpc.aio.ServicerContext[bytes, bytes], refusal: Refusal) -> None:
    """End a call with a status, unless it is gone already."""
    try:
        async with asyncio.timeout(FAREWELL_S):
            await context.abort(refusal.code, refusal.text)
    except TimeoutError:
        _log.info("a stream does not take its status: %s", refusal.text)
    except grpc.aio.AbortError:
        raise  # that is how grpc ends the handler
    except grpc.aio.BaseError as error:
        _log.info("a stream was gone before it was told: %s: %s", refusal.text, error)


class _AtWork:
    """Tells the host of an exception of the referee and lets it pass on.

    What a stream does wrong by itself ends that stream; a referee that has failed ends the run.
    """

    __slots__ = ("_host",)

    def __init__(self, host: Host) -> None:
        self._host = host

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if isinstance(error, Exception):
            self._host.on_failure(error)


def _limits(max_in_flight: int) -> referee_pb2.Limits:
    return referee_pb2.Limits(
        max_message_bytes=MAX_MESSAGE_BYTES,
        max_in_flight=max_in_flight,
        max_violations=MAX_VIOLATIONS,
    )
