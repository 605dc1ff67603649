"""How a bot introduces itself, where its referee is, and what its author wants to hear of."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.bot.events import Notice, TableResult
from arena.bot.view import Table, View
from arena.errors import ConfigError

Choice = int
"""What `choose` returns: an `Action`, a `Card` in the play, or an action's number."""
Choose = Callable[[View], Choice] | Callable[[View], Awaitable[Choice]]

MOST_IN_FLIGHT: Final = 128
LABEL_LENGTH: Final = 64
"""The longest name or version in characters."""


@dataclass(frozen=True, slots=True)
class Callbacks:
    """The functions of a bot."""

    choose: Choose
    on_table_start: Callable[[Table], None] | None = None
    on_table_end: Callable[[TableResult], None] | None = None
    on_notice: Callable[[Notice], None] | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """What a bot says about itself, and how long it tries to reach a referee."""

    name: str = ""
    version: str = ""
    max_in_flight: int = 1
    """The most decisions asked at once, 1 to 128."""
    patience_s: int = 10
    """Seconds to wait for a referee that was never reached."""
    gone_s: int = 4
    """Seconds to wait for a referee that was reached and is gone."""

    def __post_init__(self) -> None:
        if not 1 <= self.max_in_flight <= MOST_IN_FLIGHT:
            msg = f"max_in_flight: expected 1 to {MOST_IN_FLIGHT}, got {self.max_in_flight}"
            raise ConfigError(msg)
        for label in ("name", "version"):
            if len(getattr(self, label)) > LABEL_LENGTH:
                msg = f"{label}: expected at most {LABEL_LENGTH} characters"
                raise ConfigError(msg)


def find_referee(
    address: str | None, token: str | None, environ: Mapping[str, str] = os.environ
) -> tuple[str, str]:
    """Return the address and the token, from the arguments or else from the environment.

    Raises `ConfigError` when one is missing or the token's file cannot be read.

    >>> find_referee(None, "s3cret", {"ARENA_ADDRESS": "127.0.0.1:50051"})
    ('127.0.0.1:50051', 's3cret')
    """
    address = address or environ.get("ARENA_ADDRESS", "")
    if not address:
        raise ConfigError(
            "no address of a referee",
            why="a bot is started by a league, which sets ARENA_ADDRESS and ARENA_TOKEN",
            hint="arena match BOT BOT, or ARENA_ADDRESS=HOST:PORT ARENA_TOKEN_FILE=FILE for a"
            " league that this bot joins",
        )
    token = token or environ.get("ARENA_TOKEN", "")
    path = environ.get("ARENA_TOKEN_FILE", "")
    if not token and path:
        try:
            token = Path(path).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not plain text"
            msg = f"cannot read the token in {path} (ARENA_TOKEN_FILE)"
            raise ConfigError(msg, why=why or str(error)) from None
    if not token:
        raise ConfigError(
            f"no token for the referee at {address}",
            why="neither ARENA_TOKEN nor ARENA_TOKEN_FILE is set",
            hint="ARENA_TOKEN_FILE=RUN/tokens/NAME, a file the league has written",
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigError("the token is not plain printable text without blanks")
    return address, token
