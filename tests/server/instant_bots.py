"""Bots in a process of their own that answer everything at once, whatever the referee's loop does.

python instant_bots.py ADDRESS NAME TOKEN [NAME TOKEN ...]
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

import grpc

from arena.v1 import referee_pb2


async def play(channel: grpc.aio.Channel, name: str, token: str) -> None:
    metadata = (("authorization", f"Bearer {token}"),)
    call: Any = channel.stream_stream("/arena.v1.RefereeService/Play")(metadata=metadata)
    hello = referee_pb2.Hello(name=name, max_in_flight=128)
    await call.write(referee_pb2.PlayRequest(hello=hello).SerializeToString())
    while (data := await call.read()) is not grpc.aio.EOF:
        frame = referee_pb2.PlayResponse.FromString(data)
        if frame.decisions:
            answers = [
                referee_pb2.Answer(decision_id=asked.id, action=asked.legal[0])
                for asked in frame.decisions
            ]
            request = referee_pb2.PlayRequest(answers=answers)
            await call.write(request.SerializeToString())


async def main(address: str, *tokens: str) -> None:
    options = (("grpc.enable_http_proxy", 0),)
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        pairs = zip(tokens[::2], tokens[1::2], strict=True)
        await asyncio.gather(*(play(channel, name, token) for name, token in pairs))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
