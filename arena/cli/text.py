"""What the help of all commands has in common."""

from __future__ import annotations

from typing import Final

import typer

PLAY: Final = "Play"
OUTPUT: Final = "Read and check what was played"
TOOLS: Final = "Tools"


def examples(*commands: str) -> str:
    """Return the epilog of a command: its examples, a line each."""
    return "\n\n".join(["[bold]Examples[/bold]", *(f"  {command}" for command in commands)])


def group(help_text: str, *, root: bool = False) -> typer.Typer:
    """Return an empty group of commands with the settings that all groups share."""
    return typer.Typer(
        help=help_text,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode="rich",
        add_completion=root,
        pretty_exceptions_enable=False,
        no_args_is_help=not root,
    )
