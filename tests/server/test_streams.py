"""What a bot does on its stream touches no other bot."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from arena.referee.values import Clock, EventKind, FaultKind
from arena.v1 import referee_pb2
from tests.server.contexts import StuckStream
from tests.server.serving import NAMES, Caller, Serving, on_a_loop

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

Request = referee_pb2.PlayRequest
Notice = referee_pb2.Notice
GARBAGE = b"\xff\xff\xff\xff"
OTHERS = ("b", "c", "d")


@on_a_loop
async def test_four_bots_play_their_boards() -> None:
    async with Serving(boards=2) as serving:
        await serving.play_all(max_in_flight=8)
        await serving.finished()
        deals = serving.deals
        assert sorted((deal.board, deal.leg) for deal in deals) == [
            (board, leg) for board in (1, 2) for leg in range(4)
        ]
        assert serving.faults == []
        assert serving.events == []


@on_a_loop
async def test_every_table_that_starts_ends_and_each_bot_is_told() -> None:
    async with Serving(boards=2) as serving:
        await serving.play_all(max_in_flight=8)
        await serving.finished()
        await serving.close()
        await asyncio.gather(*serving.playing)
        for caller in serving.callers:
            started = [start.table for frame in caller.frames for start in frame.table_starts]
            ended = [end.table for frame in caller.frames for end in frame.table_ends]
            assert len(started) == len(set(started)) == 8
            assert sorted(ended) == sorted(started)


# ---------------------------------------------------------------------- reconnecting


@on_a_loop
async def test_of_two_streams_with_one_token_the_newer_wins() -> None:
    async with Serving() as serving:
        await serving.play_all(*OTHERS)
        older = await serving.greet("a")
        asked = await older.hear_decisions()
        newer = await serving.greet("a")
        await older.hear_out()
        assert [notice.kind for notice in older.notices] == [Notice.KIND_REPLACED]
        code, text = await older.status()
        assert code is grpc.StatusCode.ABORTED
        assert "newer stream" in text
        again = await newer.hear_decisions()
        assert [decision.id for decision in again] == [decision.id for decision in asked]
        await newer.answer(*again)
        serving.let_play(newer)
        await serving.finished()
        assert serving.faults == []
        assert serving.events == []


@on_a_loop
async def test_tables_start_again_after_a_reconnect() -> None:
    async with Serving() as serving:
        await serving.play_all(*OTHERS)
        older = await serving.greet("a")
        await older.hear_decisions()
        started = {start.table for frame in older.frames for start in frame.table_starts}
        newer = await serving.greet("a")
        (decision,) = await newer.hear_decisions()
        again = {start.table for frame in newer.frames for start in frame.table_starts}
        assert decision.table in again
        assert again <= started | {decision.table}
        assert again


class Counted(StuckStream):
    """A stream whose writer gets stuck, so that it outlives its replacement and still reads."""

    taken = 0

    def _take(self, data: bytes) -> None:
        Counted.taken += 1
        super()._take(data)


@on_a_loop
async def test_what_an_older_stream_still_sends_is_ignored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.server.server.Stream", Counted)
    Counted.taken = 0
    async with Serving(tables=1) as serving:
        callers = {name: await serving.greet(name) for name in NAMES}
        await serving.until(lambda: serving.referee.flow.in_flight > 0)
        session = next(each for each in serving.referee.sessions if each.open)
        older = callers[session.name]
        (asked,) = await older.hear_decisions()
        await serving.greet(session.name)
        await older.say(GARBAGE)
        await older.answer(asked)
        await serving.until(lambda: Counted.taken == 2)
        assert list(session.open) == [asked.id]
        assert (session.stream, session.violations) == (2, 0)


@on_a_loop
async def test_a_cut_that_heals_in_time_leaves_no_trace() -> None:
    async with Serving() as serving:
        await serving.play_all(*OTHERS)
        cut = await serving.greet("a")
        await cut.hear_decisions()
        await cut.leave()
        await serving.until(lambda: not serving.referee.by_name["a"].is_up)
        serving.let_play(await serving.greet("a"))
        await serving.finished()
        assert serving.faults == []
        assert serving.events == []


@on_a_loop
async def test_a_goodbye_ends_the_stream_well() -> None:
    async with Serving() as serving:
        await serving.play_all(*OTHERS)
        leaving = await serving.greet("a")
        await leaving.hear_decisions()
        await leaving.say(Request(goodbye=referee_pb2.Goodbye(reason="enough")))
        await leaving.hear_out()
        assert (await leaving.status())[0] is grpc.StatusCode.OK
        assert not serving.referee.by_name["a"].is_up


# ---------------------------------------------------------------------- bytes that are no message


@on_a_loop
async def test_garbage_with_an_open_decision_is_a_fault_and_the_bot_is_told() -> None:
    async with Serving() as serving:
        await serving.play_all(*OTHERS)
        bot = await serving.greet("a")
        (decision,) = await bot.hear_decisions()
        await bot.say(GARBAGE)
        notice = await bot.hear_notice()
        assert notice.kind == Notice.KIND_FAULT
        assert notice.fault == referee_pb2.FAULT_KIND_MALFORMED
        assert (notice.table, notice.decision_id) == (decision.table, decision.id)
        assert "bytes that are no message" in notice.detail
        serving.let_play(bot)
        for asked in bot.frames[-1].decisions:
            await bot.answer(asked)
        await serving.finished()
        ((name, fault),) = serving.faults
        assert (name, fault.kind, fault.incident) == ("a", FaultKind.MALFORMED, 0)
        assert serving.events == []


@on_a_loop
async def test_garbage_with_nothing_open_is_a_violation_and_the_bot_is_told() -> None:
    async with Serving() as serving:
        bot = await serving.greet("a")  # the others have not come: nobody is asked anything
        await bot.say(GARBAGE)
        notice = await bot.hear_notice()
        assert notice.kind == Notice.KIND_VIOLATION
        assert "bytes that are no message" in notice.detail
        await bot.say(Request(hello=referee_pb2.Hello()))
        assert "Hello twice" in (await bot.hear_notice()).detail
        await bot.say(b"")
        assert "empty" in (await bot.hear_notice()).detail
        await bot.leave()
        await serving.until(lambda: not serving.referee.by_name["a"].is_up)
        (event,) = serving.events
        assert (event.kind, event.entrant, event.incident) == (EventKind.PROTOCOL, "a", 1)
        assert event.detail.startswith("3 messages")
        assert serving.faults == []


@on_a_loop
async def test_wrong_answers_are_faults_of_their_decision_alone() -> None:
    async with Serving() as serving:
        await serving.play_all(*OTHERS)
        bot = await serving.greet("a")
        (first,) = await bot.hear_decisions()
        illegal = next(action for action in range(1, 59) if action not in first.legal)
        await bot.say(_answer(first.id, illegal))
        assert (await bot.hear_notice()).fault == referee_pb2.FAULT_KIND_ILLEGAL
        for action in (0, 99, 300):
            (decision,) = bot.frames[-1].decisions or await bot.hear_decisions()
            await bot.say(_answer(decision.id, action))
            assert (await bot.hear_notice()).fault == referee_pb2.FAULT_KIND_MALFORMED
        serving.let_play(bot)
        for asked in bot.frames[-1].decisions:
            await bot.answer(asked)
        await serving.finished()
        kinds = [(name, fault.kind.value) for name, fault in serving.faults]
        assert sorted(kinds) == [("a", "ILLEGAL"), *[("a", "MALFORMED")] * 3]


def _answer(decision_id: int, action: int) -> Request:
    request = Request()
    answer = request.answers.add()
    answer.decision_id = decision_id
    answer.action = action  # type: ignore[assignment]
    return request


# ---------------------------------------------------------------------- one stream, not another


async def violate_51_times(bot: Caller) -> None:
    for _ in range(51):
        await bot.say(Request(hello=referee_pb2.Hello()))


async def send_too_much(bot: Caller) -> None:
    await bot.say(Request(goodbye=referee_pb2.Goodbye(reason="x" * 65536)))


@pytest.mark.parametrize(
    "misbehave,reason",
    [(violate_51_times, "too many messages"), (send_too_much, "larger than max")],
)
@on_a_loop
async def test_too_much_ends_a_stream_and_the_others_play_on(
    misbehave: Callable[[Caller], Awaitable[None]], reason: str
) -> None:
    async with Serving(boards=2) as serving:
        await serving.play_all(*OTHERS, max_in_flight=8)
        bot = await serving.greet("a")
        await bot.hear_decisions()
        await misbehave(bot)
        await bot.hear_out()
        code, text = await bot.status()
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert reason in text
        assert not serving.referee.by_name["a"].is_up
        assert all(serving.referee.by_name[name].streams == 1 for name in OTHERS)
        serving.let_play(await serving.greet("a", max_in_flight=8))
        await serving.finished()
        assert all(serving.referee.by_name[name].streams == 1 for name in OTHERS)
        assert len(serving.deals) == 8
        assert serving.faults == []


@on_a_loop
async def test_50_violations_leave_the_stream_open() -> None:
    async with Serving() as serving:
        bot = await serving.greet("a")
        for _ in range(50):
            await bot.say(Request(hello=referee_pb2.Hello()))
        while len(bot.notices) < 50:
            await bot.hear()
        assert serving.referee.by_name["a"].is_up
        await serving.play_all(*OTHERS)
        serving.let_play(bot)
        await serving.finished()
        assert len(serving.deals) == 4


class Tracer:
    """A tracer that fails at a message of its own choice: an exception of the arena's own."""

    def __init__(self, direction: str) -> None:
        self.direction = direction
        self.left = 3

    def __call__(self, direction: str, _message: Any) -> None:
        if direction == self.direction:
            self.left -= 1
            if not self.left:
                msg = "the disk is full"
                raise OSError(msg)


