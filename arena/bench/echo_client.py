"""A client of the echo: parses frames and answers the first legal action, without an SDK."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import grpc

from arena.v1 import referee_pb2
from arena.wire.game import encode_answer


async def answer(address: str) -> None:
    """Answer frames until the stream ends."""
    async with grpc.aio.insecure_channel(address, [("grpc.enable_http_proxy", 0)]) as channel:
        call: Any = channel.stream_stream("/arena.v1.RefereeService/Play")()
        hello = referee_pb2.PlayRequest(hello=referee_pb2.Hello(name="echo"))
        await call.write(hello.SerializeToString())
        while True:
            data: Any = await call.read()
            if data is grpc.aio.EOF:
                break
            frame = referee_pb2.PlayResponse.FromString(data)
            answers = [encode_answer(asked.id, asked.legal[0]) for asked in frame.decisions]
            await call.write(b"".join(answers))
        call.cancel()


if __name__ == "__main__":
    asyncio.run(answer(sys.argv[1]))
