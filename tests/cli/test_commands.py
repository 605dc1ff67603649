"""The tree of commands: every option has a variable that is called as the option is."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from arena.cli import commands, main

TREE = commands.build(main.app)
ONLY_TYPED = {"--help", "--version", "--install-completion", "--show-completion"}
OPTIONS = [
    pytest.param(context, option, id=f"{context.command_path} {max(option.opts, key=len)}")
    for context in commands.walk(TREE, "arena")
    for option in commands.options(context)
]


def variable(context: typer.Context, option: Any) -> str:
    """Return how the documentation calls an option's variable."""
    words = [*context.command_path.split(), max(option.opts, key=len).lstrip("-")]
    return "_".join(words).upper().replace("-", "_")


@pytest.mark.parametrize("context, option", OPTIONS)
def test_an_option_is_read_from_the_variable_that_is_called_as_it_is(
    context: typer.Context, option: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable(context, option), "7")
    value, source = option.consume_value(context, {})
    if ONLY_TYPED.intersection(option.opts):
        assert source.name != "ENVIRONMENT"
    else:
        assert source.name == "ENVIRONMENT"
        assert value == (["7"] if option.multiple else "7")


@pytest.mark.parametrize("context, option", OPTIONS)
def test_the_help_gives_no_type_for_what_takes_no_value(
    context: typer.Context, option: Any
) -> None:
    is_typed = bool(option.display_type_rich(ctx=context))
    assert is_typed == (not option.is_flag and not option.count)


def test_a_format_from_the_environment_is_obeyed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_LEAGUE_STANDINGS_FORMAT", "csv")
    assert main.run(["league", "standings", "good.jsonl"]) == 0
    assert capsys.readouterr().out.startswith("rank,name,")


def test_flags_and_several_overrides_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_LEAGUE_RUN_DRY_RUN", "1")
    monkeypatch.setenv("ARENA_LEAGUE_RUN_SET", "league.name=other league.boards=4")
    assert main.run(["league", "run", "good.toml"]) == 0
    said = capsys.readouterr().out.split()
    assert "other" in said
    assert said[said.index("deals") + 1] == "16"


def test_an_override_of_a_command_goes_before_one_of_all_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_SET", "league.name=all")
    monkeypatch.setenv("ARENA_CONFIG_SHOW_SET", "league.name=one")
    assert main.run(["config", "show", "good.toml", "--format", "csv"]) == 0
    assert "league.name,one" in capsys.readouterr().out
