"""What ends a stream, what ends the run, and what the loop's own lateness is."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from arena.referee.tables import Tables
from arena.server.clockwork import TICK_NS, Clockwork
from arena.v1 import referee_pb2
from tests.server.serving import NAMES, Serving, on_a_loop


@on_a_loop
async def test_a_goodbye_right_behind_hello_is_heard() -> None:
    """What comes before the bot has its seat waits for it."""
    async with Serving() as serving:
        caller = serving.dial(NAMES[0])
        hello = referee_pb2.PlayRequest(hello=referee_pb2.Hello(name="any"))
        goodbye = referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye(reason="bored"))
        await caller.say(hello)
        await caller.say(goodbye)
        await caller.hear_out()
        await serving.until(lambda: serving.referee.by_name[NAMES[0]].stream == 0)
        assert serving.referee.by_name[NAMES[0]].streams == 1


@on_a_loop
async def test_a_failing_referee_is_told_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception inside the referee may leave a table without a decision: the run must end."""

    def fail(_self: Tables, _table: object) -> None:
        raise ValueError("made up")

    monkeypatch.setattr(Tables, "_end_deal", fail)
    async with Serving() as serving:
        await serving.play_all()
        await serving.until(lambda: bool(serving.host.failures))
        assert str(serving.host.failures[0]) == "made up"


class Blocks:
    """A referee that only notes the blocks it is told of."""

    def __init__(self) -> None:
        self.blocks: list[int] = []

    def block(self, begin: int, end: int) -> None:
        self.blocks.append(end - begin)

    def next_due(self) -> int:
        return 1 << 62


@pytest.mark.parametrize("block_ms", [25, 60])
@on_a_loop
async def test_a_block_of_the_loop_is_a_credit_and_whole(block_ms: int) -> None:
    """The loop may have been idle for a tick before a block, so a credit may be that much more."""
    referee: Any = Blocks()
    clockwork = Clockwork(referee, judge=lambda _now, _looked: None, after_tick=lambda: None)
    clockwork.start()
    try:
        for _ in range(5):
            before = len(referee.blocks)
            await asyncio.sleep(3 * TICK_NS / 1e9)
            seen = sum(referee.blocks[before:])
            time.sleep(block_ms / 1000)  # noqa: ASYNC251 (the block that is measured)
            await asyncio.sleep(2 * TICK_NS / 1e9)
            assert sum(referee.blocks[before:]) - seen >= block_ms * 1_000_000
    finally:
        clockwork.stop()


@on_a_loop
async def test_answers_that_answer_nothing_cost_their_sender_time() -> None:
    """Each is noise and no fault, but a flood of them must not take the loop from the others."""
    async with Serving() as serving:
        callers = [await serving.greet(name, max_in_flight=1) for name in NAMES]
        ask, caller = None, None
        for each in callers[1:]:
            serving.let_play(each)
        caller = callers[0]
        (ask,) = await caller.hear_decisions()
        stream = serving.server._streams[serving.referee.by_name[NAMES[0]].index]
        assert stream.session
        answer = referee_pb2.Answer(decision_id=ask.id, action=ask.legal[0])
        one = referee_pb2.PlayRequest(answers=[answer]).SerializeToString()
        assert stream._take_for_a_toll(one, stream.session) == 0
        assert stream._take_for_a_toll(one, stream.session) == 0  # a repeat is forgiven
        assert stream._take_for_a_toll(one * 100, stream.session) > 0


@on_a_loop
async def test_calls_that_are_cancelled_at_once_leave_no_error_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Serving() as serving:
        for _ in range(20):
            storm = [serving.dial(NAMES[0], "wrong") for _ in range(10)]
            await asyncio.sleep(0.002)
            for caller in storm:
                await caller.leave()
        await serving.play_all()
        await serving.finished()
        # grpc's poller may find its socket empty when a client shares the process with a server.
        ours = [record for record in caplog.records if record.name != "asyncio"]
        assert not [record for record in ours if record.levelname == "ERROR"]
