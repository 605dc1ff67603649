"""Streams whose writes are slow to return, or do not return: what a busy machine does by chance."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from arena.server.stream import Stream

if TYPE_CHECKING:
    import grpc

    from arena.server.server import RefereeServer


class SlowContext:
    """A context whose writes come back some time after the bytes have gone."""

    def __init__(self, context: Any) -> None:
        self._context = context

    async def write(self, data: bytes) -> None:
        await self._context.write(data)
        # The bot's answer arrives in this time: several turns of the loop, and 2 ms more.
        await asyncio.sleep(0.002)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


class StuckContext(SlowContext):
    """A context whose writes never return once there is a bot that does not read."""

    writes = 0

    async def write(self, data: bytes) -> None:
        self.writes += 1
        if self.writes > 2:
            await asyncio.Event().wait()
        await self._context.write(data)


class SlowStream(Stream):
    """A stream as it is, over slow writes."""

    wrapped: type[SlowContext] = SlowContext

    def __init__(
        self,
        server: RefereeServer,
        name: str,
        context: grpc.aio.ServicerContext[bytes, bytes],
    ) -> None:
        wrapped: Any = self.wrapped(context)
        super().__init__(server, name, wrapped)


class StuckStream(SlowStream):
    """A stream as it is, over writes that get stuck."""

    wrapped = StuckContext
