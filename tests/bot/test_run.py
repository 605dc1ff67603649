"""`run` in real processes, against a referee of a few lines on port 0."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic

import grpc
import grpc.aio
import pytest

from arena.bot.entry import _explain
from arena.bot.stream import End, StreamEnded
from arena.v1 import referee_pb2, referee_pb2_grpc
from tests.bot.fakes import SHUTDOWN, WELCOME, frame

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
TOKEN = "s3cret"
Context = grpc.aio.ServicerContext[referee_pb2.PlayRequest, referee_pb2.PlayResponse]
Script = Callable[["Referee", Context], Awaitable[None]]

LOWEST = """
from arena.bot import run
run(lambda view: view.legal_actions[0])
"""


class Referee(referee_pb2_grpc.RefereeServiceServicer):
    """Plays its script to whoever shows the token; counts the streams."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.answers: list[tuple[int, int]] = []
        self.hellos: list[referee_pb2.Hello] = []
        self.address = ""

    async def Play(  # type: ignore[override]  # noqa: N802
        self, _requests: AsyncIterator[referee_pb2.PlayRequest], context: Context
    ) -> None:
        metadata = dict(context.invocation_metadata() or ())
        if metadata.get("authorization") != f"Bearer {TOKEN}":
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "unknown token")
        request = await context.read()
        assert isinstance(request, referee_pb2.PlayRequest)
        self.hellos.append(request.hello)
        await context.write(WELCOME)
        await self._script(self, context)

    async def GetServerInfo(  # noqa: N802
        self, _request: referee_pb2.GetServerInfoRequest, _context: Context
    ) -> referee_pb2.GetServerInfoResponse:
        return referee_pb2.GetServerInfoResponse()

    async def ask(self, context: Context, *numbers: int) -> None:
        """Send a frame and wait until it is answered."""
        await context.write(frame(*numbers))
        wanted = len(self.answers) + len(numbers)
        while len(self.answers) < wanted:
            request = await context.read()
            assert isinstance(request, referee_pb2.PlayRequest), "the bot has gone"
            self.answers += [(answer.decision_id, int(answer.action)) for answer in request.answers]


@asynccontextmanager
async def referee(script: Script) -> AsyncIterator[tuple[Referee, grpc.aio.Server]]:
    here = Referee(script)
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    referee_pb2_grpc.add_RefereeServiceServicer_to_server(here, server)
    here.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield here, server
    finally:
        await server.stop(0)


