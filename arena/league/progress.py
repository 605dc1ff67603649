"""How far a league is: what the runner tells, and what whoever shows it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TopRow:
    """An entrant near the top of the provisional standings."""

    name: str
    score: float
    """Net per 100 deals (or games)."""
    half_width: float | None
    """Half of its 95 % interval, in the same unit; `None` where there are too few boards."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How far a league is, at a moment."""

    name: str
    """The league's name."""
    deals_done: int
    deals_total: int
    """All deals of the league; in games to points, an estimate."""
    deals_before: int = 0
    """Of `deals_done`, those that were there when this run started."""
    elapsed_ms: int = 0
    """Since this run started to play."""
    faults: int = 0
    top: tuple[TopRow, ...] = ()
    """The first of the standings, best first."""
    state: str = ""
    """What is going on if it is not play, such as `waiting for greedy`."""


class Progress(Protocol):
    """Where a league says how far it is."""

    def update(self, snapshot: Snapshot) -> None:
        """Take note of how far the league is; cheap, may be called at any rate."""

    def say(self, line: str) -> None:
        """Tell a person something now, such as the commitment or a crash."""

    def close(self) -> None:
        """Stop showing."""
