"""What a line of a record says, as structs whose fields stand in the order of RECORD.

A line is one compact JSON object, `{"deal":{…},"crc32":"0f3a91c2"}`; `record_lines` writes
them, `record_reader` and `record_writer` handle whole files. Unknown fields are ignored when
a line is decoded; whoever writes a record anew copies lines as bytes, so they are kept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol

import msgspec

from arena.rules.ruleset import Ruleset

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMAT: Final = "brandeln-record/1"
"""The format of this package; the number after the slash is the major version."""
PASSED_OUT: Final = "PASSED_OUT"
PLAYED: Final = "PLAYED"
INCIDENT_EVENTS: Final = ("CRASHED", "DISCONNECTED", "PROTOCOL", "HOSTILE")
"""The kinds of event that are an incident of their own."""
EVENT_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(INCIDENT_EVENTS, ("incident", "entrant")),
    "BENCHED": ("entrant", "board", "crashes", "deals", "faulty"),
    "WITHDRAWN": ("entrant", "board"),
    "VOID": ("board", "leg"),
    "STOPPED": ("board",),
}
"""What an event of each kind says beside its detail (RECORD)."""
EVENT_KINDS: Final = tuple(EVENT_FIELDS)
INCIDENT_OF_FAULT: Final = {"CRASH": "CRASHED", "DISCONNECT": "DISCONNECTED"}
"""The faults that belong to an incident, and the event that tells of it."""
FAULT_KINDS: Final = ("ILLEGAL", "MALFORMED", "TIMEOUT", "DISCONNECT", "CRASH")
DETAIL_LENGTH: Final = 500
"""Characters of a detail at most (RECORD, faults)."""
NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")
"""What an entrant may be called (RECORD)."""


class Clock(msgspec.Struct, frozen=True):
    """The clock of every decision, in milliseconds; `move_ms` is 0 when there was none."""

    move_ms: int
    bank_ms: int


class Entrant(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the league: a bot that takes part."""

    name: str
    version: str
    digest: str
    """SHA-256 over its files, 64 hex digits; empty when the host has none."""
    command: str
    house: bool = False


class RulesetKnobs(msgspec.Struct, frozen=True):
    """The knobs of the game as the header has them; `rules()` is the ruleset they make."""

    name: str
    opening: str
    declare_above_bid: bool
    void: str
    trump_order: str
    passed_out_winner: str
    passed_out_tie: str
    passed_out_points: int
    passed_out_all_tricks: int

    def rules(self) -> Ruleset:
        """Return the ruleset. Raises `ConfigError` for a value that a knob cannot have."""
        return Ruleset.from_dict(msgspec.structs.asdict(self))

    def rules_only(self) -> tuple[object, ...]:
        """Return the knobs that decide something: all but the name."""
        return msgspec.structs.astuple(self)[1:]

    @classmethod
    def of(cls, ruleset: Ruleset) -> RulesetKnobs:
        """Return the knobs of a ruleset."""
        return msgspec.convert(ruleset.to_dict(), cls)


