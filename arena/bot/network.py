"""Streams over grpc.aio. The only module of the SDK that imports grpc, and only `run` loads it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import Final

# Before the import of grpc: this process never forks (GRPC, Processes).
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"
# A bot's stderr is for its author: grpc's notes on closing connections would fill it.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")

import grpc
import grpc.aio

from arena.bot.stream import End, StreamEnded

METHOD: Final = "/arena.v1.RefereeService/Play"

OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    ("grpc.enable_http_proxy", 0),
    # Each channel its own connection: a shared one would inherit the waits of failed attempts.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_receive_message_length", 16 << 20),
    ("grpc.http2.bdp_probe", 0),
)
REMOTE_OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    # A far host that is cut off sends no end of stream. Not under 30 s (CONVENTIONS, Clients), and
    # not on this machine, where a referee that is stopped in a debugger must not lose its bots.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
)

ENDS: Final = {
    grpc.StatusCode.UNAUTHENTICATED: End.UNKNOWN,
    grpc.StatusCode.PERMISSION_DENIED: End.REFUSED,
    grpc.StatusCode.INVALID_ARGUMENT: End.REFUSED,
    grpc.StatusCode.FAILED_PRECONDITION: End.REFUSED,
    grpc.StatusCode.UNIMPLEMENTED: End.REFUSED,
    grpc.StatusCode.ABORTED: End.REPLACED,
    grpc.StatusCode.RESOURCE_EXHAUSTED: End.EXPELLED,
}
"""What a status means to a bot; every other one is a lost connection."""


def is_local(address: str) -> bool:
    """Return whether an address is on this machine.

    >>> is_local("127.0.0.1:50051"), is_local("unix:/tmp/a.sock"), is_local("arena.example:443")
    (True, True, False)
    """
    return address.startswith(("unix:", "127.", "localhost:", "[::1]:"))


class GrpcStream:
    """One call of `Play` on a channel of its own."""

    def __init__(self, address: str, token: str) -> None:
        options = OPTIONS if is_local(address) else OPTIONS + REMOTE_OPTIONS
        self._channel = grpc.aio.insecure_channel(address, options=options)
        # Without serializers: bytes in, bytes out.
        play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(METHOD)
        self._call = play(metadata=(("authorization", f"Bearer {token}"),))

    async def read(self) -> bytes | None:
        """Return the next message, `None` at the end; raises `StreamEnded`."""
        try:
            data = await self._call.read()
        except grpc.aio.AioRpcError as error:
            raise _ended(error) from None
        if isinstance(data, bytes):
            return data
        code = await self._call.code()
        if code is grpc.StatusCode.OK:
            return None
        detail = await self._call.details() or code.name
        raise StreamEnded(ENDS.get(code, End.LOST), detail)

    async def write(self, data: bytes) -> None:
        """Send a message, unless the stream has ended: the next read says how."""
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self._call.write(data)

    async def close(self) -> None:
        """Cancel the call and close the channel: neither is collected otherwise (GRPC, Streams)."""
        self._call.cancel()
        await self._channel.close()


def _ended(error: grpc.aio.AioRpcError) -> StreamEnded:
    code = error.code()
    return StreamEnded(ENDS.get(code, End.LOST), error.details() or code.name)
