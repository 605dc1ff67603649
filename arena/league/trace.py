"""Every message to and from a bot as JSON Lines, for finding out what a bot does (`--trace`)."""

from __future__ import annotations

import json
from contextlib import suppress
from time import monotonic_ns
from typing import TYPE_CHECKING, Any, Self

from google.protobuf.json_format import MessageToDict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from google.protobuf.message import Message


class Trace:
    """Appends a bot's messages to a file, one JSON object a line.

    When the file does not take them, it says so once and stops: a trace never costs a bot.
    """

    def __init__(self, path: Path, say: Callable[[str], None]) -> None:
        self._path = path
        self._say = say
        self._file = path.open("a", encoding="utf-8", buffering=1)
        self._start = monotonic_ns()
        self._has_stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):  # what could not be written has been told
            self._file.close()

    def __call__(self, direction: str, message: Message) -> None:
        """Write a message; `direction` is `sent` or `received`, seen from the referee."""
        if self._has_stopped:
            return
        plain = MessageToDict(
            message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
        line = {"ms": (monotonic_ns() - self._start) / 1e6, direction: _pruned(plain)}
        try:
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            self._has_stopped = True
            self._say(f"{self._path}: {error.strerror}; the trace ends here, the run goes on")


def _pruned(value: Any) -> Any:
    """Return a message without its empty fields; a zero stays, since seat 0 is a seat."""
    if isinstance(value, list):
        return [_pruned(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _pruned(each)
        for key, each in value.items()
        if each not in ([], "") and not (isinstance(each, str) and each.endswith("_UNSPECIFIED"))
    }
