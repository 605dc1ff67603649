"""The options that stand before every command, and how commands reach them."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer


class Color(StrEnum):
    """When to colour."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Format(StrEnum):
    """How what was read is written to stdout."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MD = "md"


OverridesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="SECTION.KEY=VALUE", help="Override a key of the league file; repeat."
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print what goes to stdout.")]


@dataclass(frozen=True, slots=True)
class Globals:
    """The options of `arena` itself."""

    verbosity: int = 0
    """The number of `-v` less the number of `-q`."""
    color: Color = Color.AUTO
    overrides: tuple[str, ...] = ()
    """What `--set` gave, as `section.key=value`."""

    @property
    def quiet(self) -> bool:
        """Whether only errors and data are wanted."""
        return self.verbosity < 0


def globals_of(context: typer.Context) -> Globals:
    """Return the options of `arena` itself, from any command's context."""
    found = context.find_root().obj
    return found if isinstance(found, Globals) else Globals()


def set_up_logging(verbosity: int) -> None:
    """Send what the arena logs to stderr: warnings, or more with each `-v`.

    What grpc's core has to say comes with `-v` only: the arena says it in its own words.
    """
    if verbosity < 1:
        os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    level = {-1: logging.ERROR, 0: logging.WARNING, 1: logging.INFO}.get(
        max(verbosity, -1), logging.DEBUG
    )
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    # Not the root: what asyncio has to say at that level is no news to anybody.
    logging.getLogger("arena").setLevel(level)