async def start_bot(
    folder: Path, code: str, address: str, name: str = "mine.py", **environ: str
) -> asyncio.subprocess.Process:
    file = folder / name
    file.write_text(code, encoding="utf-8")
    return await asyncio.create_subprocess_exec(
        sys.executable,
        file,
        env={
            "PYTHONPATH": str(ROOT),
            "PATH": os.environ.get("PATH", ""),
            "ARENA_ADDRESS": address,
            "ARENA_TOKEN": TOKEN,
            **environ,
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def outcome(bot: asyncio.subprocess.Process) -> tuple[int | None, str]:
    async with asyncio.timeout(30):
        out, err = await bot.communicate()
    assert out == b""
    return bot.returncode, err.decode()


async def three_frames(here: Referee, context: Context) -> None:
    await here.ask(context, 1)
    await here.ask(context, 2, 3, 4)
    await context.write(SHUTDOWN)


async def one_frame(here: Referee, context: Context) -> None:
    await here.ask(context, 1)


async def for_ever(here: Referee, context: Context) -> None:
    await here.ask(context, 1)
    await asyncio.Event().wait()


@pytest.mark.parametrize("name", ["mine.py", "random.py"])
def test_a_bot_plays_to_the_end_of_the_run_and_exits_0(tmp_path: Path, name: str) -> None:
    """Also one whose file has the name of a module that grpc needs."""

    async def main() -> None:
        async with referee(three_frames) as (here, _server):
            bot = await start_bot(tmp_path, LOWEST, here.address, name)
            assert await outcome(bot) == (0, "")
            assert here.answers == [(1, 1), (2, 1), (3, 1), (4, 1)]
            assert [hello.name for hello in here.hellos] == [name.removesuffix(".py")]

    asyncio.run(main())


def test_a_coroutine_plays_as_well(tmp_path: Path) -> None:
    code = """
import asyncio
from arena.bot import Action, View, run

async def choose(view: View) -> Action:
    await asyncio.sleep(0)
    return view.legal_actions[1]

run(choose, max_in_flight=3)
"""

    async def main() -> None:
        async with referee(three_frames) as (here, _server):
            assert await outcome(await start_bot(tmp_path, code, here.address)) == (0, "")
            assert sorted(here.answers) == [(1, 2), (2, 2), (3, 2), (4, 2)]

    asyncio.run(main())


@pytest.mark.parametrize("is_async", [False, True])
def test_an_exception_shows_its_traceback_and_exits_1(tmp_path: Path, is_async: bool) -> None:
    word = "async " if is_async else ""
    code = (
        f"from arena.bot import run\n{word}def choose(view):\n    return view.no_such\nrun(choose)"
    )

    async def main() -> None:
        async with referee(three_frames) as (here, _server):
            code_, text = await outcome(await start_bot(tmp_path, code, here.address))
            assert code_ == 1
            assert "return view.no_such" in text
            assert "AttributeError" in text
            assert "error: the bot failed in choose(View(seat=" in text

    asyncio.run(main())


def test_a_refused_token_is_said_plainly(tmp_path: Path) -> None:
    async def main() -> None:
        async with referee(three_frames) as (here, _server):
            bot = await start_bot(tmp_path, LOWEST, here.address, ARENA_TOKEN="wrong")
            code, text = await outcome(bot)
            assert code == 2
            assert text.splitlines() == [
                f"error: the referee at {here.address} refused this bot",
                "unknown token",
                "try: ARENA_TOKEN_FILE=RUN/tokens/NAME, of the run that listens there",
            ]

    asyncio.run(main())


def test_a_bot_whose_referee_vanishes_exits_soon(tmp_path: Path) -> None:
    async def main() -> None:
        async with referee(for_ever) as (here, server):
            bot = await start_bot(tmp_path, LOWEST, here.address)
            while not here.answers:  # noqa: ASYNC110 (the answer comes from another process)
                await asyncio.sleep(0.02)
            gone = monotonic()
            await server.stop(0)
            code, text = await outcome(bot)
            assert monotonic() - gone < 8
            assert code == 1
            assert text.startswith(f"error: no referee at {here.address} any more")
            assert "Traceback" not in text

    asyncio.run(main())


def test_a_stream_that_breaks_is_opened_again(tmp_path: Path) -> None:
    async def breaks_once(here: Referee, context: Context) -> None:
        await here.ask(context, len(here.hellos))
        if len(here.hellos) == 1:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "hiccup")

    async def main() -> None:
        async with referee(breaks_once) as (here, _server):
            assert await outcome(await start_bot(tmp_path, LOWEST, here.address)) == (0, "")
            assert here.answers == [(1, 1), (2, 1)]

    asyncio.run(main())


@pytest.mark.parametrize("is_thinking", [False, True])
def test_sigterm_ends_a_bot_at_once(tmp_path: Path, is_thinking: bool) -> None:
    async def main() -> None:
        told = asyncio.Event()

        async def script(here: Referee, context: Context) -> None:
            await context.write(frame(1))
            told.set()
            await asyncio.Event().wait()

        think = "import time; time.sleep(60)" if is_thinking else "pass"
        code = (
            f"from arena.bot import run\ndef choose(view):\n    {think}\n    return 1\nrun(choose)"
        )
        async with referee(script) as (here, _server):
            bot = await start_bot(tmp_path, code, here.address)
            async with asyncio.timeout(30):
                await told.wait()
            begun = monotonic()
            bot.send_signal(signal.SIGTERM)
            assert (await outcome(bot))[0] == -signal.SIGTERM
            assert monotonic() - begun < 2

    asyncio.run(main())


def test_the_package_loads_without_grpc_and_asyncio() -> None:
    async def main() -> None:
        code = "import sys, arena.bot; print(sorted({'grpc', 'asyncio'} & set(sys.modules)))"
        probe = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            code,
            env={"PYTHONPATH": str(ROOT)},
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await probe.communicate()
        assert out == b"[]\n"

    asyncio.run(main())


@pytest.mark.parametrize("was_welcome, code, words", [(False, 2, "try: "), (True, 1, "any more")])
def test_a_referee_that_was_never_there_is_a_mistake_in_the_address(
    was_welcome: bool, code: int, words: str
) -> None:
    ended = StreamEnded(End.LOST, "connection refused")
    text, came = _explain(ended, "127.0.0.1:1", was_welcome=was_welcome)
    assert came == code
    assert text.startswith("no referee at 127.0.0.1:1")
    assert words in text
