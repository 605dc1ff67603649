"""Every message to and from a bot as JSON Lines, for finding out what a bot does (`--trace`)."""

from __future__ import annotations

import json
from time import monotonic_ns
from typing import TYPE_CHECKING, Self

from google.protobuf.json_format import MessageToDict

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from google.protobuf.message import Message


class Trace:
    """Appends a bot's messages to a file, one JSON object a line."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8", buffering=1)
        self._start = monotonic_ns()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def __call__(self, direction: str, message: Message) -> None:
        """Write a message; `direction` is `sent` or `received`, seen from the referee."""
        line = {
            "ms": (monotonic_ns() - self._start) / 1e6,
            direction: MessageToDict(message, preserving_proto_field_name=True),
        }
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
