"""The errors of the arena, one tree.

    ArenaError
    ├── ConfigError      a command, a league file or a bot's files are wrong      exit 2
    ├── RecordError      a record cannot be read                                   exit 2
    ├── EndedEarly       the run stopped and can be resumed                        exit 3
    ├── MachineError     port, folder, disk, descriptors, a missing extra          exit 4
    ├── StrictFault      the first fault of a run under --strict                   exit 1
    ├── IllegalAction    an action the rules do not allow here, with its reason
    └── MalformedFrame   bytes from a bot that are no message of the protocol

Only `arena.cli` knows the exit codes and only `arena.server` knows gRPC status codes.
A mistake of a bot is data (a `Fault`), not an exception that reaches the server's loop.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class ArenaError(Exception):
    """An error with up to three short lines for a person: what, why, and what to try."""

    def __init__(self, message: str, *, why: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.why = why
        self.hint = hint

    def __str__(self) -> str:
        """The lines that are there, joined."""
        tail = f"try: {self.hint}" if self.hint else ""
        return "\n".join(line for line in (self.message, self.why, tail) if line)


class ConfigError(ArenaError):
    """A command line, league file, ruleset, seed or bot that cannot be used as given."""


class RecordError(ArenaError):
    """A record that cannot be read, with the place.

    `line` counts from 1; it is 0 when the trouble is with the file as a whole.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | Path = "",
        line: int = 0,
        why: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message, why=why, hint=hint)
        self.path = str(path)
        self.line = line


class EndedEarly(ArenaError):
    """A run that stopped before its end, lost nothing, and can be resumed."""


class MachineError(ArenaError):
    """Something the machine does not give: a port, a folder, a descriptor, an extra."""


class StrictFault(ArenaError):
    """The first fault of a run that was asked to stop at it."""


class MalformedFrame(ArenaError):
    """Bytes that are no message of the protocol."""


class Reason(StrEnum):
    """Why an action is illegal; the value is what a person reads."""

    UNKNOWN_ACTION = "no such action"
    DEAL_OVER = "the deal is over"
    NOT_YOUR_TURN = "not your turn"
    WRONG_PHASE = "not in this phase"
    OPENING_MUST_BE_BRANDELN = "an opening bid must be BRANDELN"
    MUST_RAISE = "a bid must be above the standing bid"
    TRUMP_MISSING = "the declaration must name a trump suit"
    CONTRACT_BELOW_BID = "the contract is below your bid"
    CONTRACT_NOT_BID = "the contract must be exactly your bid"
    NOT_IN_YOUR_HAND = "the card is not in your hand"
    MUST_FOLLOW = "you must follow the led suit"
    MUST_TRUMP = "you must play a trump when you cannot follow"


class IllegalAction(ArenaError):
    """An action that the rules do not allow here; `reason` says which rule."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
