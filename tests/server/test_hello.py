"""Who gets in: tokens, Hello, and what anybody may ask."""

from __future__ import annotations

from collections import Counter
from typing import Any

import grpc
import pytest

from arena.referee.values import Clock, EventKind
from arena.server import server as server_module
from arena.v1 import referee_pb2
from arena.version import __version__
from tests.server.serving import INFO, Serving, on_a_loop, token_of

Request = referee_pb2.PlayRequest
Hello = referee_pb2.Hello

# ---------------------------------------------------------------------- tokens


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        (("authorization", "Bearer wrong"),),
        (("authorization", "Bearer "),),
        (("authorization", token_of("a")),),
        (("authorization", f"Basic {token_of('a')}"),),
        (("x-authorization", f"Bearer {token_of('a')}"),),
    ],
    ids=["none", "wrong", "empty", "bare", "scheme", "key"],
)
@on_a_loop
async def test_without_the_token_of_an_entrant_nobody_gets_in(
    metadata: tuple[tuple[str, str], ...],
) -> None:
    async with Serving() as serving:
        caller = serving.dial_with(metadata)
        assert await caller.hear() is None
        code, text = await caller.status()
        assert code is grpc.StatusCode.UNAUTHENTICATED
        assert "token" in text
        assert all(session.streams == 0 for session in serving.referee.sessions)
        assert serving.events == []


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
@on_a_loop
async def test_the_right_token_is_welcomed(scheme: str) -> None:
    async with Serving() as serving:
        caller = serving.dial_with((("authorization", f"{scheme} {token_of('b')}"),))
        hello = Hello(name="mine", version="1.2", sdk="none", max_in_flight=7)
        await caller.say(Request(hello=hello))
        first = await caller.hear()
        assert first is not None
        assert first.welcome.protocol_version == 1
        assert first.welcome.server == f"arena {__version__}"
        assert first.welcome.session_id == "b-1"
        assert first.welcome.limits.max_in_flight == 7
        assert first.welcome.limits.max_message_bytes == 65536
        assert first.welcome.limits.max_violations == 50
        await serving.until(lambda: serving.referee.by_name["b"].is_up)
        assert serving.host.hellos == [("b", hello)]
        assert serving.referee.by_name["b"].streams == 1


@pytest.mark.parametrize(
    "asked,granted", [(0, 1), (1, 1), (128, 128), (129, 128), (2**32 - 1, 128)]
)
@on_a_loop
async def test_a_frame_holds_1_to_128_decisions(asked: int, granted: int) -> None:
    async with Serving() as serving:
        caller = await serving.greet("a", max_in_flight=asked)
        assert caller.frames[0].welcome.limits.max_in_flight == granted
        assert serving.referee.by_name["a"].max_in_flight == granted


# ---------------------------------------------------------------------- the first message


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"\xff\xff\xff",
        Request(answers=[referee_pb2.Answer(decision_id=1, action=referee_pb2.Answer().action)]),
        Request(goodbye=referee_pb2.Goodbye(reason="bye")),
        Request(hello=Hello(name="a"), goodbye=referee_pb2.Goodbye()),
        Request(hello=Hello(name="a"), answers=[referee_pb2.Answer(decision_id=1)]),
    ],
    ids=["empty", "garbage", "answer", "goodbye", "hello+goodbye", "hello+answer"],
)
@on_a_loop
async def test_the_first_message_is_a_hello_and_nothing_else(first: Request | bytes) -> None:
    async with Serving() as serving:
        caller = serving.dial("a")
        await caller.say(first)
        assert await caller.hear() is None
        code, text = await caller.status()
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert "hello" in text
        assert serving.referee.by_name["a"].streams == 0


@pytest.mark.parametrize("field", ["name", "version", "sdk"])
@on_a_loop
async def test_the_texts_of_a_hello_have_64_characters_at_most(field: str) -> None:
    async with Serving() as serving:
        caller = serving.dial("a")
        await caller.say(_hello_with(field, "ü" * 65))
        assert await caller.hear() is None
        assert (await caller.status())[0] is grpc.StatusCode.INVALID_ARGUMENT
        caller = serving.dial("a")
        await caller.say(_hello_with(field, "ü" * 64))
        first = await caller.hear()
        assert first is not None
        assert first.HasField("welcome")


def _hello_with(field: str, text: str) -> Request:
    request = Request(hello=Hello())
    setattr(request.hello, field, text)
    return request