class Header(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The first line of a record: what was agreed before the first deal."""

    format: str
    producer: str
    league: str
    play: str
    ruleset: RulesetKnobs
    clock: Clock
    fault_points: int
    fault_crashes: int
    fault_share: float
    fault_after: int
    isolation: str
    sandbox: str
    passes: int
    seed_commitment: str
    public: str
    config_sha256: str
    entrants: tuple[Entrant, ...]
    target: int | None = None
    """Only in play to points: the score that ends a game."""
    max_deals: int | None = None
    """Only in play to points: the number of deals that ends a game."""
    field: tuple[str, ...] = ()
    """Only in gauntlet and paired play."""

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants' names, the house bot among them."""
        return tuple(entrant.name for entrant in self.entrants)


class FaultLine(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A decision that was replaced by the safe action."""

    seat: int
    action: int
    """The index of the decision among all actions of the deal, from 0."""
    kind: str
    incident: int | None = None
    detail: str


class DealLine(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A deal as recorded, played to its end."""

    board: int
    leg: int
    number: int
    dealer: int
    seats: tuple[str, str, str, str]
    hands: tuple[str, str, str, str]
    calls: tuple[str, ...]
    declarer: int | None = None
    contract: str
    trump: str | None = None
    tricks: tuple[str, ...]
    taken: tuple[int, int, int, int]
    points: tuple[int, int, int, int]
    think_us: tuple[int, int, int, int]
    slowest_us: tuple[int, int, int, int]
    faults: tuple[FaultLine, ...]
    end: str

    @property
    def key(self) -> tuple[int, int, int]:
        """Board, leg and number, which occur once in a record."""
        return self.board, self.leg, self.number


class EventLine(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Something that happened beside the deals; what a kind does not need is `None` or empty."""

    kind: str
    incident: int | None = None
    entrant: str = ""
    board: int | None = None
    leg: int | None = None
    crashes: int | None = None
    deals: int | None = None
    faulty: int | None = None
    detail: str = ""


class Footer(msgspec.Struct, frozen=True):
    """The last line of a finished record."""

    deals: int
    events: int
    lag_p99_us: int
    sha256: str
    """SHA-256 of all bytes before this line, 64 hex digits."""
    seed: str


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A whole line: one of the four is there."""

    header: Header | None = None
    deal: DealLine | None = None
    event: EventLine | None = None
    footer: Footer | None = None
    crc32: str


# --- the same deal for those who count only -----------------------------------------------------


_Seat = Annotated[int, msgspec.Meta(ge=0, le=3)]


class Tally(msgspec.Struct, frozen=True, gc=False):
    """A deal without its cards: what standings and resuming need, decoded in half the time."""

    board: Annotated[int, msgspec.Meta(ge=1, le=2**32 - 1)]
    leg: Annotated[int, msgspec.Meta(ge=0, le=7)]
    number: Annotated[int, msgspec.Meta(ge=1, le=2**32 - 1)]
    seats: tuple[str, str, str, str]
    points: tuple[int, int, int, int]
    think_us: tuple[int, int, int, int]
    slowest_us: tuple[int, int, int, int]
    faults: tuple[TallyFault, ...]
    declarer: Annotated[int, msgspec.Meta(ge=-1, le=3)] = -1

    @property
    def key(self) -> tuple[int, int, int]:
        """Board, leg and number, which occur once in a record."""
        return self.board, self.leg, self.number


class TallyFault(msgspec.Struct, frozen=True, gc=False):
    """A fault without its words."""

    seat: _Seat
    kind: str
    incident: int = 0


class TallyLine(msgspec.Struct, frozen=True, kw_only=True):
    """A whole line for those who count only."""

    header: Header | None = None
    deal: Tally | None = None
    event: EventLine | None = None
    footer: Footer | None = None


# --- what the referee hands over ----------------------------------------------------------------


class PlayedDeal(Protocol):
    """What a line of a deal needs of a finished `rules.Deal`."""

    @property
    def dealer(self) -> int: ...
    @property
    def hands(self) -> Sequence[int]: ...
    @property
    def actions(self) -> bytearray: ...
    @property
    def actors(self) -> bytearray: ...
    @property
    def contract(self) -> int: ...
    @property
    def trump(self) -> int: ...
    @property
    def declarer(self) -> int: ...
    @property
    def taken(self) -> Sequence[int]: ...
    @property
    def points(self) -> Sequence[int] | None: ...


class FaultOfDeal(Protocol):
    """What a line of a deal needs of a fault; `incident` is 0 when it belongs to none."""

    @property
    def seat(self) -> int: ...
    @property
    def action(self) -> int: ...
    @property
    def kind(self) -> Any: ...
    @property
    def detail(self) -> str: ...
    @property
    def incident(self) -> int: ...


class FinishedDeal(Protocol):
    """What the referee hands to the league when a deal is over (`referee.DealResult`)."""

    @property
    def board(self) -> int: ...
    @property
    def leg(self) -> int: ...
    @property
    def number(self) -> int: ...
    @property
    def seats(self) -> Sequence[str]: ...
    @property
    def deal(self) -> PlayedDeal: ...
    @property
    def think_us(self) -> Sequence[int]: ...
    @property
    def slowest_us(self) -> Sequence[int]: ...
    @property
    def faults(self) -> Sequence[FaultOfDeal]: ...
