"""What goes into the referee and what comes out of it: plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from arena.rules.ruleset import BRANDELN, Ruleset

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.rules.deal import Deal

MS: Final = 1_000_000
"""Nanoseconds in a millisecond."""
DETAIL_LENGTH: Final = 500
"""Characters of a fault's or event's detail (RECORD, faults)."""


class FaultKind(StrEnum):
    """What went wrong with a decision (FAULTS, Faults)."""

    ILLEGAL = "ILLEGAL"
    MALFORMED = "MALFORMED"
    TIMEOUT = "TIMEOUT"
    DISCONNECT = "DISCONNECT"
    CRASH = "CRASH"


class EventKind(StrEnum):
    """What an event of a record says (RECORD, event.kind)."""

    CRASHED = "CRASHED"
    DISCONNECTED = "DISCONNECTED"
    PROTOCOL = "PROTOCOL"
    HOSTILE = "HOSTILE"
    BENCHED = "BENCHED"
    WITHDRAWN = "WITHDRAWN"
    VOID = "VOID"
    STOPPED = "STOPPED"


@dataclass(frozen=True, slots=True)
class Fault:
    """A decision that was replaced by the safe action."""

    seat: int
    action: int
    """Index of the decision among all actions of the deal, from 0."""
    kind: FaultKind
    detail: str
    incident: int = 0
    """The incident it belongs to, from 1; 0 for a fault of its own."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a league beside its deals; 0 and "" where nothing applies."""

    kind: EventKind
    entrant: str = ""
    detail: str = ""
    incident: int = 0
    board: int = 0
    leg: int = 0
    crashes: int = 0
    deals: int = 0
    faulty: int = 0


@dataclass(frozen=True, slots=True)
class Clock:
    """The time bots have, in milliseconds. `move_ms` 0 turns the clock off."""

    move_ms: int = 1000
    """For each decision."""
    bank_ms: int = 2000
    """For all a seat's decisions of a deal together, beyond `move_ms`."""
    start_ms: int = 10_000
    """From the start of a bot to its Hello, and for coming back."""

    @property
    def is_off(self) -> bool:
        """Whether nobody is judged late."""
        return self.move_ms == 0


@dataclass(frozen=True, slots=True)
class Policy:
    """What faults cost (FAULTS, Penalty and Bench)."""

    points: int = 1
    crashes: int = 3
    """An entrant is benched at the first crash beyond these."""
    share: float = 0.1
    """An entrant is benched when more than this share of its deals has a fault …"""
    after: int = 20
    """… once it has played this many deals."""
    strict: bool = False
    """Whether the first fault ends the run."""


@dataclass(frozen=True, slots=True)
class EntrantSpec:
    """An entrant as the referee needs to know it."""

    name: str
    is_local: bool = True
    """Whether the arena starts its process; else it dials in."""


@dataclass(frozen=True, slots=True)
class EntrantHistory:
    """What the record of an interrupted run says about an entrant."""

    crashes: int = 0
    deals: int = 0
    faulty: int = 0
    """Deals with a fault, incidents counted as one."""
    incidents: frozenset[int] = frozenset()
    """Incidents already counted among `faulty`."""
    is_benched: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """What the record of an interrupted run says, for going on."""

    incidents: int = 0
    """The number of the last incident."""
    highest_board: int = 0
    """The highest board begun."""
    entrants: Mapping[str, EntrantHistory] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LegPlan:
    """One playing of a board; `seats` names the entrants by seat."""

    leg: int
    seats: tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """A board and the legs that are to be played, in playing order."""

    board: int
    legs: Sequence[LegPlan]


@dataclass(frozen=True, slots=True)
class Game:
    """What every table plays."""

    key: bytes
    """The league's key (DECK 4)."""
    ruleset: Ruleset = BRANDELN
    target: int = 0
    """In games to points the score that ends a game; 0: single deals."""
    max_deals: int = 0
    """In games to points the deal after which a game ends in any case."""
    shows_names: bool = True
    """Whether bots are told who sits where; not in a duel, not when anonymous."""


@dataclass(slots=True)
class DealResult:
    """A finished deal, as the record needs it."""

    board: int
    leg: int
    number: int
    seats: tuple[str, str, str, str]
    deal: Deal
    """The finished deal: hands, dealer, actions, contract, tricks and points."""
    think_us: list[int]
    """Think time of all decisions, by seat, in microseconds."""
    slowest_us: list[int]
    """Think time of the longest decision, by seat, in microseconds."""
    faults: list[Fault]


class StopKind(StrEnum):
    """Why a run ended before its last board."""

    NOT_STARTED = "a bot could not be started"
    STAYED_AWAY = "bots stayed away"
    STRICT = "the first fault ends a strict run"


@dataclass(frozen=True, slots=True)
class Stop:
    """The referee's decision to end a run early."""

    kind: StopKind
    entrant: str
    detail: str
