"""What a bot prints: into its log up to a limit, its end kept for messages, never to a terminal."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Final

from arena.league.units import format_size
from arena.printable import printable

TAIL_BYTES: Final = 2048
"""What is kept of the end of the output."""
DETAIL_CHARACTERS: Final = 400
"""What a message shows of it; a record's detail has at most 500 (RECORD)."""
LINE_CHARACTERS: Final = 160
"""What is shown of one of its lines."""
_CHUNK: Final = 65536
_FLOOD_PAUSE_S: Final = 0.01
"""Between two reads once the log is full, so that a flood costs the referee next to nothing."""


class Output:
    """Drains the pipe of one process. Needs a running loop."""

    def __init__(self, pipe: int, log: Path, limit: int) -> None:
        """Begin to drain. `pipe` is the end to read, closed at the end; `limit` in bytes.

        Raises `OSError` when the log cannot be opened; a link is not followed.
        """
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._log = os.open(
            log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        self._limit = limit
        self._left = limit
        self._full = False
        self._tail = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        os.set_blocking(pipe, False)
        self._loop.add_reader(pipe, self._read)

    @property
    def tail(self) -> str:
        """The end of what was printed, on one line, fit to be shown."""
        text = printable(bytes(self._tail).decode(errors="replace"))
        return text if len(text) <= DETAIL_CHARACTERS else f"...{text[3 - DETAIL_CHARACTERS :]}"

    @property
    def tail_lines(self) -> list[str]:
        """The last whole lines of what was printed, without blank ones, each fit to be shown."""
        lines = bytes(self._tail).decode(errors="replace").splitlines()
        if len(self._tail) >= TAIL_BYTES:
            del lines[0]  # its beginning is gone
        # A mark under a word, as in tracebacks, keeps its place.
        shown = [" " * (len(line) - len(line.lstrip())) + printable(line) for line in lines]
        return [line[:LINE_CHARACTERS] for line in shown if line.strip()]

    def note(self, text: str) -> None:
        """Write a line of the arena's own into the log."""
        self._write(f"[arena] {text}\n".encode(errors="replace"))

    def close(self) -> None:
        """Read what is left in the pipe and let go. Calling it again does nothing."""
        if self._pipe < 0:
            return
        for _ in range(64):  # as much as a pipe can hold, and no more of a flood
            if self._take() <= 0:
                break
        self._stop_reading()
        os.close(self._pipe)
        os.close(self._log)
        self._pipe = -1

    def _read(self) -> None:
        if self._take() == 0:
            self._stop_reading()
        elif self._full:
            self._stop_reading()
            self._timer = self._loop.call_later(_FLOOD_PAUSE_S, self._resume)

    def _resume(self) -> None:
        self._timer = None
        self._loop.add_reader(self._pipe, self._read)

    def _stop_reading(self) -> None:
        self._loop.remove_reader(self._pipe)
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _take(self) -> int:
        """Read once and return how many bytes came, 0 at the end, -1 when there is nothing yet."""
        try:
            data = os.read(self._pipe, _CHUNK)
        except BlockingIOError:
            return -1
        self._tail = (self._tail + data)[-TAIL_BYTES:]
        if not self._full:
            kept = data[: self._left]
            self._left -= len(kept)
            self._write(kept)
            if len(kept) < len(data):
                self._full = True
                newline = "" if kept.endswith(b"\n") else "\n"
                size = format_size(self._limit)
                self._write(f"{newline}[arena] over {size}: the rest is dropped\n".encode())
        return len(data)

    def _write(self, data: bytes) -> None:
        try:
            os.write(self._log, data)
        except OSError:  # a full disk must not end a league for a bot's chatter
            self._full = True
