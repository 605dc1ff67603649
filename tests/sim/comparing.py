"""What bots were sent, laid out so that two worlds can be compared (FAULTS, What holds)."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from arena.v1 import referee_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable

    from google.protobuf.message import Message

    from tests.sim.offenders import Place
    from tests.sim.world import Bot, World


def untimed(data: bytes) -> bytes:
    """Return a frame without the times that are measured."""
    frame = referee_pb2.PlayResponse.FromString(data)
    frame.frame_ms = 0
    for decision in frame.decisions:
        decision.move_ms = decision.bank_ms = 0
    return frame.SerializeToString(deterministic=True)


def frames_of(world: World, names: Iterable[str]) -> list[tuple[str, bytes]]:
    """Return the frames that some bots were sent, in order over all of them, without times."""
    wanted = set(names)
    return [(name, untimed(data)) for name, data in world.frames_in_order if name in wanted]


def tables_of(bot: Bot) -> Counter[tuple[bytes, ...]]:
    """Return what a bot was told at each table, in order, without ids and times."""
    told: defaultdict[int, list[bytes]] = defaultdict(list)
    for data in bot.frames:
        frame = referee_pb2.PlayResponse.FromString(data)
        for start in frame.table_starts:
            told[start.table].append(_bare(start, "table"))
        for decision in frame.decisions:
            told[decision.table].append(_bare(decision, "table", "id", "move_ms", "bank_ms"))
        for end in frame.table_ends:
            told[end.table].append(_bare(end, "table"))
    return Counter(map(tuple, told.values()))


def _bare(message: Message, *fields: str) -> bytes:
    for name in fields:
        message.ClearField(name)
    return message.SerializeToString(deterministic=True)


def asked_places(bot: Bot) -> set[Place]:
    """Return where a bot was asked."""
    places = set()
    for data in bot.frames:
        for decision in referee_pb2.PlayResponse.FromString(data).decisions:
            places.add((decision.random_seed, decision.seat, len(decision.actions)))
    return places