@pytest.mark.parametrize("direction", ["sent", "received"])
@on_a_loop
async def test_an_exception_of_the_arena_ends_one_stream_and_is_logged(
    direction: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "arena.server"):
        async with Serving(boards=2, tracers={"a": Tracer(direction)}) as serving:
            await serving.play_all(*OTHERS, max_in_flight=8)
            bot = await serving.greet("a")
            await bot.play()
            code, text = await bot.status()
            assert code is grpc.StatusCode.INTERNAL
            assert "not your fault" in text
            assert "the disk is full" in caplog.text
            assert all(serving.referee.by_name[name].is_up for name in OTHERS)
            serving.let_play(await serving.greet("a", max_in_flight=8))
            await serving.finished()
            assert all(serving.referee.by_name[name].streams == 1 for name in OTHERS)
            assert len(serving.deals) == 8


@on_a_loop
async def test_a_failure_of_the_referee_is_the_hosts_to_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Serving() as serving:
        await serving.play_all(*OTHERS)
        bot = await serving.greet("a")
        asked = await bot.hear_decisions()
        failure = ZeroDivisionError("a bug")

        def receive(*_: object) -> None:
            raise failure

        monkeypatch.setattr(serving.referee, "receive", receive)
        await bot.answer(*asked)
        await serving.until(lambda: bool(serving.host.failures))
        assert set(serving.host.failures) == {failure}
        await bot.hear_out()
        assert (await bot.status())[0] is grpc.StatusCode.INTERNAL


@on_a_loop
async def test_a_bot_that_does_not_read_is_cut_off_and_the_others_play_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(move_ms=100, bank_ms=0, start_ms=300)
    async with Serving(boards=2, clock=clock) as serving:
        monkeypatch.setattr("arena.server.server.Stream", StuckStream)
        deaf = await serving.greet("a")
        monkeypatch.undo()
        await serving.play_all(*OTHERS, max_in_flight=8)
        await serving.until(lambda: not serving.referee.by_name["a"].is_up)
        await deaf.hear_out()
        assert (await deaf.status())[0] is not grpc.StatusCode.OK
        await serving.finished()
        assert all(serving.referee.by_name[name].streams == 1 for name in OTHERS)
        assert len(serving.deals) == 8
        assert {name for name, _ in serving.faults} == {"a"}


@on_a_loop
async def test_a_handler_is_gone_once_its_bot_is() -> None:
    async with Serving() as serving:
        for name in NAMES:
            bot = await serving.greet(name)
            assert len(serving.server._handlers) == 1
            await bot.leave()
            await serving.until(lambda: not serving.server._handlers)
            assert not serving.server._all_streams
            assert not serving.server._streams
