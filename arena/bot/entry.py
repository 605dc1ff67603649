"""`run`: what a bot's file calls."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from arena.bot.events import Notice, TableResult
from arena.bot.settings import Callbacks, Choose, Settings, find_referee
from arena.bot.stream import End, StreamEnded
from arena.bot.view import Table
from arena.errors import ArenaError

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


def run(
    choose: Choose,
    *,
    name: str | None = None,
    version: str = "",
    max_in_flight: int = 1,
    address: str | None = None,
    token: str | None = None,
    on_table_start: Callable[[Table], None] | None = None,
    on_table_end: Callable[[TableResult], None] | None = None,
    on_notice: Callable[[Notice], None] | None = None,
) -> None:
    """Play for a referee until it ends the run, then return.

    `choose` is a function or a coroutine function from a `View` to one of its legal actions (an
    `Action`, a `Card` in the play, or an action's number). It is asked one decision at a time
    unless `max_in_flight` (1 to 128) allows more in one message: all of them have the same time,
    so a quick function gives 128. The decisions of a message are put to a plain function one
    after the other, and to a coroutine function all at once.

    The address and token come from ARENA_ADDRESS and ARENA_TOKEN, or ARENA_TOKEN_FILE, when they
    are not given. `name` is the file's own when not given. Notices are printed on stderr unless
    there is an `on_notice`.

    Raises `SystemExit`: 1 when a function of the bot raised (its traceback is printed) or the
    referee is gone for good, 2 when it was never reached or refuses the bot. A
    signal ends the process as usual.

    >>> import os
    >>> os.environ.pop("ARENA_ADDRESS", None) and None
    >>> run(lambda view: view.legal_actions[0])
    Traceback (most recent call last):
    SystemExit: 2
    """
    try:
        settings = Settings(
            name=_own_name() if name is None else name,
            version=version,
            max_in_flight=max_in_flight,
        )
        referee = find_referee(address, token)
    except ArenaError as error:
        _fail(str(error), EXIT_USAGE)
    with _library_first():
        import asyncio

        from arena.bot.client import BotCrash, Client
        from arena.bot.network import GrpcStream

    callbacks = Callbacks(choose, on_table_start, on_table_end, on_notice)
    client = Client(
        callbacks,
        settings,
        lambda: GrpcStream(*referee),
        clock=time.monotonic,
        address=referee[0],
    )
    try:
        asyncio.run(client.play())
    except BotCrash as crash:
        cause = crash.__cause__ or crash
        traceback.print_exception(cause)
        _fail(f"the bot failed in {crash.where}", EXIT_FAILED)
    except StreamEnded as ended:
        _fail(*_explain(ended, referee[0], was_welcome=client.was_welcome))
    except ArenaError as error:
        _fail(str(error), EXIT_FAILED)
    except KeyboardInterrupt:
        raise SystemExit(EXIT_INTERRUPTED) from None


@contextmanager
def _library_first() -> Iterator[None]:
    """Look for modules beside the bot's file last.

    A bot may be called random.py; what asyncio and grpc import must still be the library's.
    """
    path, sys.path[:] = list(sys.path), [*sys.path[1:], *sys.path[:1]]
    try:
        yield
    finally:
        sys.path[:] = path


def _own_name() -> str:
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    return Path(main).stem[:64] if main else ""


def _explain(ended: StreamEnded, address: str, *, was_welcome: bool) -> tuple[str, int]:
    """Return what to tell a person, and the exit code."""
    match ended.end:
        case End.REPLACED:
            return "a newer connection with this bot's token has taken over", 0
        case End.REFUSED:
            return f"the referee at {address} refused this bot\n{ended.detail}", EXIT_USAGE
        case End.UNKNOWN:
            text = f"the referee at {address} refused this bot\n{ended.detail}"
            hint = "ARENA_TOKEN_FILE=RUN/tokens/NAME, of the run that listens there"
            return f"{text}\ntry: {hint}", EXIT_USAGE
        case End.EXPELLED:
            return f"the referee at {address} closed the stream\n{ended.detail}", EXIT_FAILED
        case _ if was_welcome:
            return f"no referee at {address} any more\n{ended.detail}", EXIT_FAILED
        case _:
            hint = "start the league first; it says where it listens"
            return f"no referee at {address}\n{ended.detail}\ntry: {hint}", EXIT_USAGE


def _fail(text: str, code: int) -> NoReturn:
    label = "error" if code else "note"
    print(f"{label}: {text}", file=sys.stderr, flush=True)
    raise SystemExit(code)
