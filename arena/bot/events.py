"""What a bot may be told besides decisions: how a table ended, and notices."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from arena.wire.game import FinishedDeal, deal_from_end

if TYPE_CHECKING:
    from arena.bot.view import Table
    from arena.v1 import referee_pb2


@dataclass(frozen=True, slots=True)
class TableResult:
    """A table that ended, with all that was hidden while it lasted."""

    table: Table
    deal: FinishedDeal | None
    """The deal with all four hands, in a game to points the last one; `None` for a void table,
    which does not count and is played again."""
    number: int | None
    """The number of deals of a game to points, else `None`."""
    scores: tuple[int, ...]
    """The final scores of a game to points by seat, else empty."""


def result_from_message(message: referee_pb2.TableEnd, table: Table) -> TableResult:
    """Return how a table ended.

    >>> from arena.bot.view import NO_TABLE
    >>> from arena.v1 import referee_pb2
    >>> result_from_message(referee_pb2.TableEnd(is_void=True), NO_TABLE).deal is None
    True
    """
    return TableResult(
        table=table,
        deal=deal_from_end(message),
        number=message.number or None,
        scores=tuple(message.scores),
    )


class NoticeKind(IntEnum):
    """What a notice says. A referee of the future may send others: they come as `OTHER`."""

    OTHER = 0
    FAULT = 1
    """A fault was charged: an illegal or malformed answer, or a late one."""
    SHUTDOWN = 2
    """The run is over or the referee shuts down: the stream will end."""
    REPLACED = 3
    """A newer connection with the same token has taken over."""
    BENCHED = 4
    """The bot plays no further in this league."""
    VIOLATION = 5
    """A message broke the protocol; no deal is concerned."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a bot should know that is neither a decision nor a table."""

    kind: NoticeKind
    fault: str
    """`ILLEGAL`, `MALFORMED`, `TIMEOUT`, `DISCONNECT` or `CRASH`; empty unless it is a fault."""
    table: int
    """The table concerned, 0 where there is none."""
    late_ms: int
    """By how much a decision was late, in milliseconds."""
    detail: str
    """The same in words."""

    def __str__(self) -> str:
        late = f" by {self.late_ms} ms" if self.late_ms else ""
        label = f"{self.kind.name.lower()} {self.fault}".rstrip()
        return f"{label}{late}: {self.detail}" if self.detail else f"{label}{late}"


_FAULTS = ("", "ILLEGAL", "MALFORMED", "TIMEOUT", "DISCONNECT", "CRASH")


def notice_from_message(message: referee_pb2.Notice) -> Notice:
    """Return a notice.

    >>> from arena.v1 import referee_pb2
    >>> print(notice_from_message(referee_pb2.Notice(kind=1, fault=3, late_ms=12, detail="slow")))
    fault TIMEOUT by 12 ms: slow
    """
    kind, fault = message.kind, message.fault
    return Notice(
        kind=NoticeKind(kind) if kind <= max(NoticeKind) else NoticeKind.OTHER,
        fault=_FAULTS[fault] if fault < len(_FAULTS) else f"FAULT {fault}",
        table=message.table,
        late_ms=message.late_ms,
        detail=message.detail,
    )
