"""Negative controls: shells that fall into the traps of grpc.aio, and tests that notice.

Each pair is one scenario. The shell as it is comes through; a variant of it that does what is
said not to be done does not. So the scenario can tell the two apart.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import grpc
import pytest

from arena.server.stream import Stream
from tests.server.contexts import SlowStream
from tests.server.serving import LIMIT_S, NAMES, Caller, Serving, on_a_loop

HUNG_S = 0.7
"""A broken variant that has not ended a league of 0.1 s after this is taken to hang."""


async def comes_to_its_end(serving: Serving, within_s: float) -> bool:
    """Return whether four bots that answer at once get through their board."""
    try:
        async with asyncio.timeout(within_s):
            await serving.play_all(max_in_flight=4)
            await serving.finished()
    except TimeoutError:
        return False
    return len(serving.deals) == 4


# ---------------------------------------------------------------------- one writer task


class BusyFlag(SlowStream):
    """Writes from wherever it is woken, with a flag against two writes at once.

    An answer that arrives before the write has returned finds the flag up: its wake-up is lost.
    """

    _is_busy = False
    _flushing: asyncio.Task[None] | None = None

    def wake(self) -> None:
        if not self._is_busy:
            self._is_busy = True
            self._flushing = asyncio.get_running_loop().create_task(self._flush())

    async def _flush(self) -> None:
        assert self.session is not None
        data = self._server.next_frame(self.session)
        if data is not None:
            await self._context.write(data)
        self._is_busy = False


@on_a_loop
async def test_a_writer_task_loses_no_wake_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.server.server.Stream", SlowStream)
    async with Serving() as serving:
        assert await comes_to_its_end(serving, LIMIT_S)
        assert serving.faults == []


@on_a_loop
async def test_control_a_busy_flag_loses_a_wake_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.server.server.Stream", BusyFlag)
    async with Serving() as serving:
        assert not await comes_to_its_end(serving, HUNG_S)


# ---------------------------------------------------------------------- one write at a time


class ManyWriters(Stream):
    """Starts writes while others are under way: the bot does not read, so they take their time."""

    errors: ClassVar[list[BaseException]] = []

    def _take(self, data: bytes) -> None:
        for _ in range(32):
            asyncio.get_running_loop().create_task(self._write_more()).add_done_callback(self._note)

    async def _write_more(self) -> None:
        await self._context.write(bytes(900_000))

    def _note(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error:
            ManyWriters.errors.append(error)


@on_a_loop
async def test_control_two_writes_at_once_lose_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """grpc refuses a second write while one is under way; in a task that nobody awaits, unseen."""
    monkeypatch.setattr("arena.server.server.Stream", ManyWriters)
    ManyWriters.errors.clear()
    async with Serving() as serving:
        bot = await serving.greet("a")
        await bot.say(b"\xff")
        await serving.until(lambda: bool(ManyWriters.errors))
    assert "TOO_MANY_OPERATIONS" in str(ManyWriters.errors[0])


@on_a_loop
async def test_one_write_at_a_time_loses_no_message() -> None:
    async with Serving() as serving:
        bot = await serving.greet("a")
        for _ in range(40):
            await bot.say(b"\xff")
        while len(bot.notices) < 40:
            assert await bot.hear() is not None


# ---------------------------------------------------------------------- reading without a timeout


class TimedReads(Stream):
    """Gives up a read after a while and reads again."""

    given_up = 0

    async def _read(self) -> None:
        try:
            while not self._has_ended:
                try:
                    data: Any = await asyncio.wait_for(self._context.read(), 0.02)
                except TimeoutError:
                    TimedReads.given_up += 1
                    continue
                if data is grpc.aio.EOF:
                    break
                if self.session:
                    self._take(data)
                else:
                    self._hello.set_result(data)
        finally:
            self._has_ended = True
            self._server.stream_ended(self)
            self._wake.set()


async def answers_late(serving: Serving, late_s: float) -> list[Caller]:
    """Let a bot think for a while before its first answer, then play; return all bots."""
    for name in NAMES[1:]:
        serving.let_play(await serving.greet(name, max_in_flight=4))
    slow = await serving.greet("a")
    asked = await slow.hear_decisions()
    await asyncio.sleep(late_s)
    await slow.answer(*asked)
    serving.let_play(slow)
    await serving.finished()
    return serving.callers


@on_a_loop
async def test_a_bot_that_thinks_for_a_while_keeps_its_stream() -> None:
    async with Serving() as serving:
        await answers_late(serving, 0.2)
        assert serving.faults == []
        assert all(session.streams == 1 for session in serving.referee.sessions)


@on_a_loop
async def test_control_a_timeout_on_a_read_ends_the_stream(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a read that was given up, the next says that the stream has ended; it has not."""
    monkeypatch.setattr("arena.server.server.Stream", TimedReads)
    TimedReads.given_up = 0
    async with Serving() as serving:
        bot = await serving.greet("a")
        await serving.until(lambda: TimedReads.given_up > 0)
        await serving.until(lambda: not serving.referee.by_name["a"].is_up)
        assert bot.frames[0].HasField("welcome")


# ---------------------------------------------------------------------- frames of their own time


@on_a_loop
async def test_a_frame_gathers_what_came_while_the_one_before_was_out() -> None:
    async with Serving(boards=8, tables=8) as serving:
        for name in NAMES[1:]:
            serving.let_play(await serving.greet(name, max_in_flight=128))
        busy = await serving.greet("a", max_in_flight=128)
        (first,) = await busy.hear_decisions()  # one at first: nothing is known of its speed
        session = serving.referee.by_name["a"]
        await serving.until(lambda: len(session.outbox) == 7)
        await busy.answer(first)
        assert len(await busy.hear_decisions()) >= 7
