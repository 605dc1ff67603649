"""The tree of commands, and what Typer leaves open: variables of options, flags without a type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import typer.main

if TYPE_CHECKING:
    from collections.abc import Iterator

_ONLY_TYPED: Final = frozenset({"--help", "--version", "--install-completion", "--show-completion"})
"""Options that do something else than the command, so a stray variable must not set them."""


def build(app: typer.Typer) -> Any:
    """Return the command of an app, its options readable from the environment.

    The variable of `arena league run --dry-run` is ARENA_LEAGUE_RUN_DRY_RUN: it follows what
    people type, and not what the function's argument is called.
    """
    command = typer.main.get_command(app)
    for context in walk(command, "arena"):
        for option in options(context):
            if option.is_flag or option.count:
                option.metavar = ""
            if _ONLY_TYPED.isdisjoint(option.opts):
                _name_variable(option, context)
    return command


def walk(command: Any, name: str, parent: typer.Context | None = None) -> Iterator[typer.Context]:
    """Yield the context of a command and of all below it."""
    context = typer.Context(command, parent=parent, info_name=name, **command.context_settings)
    yield context
    for below, each in getattr(command, "commands", {}).items():
        yield from walk(each, below, context)


def options(context: typer.Context) -> list[Any]:
    """Return the options of a command, `--help` among them."""
    command: Any = context.command
    named = [param for param in command.params if param.param_type_name == "option"]
    return [*named, command.get_help_option(context)]


def _name_variable(option: Any, context: typer.Context) -> None:
    own = [option.envvar] if isinstance(option.envvar, str) else list(option.envvar or ())
    if not own:
        option.show_envvar = False  # there is one rule for all, and a help has to be short
    words = [*context.command_path.split(), max(option.opts, key=len).lstrip("-")]
    variable = "_".join(words).upper().replace("-", "_")
    option.envvar = list(dict.fromkeys([*own, variable]))