@pytest.mark.parametrize("version,welcome", [(0, True), (1, True), (2, False), (77, False)])
@on_a_loop
async def test_only_protocol_version_1_is_spoken(version: int, welcome: bool) -> None:
    async with Serving() as serving:
        caller = serving.dial("a")
        await caller.say(Request(hello=Hello(protocol_version=version)))
        assert (await caller.hear() is not None) == welcome
        if not welcome:
            code, text = await caller.status()
            assert code is grpc.StatusCode.FAILED_PRECONDITION
            assert "version 1" in text


@on_a_loop
async def test_a_hello_that_does_not_come_ends_the_stream() -> None:
    async with Serving(clock=Clock(1000, 0, start_ms=50)) as serving:
        caller = serving.dial("a")
        assert await caller.hear() is None
        code, text = await caller.status()
        assert code is grpc.StatusCode.DEADLINE_EXCEEDED
        assert "Hello" in text


@on_a_loop
async def test_a_bot_that_leaves_before_its_hello_leaves_no_trace() -> None:
    async with Serving() as serving:
        caller = serving.dial("a")
        await caller.call.done_writing()
        assert await caller.hear() is None
        assert (await caller.status())[0] is grpc.StatusCode.OK
        assert serving.referee.by_name["a"].streams == 0
        assert serving.events == []


@on_a_loop
async def test_what_comes_right_behind_a_hello_is_not_lost() -> None:
    async with Serving() as serving:
        caller = serving.dial("a")
        await caller.say(Request(hello=Hello()))
        await caller.say(Request(hello=Hello()))
        await caller.say(Request(goodbye=referee_pb2.Goodbye()))
        await caller.hear_out()
        assert (await caller.status())[0] is grpc.StatusCode.OK
        assert serving.referee.by_name["a"].streams == 1
        assert not serving.referee.by_name["a"].is_up
        (event,) = serving.events
        assert (event.kind, event.entrant) == (EventKind.PROTOCOL, "a")
        assert event.detail.startswith("1 message")


@on_a_loop
async def test_a_token_opens_at_most_50_streams_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    second = 1000.0
    monkeypatch.setattr(server_module, "monotonic", lambda: second + 0.5)
    async with Serving() as serving:
        codes = Counter([await _code_of_a_stream(serving) for _ in range(53)])
        assert codes == {grpc.StatusCode.OK: 50, grpc.StatusCode.RESOURCE_EXHAUSTED: 3}
        assert (await serving.greet("b")).frames  # another token is not concerned
        second += 1
        assert await _code_of_a_stream(serving) is grpc.StatusCode.OK


async def _code_of_a_stream(serving: Serving) -> grpc.StatusCode:
    caller = serving.dial("a")
    await caller.call.done_writing()
    await caller.hear()
    return (await caller.status())[0]


# ---------------------------------------------------------------------- what anybody may ask


@on_a_loop
async def test_server_info_needs_no_token() -> None:
    async with Serving() as serving, grpc.aio.insecure_channel(serving.address) as channel:
        ask: Any = channel.unary_unary(INFO)
        data: bytes = await ask(b"")
        info = referee_pb2.GetServerInfoResponse.FromString(data)
        assert info.server == f"arena {__version__}"
        assert list(info.protocol_versions) == [1]
        assert [ruleset.name for ruleset in info.rulesets] == ["brandeln"]
        assert info.limits.max_in_flight == 128


@on_a_loop
async def test_health_and_reflection_come_with_ops() -> None:
    from grpc_health.v1 import health_pb2, health_pb2_grpc
    from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

    async with (
        Serving(with_ops=True) as serving,
        grpc.aio.insecure_channel(serving.address) as channel,
    ):
        health = health_pb2_grpc.HealthStub(channel)
        for service in ("", "arena.v1.RefereeService"):
            answer = await health.Check(health_pb2.HealthCheckRequest(service=service))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        reflection = reflection_pb2_grpc.ServerReflectionStub(channel)
        asked = reflection_pb2.ServerReflectionRequest(list_services="")
        call = reflection.ServerReflectionInfo(iter([asked]))
        answers = [answer async for answer in call]
        names = {service.name for service in answers[0].list_services_response.service}
        assert "arena.v1.RefereeService" in names


@on_a_loop
async def test_without_ops_there_is_no_health_service() -> None:
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    async with Serving() as serving, grpc.aio.insecure_channel(serving.address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
