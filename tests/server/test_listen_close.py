"""Where a server listens, and how it says goodbye."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING

import grpc
import pytest

from arena.errors import ConfigError, MachineError
from arena.referee.values import Clock
from arena.server.options import server_options
from arena.server.stream import Stream
from arena.v1 import referee_pb2
from tests.server.contexts import StuckStream
from tests.server.serving import NAMES, Serving, on_a_loop

if TYPE_CHECKING:
    from arena.server.status import Refusal

Notice = referee_pb2.Notice

# ---------------------------------------------------------------------- listening


@on_a_loop
async def test_port_0_takes_any_free_port_and_says_which() -> None:
    async with Serving() as serving, Serving() as other:
        ports = {int(address.rpartition(":")[2]) for address in (serving.address, other.address)}
        assert len(ports) == 2
        assert 0 not in ports


@on_a_loop
async def test_a_port_that_is_taken_is_the_machines_fault() -> None:
    async with Serving() as serving:
        late = Serving()
        with pytest.raises(MachineError, match=f"cannot listen on {serving.address}") as caught:
            await late.server.start(serving.address, with_ops=False)
        assert caught.value.why
        assert caught.value.hint
        await late.close()
        await serving.greet("a")  # the first is still there


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0:0", "192.0.2.1:50051", "[::]:0", "example.org:1", "128.0.0.1:0", "x127.0.0.1:0"],
)
@on_a_loop
async def test_plain_text_stays_on_loopback(address: str) -> None:
    serving = Serving()
    with pytest.raises(ConfigError, match="not on loopback"):
        await serving.server.start(address)
    await serving.close()


@pytest.mark.parametrize("address", ["", "127.0.0.1", "127.0.0.1:", ":0", "127.0.0.1:http", "0"])
@on_a_loop
async def test_an_address_has_a_host_and_a_port(address: str) -> None:
    serving = Serving()
    with pytest.raises(ConfigError, match="expected host:port"):
        await serving.server.start(address)
    await serving.close()


def test_the_options_are_those_that_were_measured() -> None:
    options = dict(server_options(Clock(move_ms=1000, bank_ms=2000)))
    assert options == {
        "grpc.so_reuseport": 0,
        "grpc.max_receive_message_length": 65536,
        "grpc.max_send_message_length": 1048576,
        "grpc.max_metadata_size": 8192,
        "grpc.max_concurrent_streams": 64,
        "grpc.http2.bdp_probe": 0,
        "grpc.server_handshake_timeout_ms": 5000,
        "grpc.http2.min_recv_ping_interval_without_data_ms": 5000,
        "grpc.keepalive_time_ms": 30000,
        "grpc.keepalive_timeout_ms": 20000,
        "grpc.http2.ping_timeout_ms": 20000,
        "grpc.keepalive_permit_without_calls": 1,
        "grpc.http2.max_pings_without_data": 0,
    }


def test_a_ping_waits_twice_as_long_as_a_bot_may_be_silent() -> None:
    options = dict(server_options(Clock(move_ms=60_000, bank_ms=30_000)))
    assert options["grpc.keepalive_timeout_ms"] == 2 * (3 * 60_000 + 30_000)
    assert options["grpc.http2.ping_timeout_ms"] == options["grpc.keepalive_timeout_ms"]


def test_without_a_clock_there_are_no_pings() -> None:
    options = dict(server_options(Clock(move_ms=0)))
    assert not [name for name in options if "keepalive" in name or "ping_timeout" in name]


# ---------------------------------------------------------------------- closing


@on_a_loop
async def test_closing_says_goodbye_to_all_and_ends_well() -> None:
    async with Serving() as serving:
        await serving.play_all()
        await serving.finished()
        await serving.close(2.0)
        await asyncio.gather(*serving.playing)
        for caller in serving.callers:
            last = caller.frames[-1].notices[-1]
            assert last.kind == Notice.KIND_SHUTDOWN
            assert last.in_ms == 2000
            assert last.detail == "the test is over"
            assert await caller.status() == (grpc.StatusCode.OK, "")
        assert not serving.server._handlers
        assert serving.faults == []


@on_a_loop
async def test_closing_in_mid_league_charges_nobody() -> None:
    async with Serving(boards=1000) as serving:
        await serving.play_all(max_in_flight=4)
        await serving.until(lambda: serving.referee.answers > 100)
        await serving.close()
        await asyncio.gather(*serving.playing)
        for caller in serving.callers:
            if not caller.is_cut_off:
                assert caller.notices[-1].kind == Notice.KIND_SHUTDOWN
                assert (await caller.status())[0] is grpc.StatusCode.OK
        assert not serving.server._handlers
        assert serving.faults == []
        assert serving.events == []


@on_a_loop
async def test_closing_does_not_wait_for_a_bot_that_owes_an_answer() -> None:
    async with Serving() as serving:
        await serving.play_all("b", "c", "d")
        silent = await serving.greet("a")
        await silent.hear_decisions()
        begun = monotonic()
        await serving.close(5.0)
        assert monotonic() - begun < 4.0
        await silent.hear_out()
        assert silent.notices[-1].kind == Notice.KIND_SHUTDOWN
        assert (await silent.status())[0] is grpc.StatusCode.OK


@on_a_loop
async def test_a_stream_that_opens_while_closing_is_told_that_the_run_is_over() -> None:
    async with Serving() as serving:
        serving.server._is_closing = True
        late = serving.dial("a")
        assert await late.hear() is None
        code, text = await late.status()
        assert code is grpc.StatusCode.FAILED_PRECONDITION
        assert text == "the run is over"


@on_a_loop
async def test_closing_is_quick_when_bots_do_not_read_what_they_are_sent() -> None:
    async with Serving() as serving:
        deaf = [await serving.greet(name) for name in NAMES]
        await serving.until(lambda: serving.referee.flow.in_flight > 0)
        begun = monotonic()
        await serving.close(0.5)
        assert monotonic() - begun < 2.0
        assert not serving.server._handlers
        for caller in deaf:
            await caller.leave()


@on_a_loop
async def test_closing_is_quick_when_a_write_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.server.server.Stream", StuckStream)
    async with Serving() as serving:
        await serving.play_all()
        await serving.until(lambda: serving.referee.answers > 0)
        begun = monotonic()
        await serving.close(0.3)
        assert 0.2 < monotonic() - begun < 2.0
        assert not serving.server._handlers


class Stubborn(Stream):
    """A stream whose handler swallows its cancellation until the test lets it go."""

    free: asyncio.Event

    async def run(self, hello_timeout_s: float) -> Refusal | None:
        refusal = await super().run(hello_timeout_s)
        while not Stubborn.free.is_set():
            try:
                await Stubborn.free.wait()
            except asyncio.CancelledError:
                continue
        return refusal


@on_a_loop
async def test_closing_does_not_wait_for_ever_for_a_handler_that_will_not_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.server.server.Stream", Stubborn)
    Stubborn.free = asyncio.Event()
    async with Serving() as serving:
        await serving.play_all()
        await serving.finished()
        begun = monotonic()
        await serving.close(0.2)
        assert monotonic() - begun < 2.0
        assert len(serving.server._handlers) == 4
        Stubborn.free.set()


@on_a_loop
async def test_a_server_that_was_never_started_can_be_closed() -> None:
    await Serving().close()
