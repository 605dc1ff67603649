"""The life of a bot on the wire: hello, frames, reconnecting, the end.

Time and network are handed in, so the tests of this module wait for nothing.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable
from typing import Final, cast

from google.protobuf.message import DecodeError

from arena.bot.events import NoticeKind, notice_from_message, result_from_message
from arena.bot.settings import Callbacks, Settings
from arena.bot.stream import Connect, End, Stream, StreamEnded
from arena.bot.view import NO_TABLE, Table, View, action_number
from arena.rules.actions import Action
from arena.rules.ruleset import Ruleset
from arena.v1 import referee_pb2
from arena.version import __version__
from arena.wire.game import encode_answer, ruleset_from_message

PROTOCOL_VERSION: Final = 1
WELCOME_S: Final = 30.0
"""How long a referee may take to answer a hello, in seconds."""
FIRST_WAIT_S: Final = 0.05
LONGEST_WAIT_S: Final = 1.0
"""Seconds between attempts to connect: doubled from the first to the longest."""
HOLD_BACK_S: Final = 0.02
"""How long a ready answer may wait for the others of its frame, in seconds: clocks stop when the
referee reads it, and a message costs as much as twenty decisions."""
NOTICES_SHOWN: Final = 100
"""Notices printed in a bot's life; a bot that is told more knows."""


