"""The ceiling: real frames echoed over grpc.aio as quickly as can be, without game or clock.

Run as a program it is one measurement and prints it as JSON; four client processes answer. Each
stream is one coroutine that builds a frame, writes it and parses the answer. `--frame` decisions
stand in a frame and `--out` frames are out at once, passed round the four: as many as the referee
sends and has out, so that both do the same work on the wire. Frames are built and answers parsed
with the generated code, in its quickest way (`extend`), as any program on this wire would;
`--by-hand` builds and parses them with `arena.wire.frames` instead, as the referee does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, Final

import grpc

from arena.bench.positions import open_tables
from arena.referee.session import Frame
from arena.referee.values import Clock, Game
from arena.server.options import server_options
from arena.v1 import referee_pb2
from arena.wire.frames import FrameEncoder, answers_from_bytes, decision_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.referee.table import Table

SERVICE: Final = "arena.v1.RefereeService"
CLIENTS: Final = 4
WARM_UP_S: Final = 0.4
_KEY: Final = bytes(32)


@dataclass(frozen=True, slots=True)
class Asked:
    """The contents of a decision, in plain Python."""

    numbers: tuple[int, ...]
    hand: bytes
    actions: bytes
    actors: bytes
    taken: bytes
    legal: bytes
    declarer: int | None

    @classmethod
    def of(cls, data: bytes) -> Asked:
        """Return the contents of an encoded decision."""
        d = referee_pb2.Decision.FromString(data)
        return cls(
            (d.id, d.table, d.seat, d.dealer, d.random_seed, d.phase, d.contract, d.trump),
            bytes(d.hand),
            bytes(d.actions),
            bytes(d.actors),
            bytes(d.tricks_taken),
            bytes(d.legal),
            d.declarer if d.HasField("declarer") else None,
        )

    def write(self, message: Any) -> None:
        """Write the contents into a message."""
        (
            message.id,
            message.table,
            message.seat,
            message.dealer,
            message.random_seed,
            message.phase,
            message.contract,
            message.trump,
        ) = self.numbers
        message.hand.extend(self.hand)
        message.actions.extend(self.actions)
        message.actors.extend(self.actors)
        if self.declarer is not None:
            message.declarer = self.declarer
        message.tricks_taken.extend(self.taken)
        message.legal.extend(self.legal)
        message.move_ms = 1000
        message.bank_ms = 2000


def _answers_generated(data: bytes) -> list[tuple[int, int]] | None:
    """Parse answers with the generated code."""
    answers = referee_pb2.PlayRequest.FromString(data).answers
    return [(answer.decision_id, answer.action) for answer in answers]


class Echo:
    """Sends frames of open decisions to four clients and counts what comes back."""

    def __init__(self, frame: int, out: int, *, by_hand: bool) -> None:
        self.decisions = 0
        self.frames = 0
        self._size = frame
        self._turns = asyncio.Semaphore(out)  # first come, first served
        game, clock = Game(_KEY), Clock()
        self._clock = clock
        self._encoder = FrameEncoder(game, clock)
        positions = open_tables(game, 400)
        self._positions: Iterator[Table] = cycle(positions)
        self._decisions = cycle([Asked.of(decision_bytes(each, 1000, 2000)) for each in positions])
        self._frame = self._frame_by_hand if by_hand else self._frame_generated
        self._parse = answers_from_bytes if by_hand else _answers_generated
        self._here = 0
        self.all_here = asyncio.Event()
        self._is_over = False

    async def start(self) -> tuple[grpc.aio.Server, int]:
        """Listen; return the server and its port."""
        server = grpc.aio.server(options=server_options(self._clock))
        handler: Any = grpc.stream_stream_rpc_method_handler(self._play)
        handlers = grpc.method_handlers_generic_handler(SERVICE, {"Play": handler})
        server.add_generic_rpc_handlers((handlers,))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        return server, port

    def stop(self) -> None:
        """Let the streams end."""
        self._is_over = True

    def _frame_generated(self) -> bytes:
        """Build a frame with the generated code."""
        frame = referee_pb2.PlayResponse()
        add = frame.decisions.add
        for asked in islice(self._decisions, self._size):
            asked.write(add())
        frame.frame_ms = 3000
        return frame.SerializeToString()

    def _frame_by_hand(self) -> bytes:
        """Build a frame as the referee does."""
        tables = list(islice(self._positions, self._size))
        frame = Frame(tables=tables, times_ms=[(1000, 2000)] * len(tables), frame_ms=3000)
        return self._encoder.encode(frame)

    async def _play(self, _: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        self._here += 1
        if self._here == CLIENTS:
            self.all_here.set()
        await context.read()  # Hello
        await self.all_here.wait()
        while not self._is_over:
            async with self._turns:
                await context.write(self._frame())
                data: Any = await context.read()
            answers = None if data is grpc.aio.EOF else self._parse(data)
            if answers is None:
                return
            self.decisions += len(answers)
            self.frames += 1


async def measure(frame: int, out: int, seconds: float, *, by_hand: bool) -> dict[str, float]:
    """Echo for a while; return decisions/s, decisions a frame and CPU a decision in us."""
    echo = Echo(frame, out, by_hand=by_hand)
    server, port = await echo.start()
    clients = [
        subprocess.Popen([sys.executable, "-m", "arena.bench.echo_client", f"127.0.0.1:{port}"])  # noqa: ASYNC220 (a spawn takes a millisecond)
        for _ in range(CLIENTS)
    ]
    try:
        await asyncio.wait_for(echo.all_here.wait(), 30)
        await asyncio.sleep(WARM_UP_S)
        start, cpu = time.perf_counter(), time.process_time()
        decisions, frames = echo.decisions, echo.frames
        await asyncio.sleep(seconds)
        elapsed, used = time.perf_counter() - start, time.process_time() - cpu
        decisions, frames = echo.decisions - decisions, echo.frames - frames
        echo.stop()
        await server.stop(0.5)
    finally:
        for client in clients:
            client.kill()
            client.wait()
    return {
        "decisions_per_s": decisions / elapsed,
        "decisions_per_frame": decisions / max(frames, 1),
        "cpu_us_per_decision": used / max(decisions, 1) * 1e6,
    }


def main() -> None:
    """Measure once and print the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--frame", type=int, required=True)
    parser.add_argument("--out", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--by-hand", action="store_true")
    given = parser.parse_args()
    by_hand = given.by_hand
    figures = asyncio.run(measure(given.frame, given.out, given.seconds, by_hand=by_hand))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
