"""The one seam to the network: a stream of messages as bytes, and how it ends."""

from __future__ import annotations

from enum import Enum
from typing import Protocol


class End(Enum):
    """Why a stream ended, as far as it decides what to do next."""

    LOST = "lost"
    """The connection broke or could not be made: try again."""
    REFUSED = "refused"
    """The referee does not take this bot: trying again would not help."""
    UNKNOWN = "unknown"
    """The referee knows nobody with this token: likewise."""
    REPLACED = "replaced"
    """A newer stream with the same token has taken over."""
    EXPELLED = "expelled"
    """The bot broke the protocol too often."""


class StreamEnded(Exception):
    """A stream that ended otherwise than in good order; `detail` is for people."""

    def __init__(self, end: End, detail: str) -> None:
        super().__init__(detail)
        self.end = end
        self.detail = detail


class Stream(Protocol):
    """A stream to the referee. One reads at a time and one writes at a time."""

    async def read(self) -> bytes | None:
        """Return the next message, `None` when the referee has ended the stream in good order.

        Raises `StreamEnded` when it ended otherwise.
        """

    async def write(self, data: bytes) -> None:
        """Send a message; into a stream that has ended, nothing: the next read says how it did."""

    async def close(self) -> None:
        """Let go of everything that belongs to the stream."""


class Connect(Protocol):
    """Opens a new stream."""

    def __call__(self) -> Stream:
        """Return a stream; trouble with it shows in its first read or write."""