class BotCrash(Exception):
    """The bot's own code raised; the cause is what it raised, `where` what it was asked."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.where = where


class Client:
    """One bot at work, over as many streams as it takes."""

    def __init__(
        self,
        callbacks: Callbacks,
        settings: Settings,
        connect: Connect,
        *,
        clock: Callable[[], float],
        address: str = "its address",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True),
    ) -> None:
        self._callbacks = callbacks
        self._settings = settings
        self._connect = connect
        self._clock = clock
        self._address = address
        self._sleep = sleep
        self._say = say
        self._tables: dict[int, Table] = {}
        self._rulesets: dict[bytes, Ruleset] = {}
        self._notices = 0
        self.was_welcome = False
        """Whether a referee has taken this bot."""
        self._is_last = False
        self._last_seen = clock()
        self._wait_s = FIRST_WAIT_S
        choose = callbacks.choose
        call = getattr(choose, "__call__", None)  # noqa: B004 (an object with an async __call__)
        self._is_async = inspect.iscoroutinefunction(choose) or inspect.iscoroutinefunction(call)

    async def play(self) -> None:
        """Play until the run is over.

        Raises `StreamEnded` when the referee refuses this bot or stays away, and `BotCrash` when
        a function of the bot raises.
        """
        while True:
            try:
                await self._play_stream()
            except StreamEnded as error:
                if self._is_last:
                    return
                if error.end is not End.LOST:
                    raise
                settings = self._settings
                limit = settings.gone_s if self.was_welcome else settings.patience_s
                if self._clock() - self._last_seen >= limit:
                    raise
                if not self.was_welcome and self._wait_s == FIRST_WAIT_S:
                    self._say(f"no referee at {self._address} yet, trying for {limit} s")
            else:
                return
            wait = self._wait_s
            self._wait_s = min(2 * wait, LONGEST_WAIT_S)
            await self._sleep(wait)

    async def _play_stream(self) -> None:
        """Play over one stream to its end in good order; raises `StreamEnded` otherwise."""
        stream = self._connect()
        try:
            await stream.write(self._hello())
            async with asyncio.timeout(WELCOME_S):
                data = await stream.read()
            if data is None:
                return
            welcome = _parse(data)
            if not welcome.HasField("welcome"):
                detail = "the referee's first message is no welcome: does it speak arena.v1?"
                raise StreamEnded(End.REFUSED, detail)
            self.was_welcome = True
            self._wait_s = FIRST_WAIT_S
            self._last_seen = self._clock()
            if self._is_async:
                await self._answer_side_by_side(stream)
            else:
                await self._answer_in_turn(stream)
        except TimeoutError:
            raise StreamEnded(End.LOST, f"no answer to hello within {WELCOME_S:g} s") from None
        finally:
            await stream.close()

    def _hello(self) -> bytes:
        settings = self._settings
        hello = referee_pb2.Hello(
            name=settings.name,
            version=settings.version,
            max_in_flight=settings.max_in_flight,
            sdk=f"arena-python/{__version__}",
            protocol_version=PROTOCOL_VERSION,
        )
        return referee_pb2.PlayRequest(hello=hello).SerializeToString()

    async def _next_frame(self, stream: Stream) -> referee_pb2.PlayResponse | None:
        """Return the next frame, its starts already processed; `None` at the end."""
        try:
            data = await stream.read()
        finally:
            self._last_seen = self._clock()
        if data is None:
            return None
        frame = _parse(data)
        for start in frame.table_starts:
            self._start_table(start)
        return frame

    # A plain function: one decision after the other, answers joined while they come quickly.

    async def _answer_in_turn(self, stream: Stream) -> None:
        clock = self._clock
        choose = cast("Callable[[View], int]", self._callbacks.choose)
        while (frame := await self._next_frame(stream)) is not None:
            answers: list[bytes] = []
            due = clock() + HOLD_BACK_S
            for decision in frame.decisions:
                view = View(decision, self._tables.get(decision.table, NO_TABLE))
                try:
                    choice = choose(view)
                    action = choice if type(choice) is Action else action_number(choice)
                    answers.append(encode_answer(decision.id, action))
                except Exception as error:
                    raise BotCrash(_describe(view)) from error
                if clock() >= due:
                    await stream.write(b"".join(answers))
                    answers.clear()
                    due = clock() + HOLD_BACK_S
            if answers:
                await stream.write(b"".join(answers))
            self._finish_frame(frame)

    # A coroutine: all decisions at once, each answer as soon as it is there.

    async def _answer_side_by_side(self, stream: Stream) -> None:
        answers: list[bytes] = []
        is_ready = asyncio.Event()

        async def decide(decision: referee_pb2.Decision) -> None:
            choose = cast("Callable[[View], Awaitable[int]]", self._callbacks.choose)
            view = View(decision, self._tables.get(decision.table, NO_TABLE))
            try:
                answers.append(encode_answer(decision.id, action_number(await choose(view))))
            except Exception as error:
                raise BotCrash(_describe(view)) from error
            is_ready.set()

        async def send() -> None:
            while True:
                await is_ready.wait()
                is_ready.clear()
                data = b"".join(answers)
                answers.clear()
                await stream.write(data)

        try:
            async with asyncio.TaskGroup() as group:
                sender = group.create_task(send())
                thinkers: set[asyncio.Task[None]] = set()
                while (frame := await self._next_frame(stream)) is not None:
                    for decision in frame.decisions:
                        thinker = group.create_task(decide(decision))
                        thinkers.add(thinker)
                        thinker.add_done_callback(thinkers.discard)
                    self._finish_frame(frame)
                for task in (sender, *thinkers):
                    task.cancel()
        except BaseExceptionGroup as group_error:
            raise group_error.exceptions[0] from group_error.exceptions[0].__cause__

    # Tables and notices.

    def _start_table(self, start: referee_pb2.TableStart) -> None:
        rules = start.ruleset.SerializeToString()
        ruleset = self._rulesets.get(rules)
        if ruleset is None:
            ruleset = self._rulesets[rules] = ruleset_from_message(start.ruleset)
        # After a reconnect the open tables start again: news for nobody.
        is_new = start.table not in self._tables
        table = Table(
            id=start.table,
            seat=start.seat,
            ruleset=ruleset,
            players=tuple(start.names),
            move_ms=start.move_ms,
            bank_ms=start.bank_ms,
            target=start.target or None,
        )
        self._tables[start.table] = table
        if is_new and self._callbacks.on_table_start:
            try:
                self._callbacks.on_table_start(table)
            except Exception as error:
                raise BotCrash(f"on_table_start({table})") from error

    def _finish_frame(self, frame: referee_pb2.PlayResponse) -> None:
        """Process what comes after the decisions: ends, then notices."""
        for end in frame.table_ends:
            table = self._tables.pop(end.table, NO_TABLE)
            if self._callbacks.on_table_end:
                result = result_from_message(end, table)
                try:
                    self._callbacks.on_table_end(result)
                except Exception as error:
                    raise BotCrash(f"on_table_end({result})") from error
        for message in frame.notices:
            notice = notice_from_message(message)
            self._is_last = self._is_last or notice.kind is NoticeKind.SHUTDOWN
            if self._callbacks.on_notice:
                try:
                    self._callbacks.on_notice(notice)
                except Exception as error:
                    raise BotCrash(f"on_notice({notice})") from error
            elif notice.kind is not NoticeKind.SHUTDOWN:
                self._notices += 1
                if self._notices <= NOTICES_SHOWN:
                    self._say(f"arena.bot: {notice}")


def _parse(data: bytes) -> referee_pb2.PlayResponse:
    try:
        return referee_pb2.PlayResponse.FromString(data)
    except DecodeError:
        detail = "what came is no message of arena.v1"
        raise StreamEnded(End.REFUSED, detail) from None


def _describe(view: View) -> str:
    """Return what was asked, even if the question itself cannot be read."""
    try:
        return f"choose({view!r})"
    except Exception as error:  # noqa: BLE001 (the bot's own error is what matters)
        return f"choose(a view that cannot be shown: {error})"
