"""One bot's stream: a reader task and a writer task, and nothing else that touches it.

The reader hands each message to the referee as soon as it is read, so that nothing that has
arrived waits while the referee judges. The writer takes a frame at the moment it can be written.
Reads have no timeout (a cancelled read loses messages), writes are always awaited (two at once
lose messages); what waits for a bot is bounded by the tables it sits at.
"""

from __future__ import annotations

import asyncio
import logging
from time import monotonic_ns
from typing import TYPE_CHECKING, Any, Final

import grpc

from arena.errors import MalformedFrame
from arena.printable import printable
from arena.server.status import Refusal
from arena.v1 import referee_pb2
from arena.wire.frames import PROTOCOL_VERSION, answers_from_bytes, request_from_bytes

if TYPE_CHECKING:
    from arena.referee.session import Session
    from arena.server.server import RefereeServer

TEXT_LENGTH: Final = 64
"""Characters of a name, version or label in Hello."""
REASON_LENGTH: Final = 200
"""Characters of a goodbye's reason that are logged."""
MAX_IN_FLIGHT: Final = 128
STRAY_A_MESSAGE: Final = 8
"""Answers in one message that answer nothing, from which on they cost their sender time."""
TOLL: Final = 9
"""How many times what they took."""
LONGEST_TOLL_NS: Final = 250_000_000

_log = logging.getLogger("arena.server")


