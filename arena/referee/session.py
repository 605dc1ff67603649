"""A session: an entrant's connection to the referee over all its streams and processes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from arena.referee.table import Table
    from arena.referee.values import EntrantSpec, FaultKind
    from arena.rules.deal import Deal

RING: Final = 1024
"""Ids for which it is remembered how they were answered (FAULTS: closed long ago)."""
REPLACED: Final = 255
"""In the ring: the decision was replaced by the safe action."""
_COUNTER: Final = 0xFFFFFF
NEVER: Final = 1 << 63
"""A time that does not come, in ns."""


class Flow(IntEnum):
    """Where a session stands with its next frame."""

    IDLE = 0
    """Nothing to send."""
    WAITING = 1
    """Has decisions and waits for leave to send them."""
    GRANTED = 2
    """May send; its frame has not been taken yet."""
    BUSY = 3
    """Has a frame that is not fully answered."""


class Stray(IntEnum):
    """What an answer means whose decision is not open in the session."""

    NOISE = 0
    VIOLATION = 1


@dataclass(slots=True)
class NoticeOut:
    """A notice on its way to a bot."""

    kind: str
    """`FAULT`, `SHUTDOWN`, `REPLACED`, `BENCHED` or `VIOLATION`."""
    detail: str
    fault: FaultKind | None = None
    table: int = 0
    decision_id: int = 0
    late_ms: int = 0
    in_ms: int = 0


@dataclass(slots=True)
class EndOut:
    """The end of a table, shared by its four seats."""

    deal: Deal
    number: int = 0
    scores: tuple[int, ...] = ()
    is_void: bool = False
    wire: bytes | None = None
    """Kept for `arena.wire.frames`."""


@dataclass(slots=True)
class StartOut:
    """The start of a table, shared by its four seats."""

    names: tuple[str, ...]
    wire: bytes | None = None
    """Kept for `arena.wire.frames`."""


@dataclass(slots=True)
class Frame:
    """What goes to a bot in one message."""

    starts: list[tuple[int, int, StartOut]] = field(default_factory=list)
    """Table id, seat and start."""
    tables: list[Table] = field(default_factory=list)
    """The decisions: each is its table's open one."""
    times_ms: list[tuple[int, int]] = field(default_factory=list)
    """`move_ms` and `bank_ms` of each decision."""
    ends: list[tuple[int, EndOut]] = field(default_factory=list)
    """Table id and end."""
    notices: list[NoticeOut] = field(default_factory=list)
    frame_ms: int = 0


class Session:
    """What the referee keeps for an entrant. Mutable with slots: the hot path."""

    __slots__ = (
        "away_since",
        "charged_incidents",
        "counter",
        "crashes",
        "deals",
        "due",
        "ends",
        "faulty",
        "first_frame",
        "flow",
        "frame_size",
        "frame_start",
        "has_been_here",
        "hello_by",
        "incident",
        "incident_detail",
        "incident_kind",
        "index",
        "is_absent",
        "is_benched",
        "is_local",
        "last_answer",
        "max_in_flight",
        "name",
        "noise",
        "notices",
        "open",
        "outbox",
        "ring",
        "seats_open",
        "speed_ns",
        "starts",
        "stream",
        "streams",
        "table_counter",
        "unsent",
        "violations",
        "wants_flush",
    )

    def __init__(self, index: int, spec: EntrantSpec) -> None:
        self.index = index
        self.name = spec.name
        self.is_local = spec.is_local
        self.stream = 0
        """The number of the stream that is up, from 1; 0 while there is none."""
        self.streams = 0
        """Streams so far."""
        self.max_in_flight = 1
        self.flow = Flow.IDLE
        self.outbox: deque[Table] = deque()
        """Tables whose decision waits to be sent."""
        self.open: dict[int, Table] = {}
        """Tables whose decision has been sent, by decision id."""
        self.unsent: list[int] = []
        """Ids of open decisions that the stream that is up has not been sent again yet; those
        that have been answered meanwhile may be among them."""
        self.counter = 0
        self.table_counter = 0
        self.ring = bytearray(RING)
        self.frame_start = 0
        self.frame_size = 0
        self.last_answer = 0
        self.speed_ns = 0
        """Measured time a decision, in ns; 0 while nothing is known."""
        self.first_frame = True
        """Whether the next frame is the first of a process and has three times the time."""
        self.due = NEVER
        """No running clock of this session ends before this, in ns."""
        self.starts: list[tuple[int, int, StartOut]] = []
        self.ends: list[tuple[int, EndOut]] = []
        self.notices: list[NoticeOut] = []
        self.wants_flush = False
        """Whether a frame is to go even without decisions."""
        self.seats_open: dict[int, tuple[int, StartOut]] = {}
        """Tables in play, by table id, with seat and start: sent again after a reconnect."""
        # Attendance
        self.has_been_here = False
        self.hello_by = NEVER
        """When the process must have said Hello, in ns."""
        self.away_since = 0
        """Since when there is no stream, in ns."""
        self.is_absent = False
        """Whether it stayed away too long: its legs are played by safe actions."""
        self.incident = 0
        """The incident under which it is away, once there is one."""
        self.incident_kind: FaultKind | None = None
        self.incident_detail = ""
        # Counts for penalty and bench
        self.crashes = 0
        self.deals = 0
        self.faulty = 0
        self.charged_incidents: set[int] = set()
        self.is_benched = False
        self.violations = 0
        """Protocol violations on the stream that is up."""
        self.noise = 0
        """Late and repeated answers, which are ignored."""

    @property
    def is_up(self) -> bool:
        """Whether there is a stream to send to."""
        return self.stream != 0

    @property
    def is_played_safe(self) -> bool:
        """Whether its new legs are played by safe actions."""
        return self.is_benched or self.is_absent

    def still_unsent(self) -> list[int]:
        """Return the ids of open decisions that are to be sent again, oldest first."""
        if self.unsent:
            self.unsent = [key for key in self.unsent if key in self.open]
        return self.unsent

    def next_id(self) -> int:
        """Return a fresh decision id: the session's own count, above the session's index."""
        self.counter = counter = (self.counter + 1) & _COUNTER or 1
        return counter << 8 | self.index

    def next_table_id(self) -> int:
        """Return a fresh table id."""
        self.table_counter = (self.table_counter + 1) & 0xFFFFFFFF or 1
        return self.table_counter

    def close(self, decision_id: int, action: int) -> None:
        """Remember how a decision was answered; `REPLACED` when it was not."""
        self.ring[(decision_id >> 8) % RING] = action

    def judge_stray(self, decision_id: int, action: int) -> tuple[Stray, str]:
        """Judge an answer to a decision that is not open here (FAULTS: noise and PROTOCOL)."""
        if decision_id & 0xFF != self.index or decision_id == 0:
            return Stray.VIOLATION, "answered a decision that was never its own"
        age = (self.counter - (decision_id >> 8)) & _COUNTER
        if age > _COUNTER // 2:
            return Stray.VIOLATION, "answered a decision that never was"
        if age >= RING:
            return Stray.NOISE, "answered a decision that was closed long ago"
        answered = self.ring[(decision_id >> 8) % RING]
        if answered in (REPLACED, action):
            return Stray.NOISE, "answered a closed decision again"
        return Stray.VIOLATION, "answered a decision twice, differently"