class Stream:
    """A stream whose token has been checked, from its Hello to its end."""

    def __init__(
        self,
        server: RefereeServer,
        name: str,
        context: grpc.aio.ServicerContext[bytes, bytes],
    ) -> None:
        self.name = name
        self.session: Session | None = None
        self.number = 0
        self.hello: referee_pb2.Hello | None = None
        self.writing_since = 0
        """When the frame that is being written was begun, in ns; 0 while none is."""
        self._server = server
        self._context = context
        self._wake = asyncio.Event()
        self._hello: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        self._seated = asyncio.Event()
        """Set once it is clear whether the stream has a session."""
        self._task: asyncio.Task[Any] | None = None
        self._has_ended = False
        self._closing: Refusal | None = None
        self._is_finishing = False
        self._trace = server.tracers.get(name)

    async def run(self, hello_timeout_s: float) -> Refusal | None:
        """Serve the stream; return why it ends, `None` for a good end."""
        self._task = asyncio.current_task()
        reader = asyncio.create_task(self._read(), name=f"read {self.name}")
        try:
            try:
                first = await asyncio.wait_for(self._hello, hello_timeout_s)
            except TimeoutError:
                return Refusal.NO_HELLO
            refusal = self._check_hello(first)
            if refusal or first is None:
                return refusal
            welcome = self._server.welcome(self)
            if self._trace:
                self._trace("sent", referee_pb2.PlayResponse.FromString(welcome))
            await self._context.write(welcome)
            self._server.seat(self)
            self._seated.set()
            return await self._write()
        except asyncio.CancelledError:
            if self._closing is not Refusal.NOT_READING or self._task is None:
                raise
            # Cancelled by `cut` and not by grpc: the bot is to be told that its stream is over.
            self._task.uncancel()
            return self._closing
        finally:
            self._server.unseat(self)
            self._seated.set()
            reader.cancel()
            # The reader is awaited so that no task outlives its stream.
            await asyncio.gather(reader, return_exceptions=True)

    def wake(self) -> None:
        """Let the writer look for a frame."""
        self._wake.set()

    def close(self, refusal: Refusal) -> None:
        """End the stream with a status, soon."""
        self._closing = refusal
        self._wake.set()

    def cut(self) -> None:
        """End the stream at once, whatever its writer waits for."""
        if self._task:
            self._closing = Refusal.NOT_READING
            self._task.cancel()

    def finish(self) -> None:
        """End the stream well, after what still waits for the bot."""
        self._is_finishing = True
        self._wake.set()

    async def _write(self) -> Refusal | None:
        server, session, context = self._server, self.session, self._context
        assert session is not None  # noqa: S101 (seated by `run`)
        wake = self._wake
        while True:
            await wake.wait()
            wake.clear()
            while not self._closing and not self._has_ended:
                data = server.next_frame(session)
                if data is None:
                    break
                if self._trace:
                    self._trace("sent", referee_pb2.PlayResponse.FromString(data))
                self.writing_since = self._server.clockwork.now()
                await context.write(data)
                self.writing_since = 0
            if self._closing is Refusal.REPLACED:
                await context.write(_REPLACED_NOTICE)
            if self._closing or self._has_ended or self._is_finishing:
                return self._closing

    async def _read(self) -> None:
        context = self._context
        try:
            while True:
                data: Any = await context.read()
                if data is grpc.aio.EOF:
                    break
                if self.session:
                    toll_ns = self._take_for_a_toll(data, self.session)
                    if toll_ns:
                        await asyncio.sleep(toll_ns / 1e9)
                else:
                    if not self._hello.done():
                        self._hello.set_result(data)
                    # What comes right behind Hello is read once there is a session to take it.
                    await self._seated.wait()
                if self._has_ended:
                    break
        except Exception:  # noqa: BLE001 (whatever fails in one stream must not touch another)
            _log.exception("%s: reading failed; the other streams go on", self.name)
            self._closing = Refusal.ARENA_FAULT
        finally:
            self._has_ended = True
            if not self._hello.done():
                self._hello.set_result(None)
            self._server.stream_ended(self)
            self._wake.set()

    def _take_for_a_toll(self, data: bytes, session: Session) -> int:
        """Hand a message to the referee; return for how many ns no more is read from this bot.

        Answers that answer nothing cost the referee time and nobody a fault. Their sender pays
        with his own time, so that a flood takes a tenth of the loop and not all of it.
        """
        stray, begin = session.noise + session.violations, monotonic_ns()
        self._take(data)
        if session.noise + session.violations - stray < STRAY_A_MESSAGE:
            return 0
        return min((monotonic_ns() - begin) * TOLL, LONGEST_TOLL_NS)

    def _take(self, data: bytes) -> None:
        """Hand a message to the referee."""
        server, session = self._server, self.session
        assert session is not None  # noqa: S101 (the caller has looked)
        if self.number != session.stream:
            return  # replaced: what comes on the old stream is ignored
        answers = answers_from_bytes(data)
        if answers is not None and not self._trace:
            server.receive(session, answers)
            return
        try:
            request = request_from_bytes(data)
        except MalformedFrame:
            server.receive_garbage(session)
            return
        if self._trace:
            self._trace("received", request)
        if request.HasField("hello"):
            server.violate(session, "said Hello twice")
        if request.answers:
            pairs = [(answer.decision_id, answer.action) for answer in request.answers]
            server.receive(session, pairs)
        if request.HasField("goodbye"):
            reason = printable(request.goodbye.reason[:REASON_LENGTH])
            _log.info("%s: says goodbye: %s", self.name, reason)
            self._has_ended = True
        elif not request.answers and not request.HasField("hello"):
            server.violate(session, "sent an empty message")

    def _check_hello(self, data: bytes | None) -> Refusal | None:
        """Read the first message into `hello`."""
        if data is None:
            return None
        try:
            request = request_from_bytes(data)
        except MalformedFrame:
            return Refusal.NOT_HELLO
        if not request.HasField("hello") or request.answers or request.HasField("goodbye"):
            return Refusal.NOT_HELLO
        hello = request.hello
        if any(len(text) > TEXT_LENGTH for text in (hello.name, hello.version, hello.sdk)):
            return Refusal.BAD_HELLO
        if hello.protocol_version not in (0, PROTOCOL_VERSION):
            return Refusal.WRONG_PROTOCOL
        if self._trace:
            self._trace("received", request)
        self.hello = hello
        return None

    @property
    def max_in_flight(self) -> int:
        """How many decisions the bot takes in a frame."""
        asked = self.hello.max_in_flight if self.hello else 1
        return min(max(asked, 1), MAX_IN_FLIGHT)


_REPLACED_NOTICE: Final = referee_pb2.PlayResponse(
    notices=[
        referee_pb2.Notice(
            kind=referee_pb2.Notice.KIND_REPLACED,
            detail="a newer stream with this token has taken over",
        )
    ]
).SerializeToString()
