"""How a run that ended early is explained: the reason once, then what the bot printed last."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ArenaError, ConfigError, EndedEarly, StrictFault
from arena.league.endings import error_of
from arena.referee.values import Stop, StopKind


def told(
    kind: StopKind, detail: str, output: tuple[str, ...] = (), *, said_hello: bool = True
) -> ArenaError:
    stop = Stop(kind, "mine", detail)
    return error_of(
        stop, folder=Path("run"), log=Path("mine.log"), output=output, said_hello=said_hello
    )


@pytest.mark.parametrize(
    "kind, error",
    [
        (StopKind.NOT_STARTED, ConfigError),
        (StopKind.STRICT, StrictFault),
        (StopKind.STAYED_AWAY, EndedEarly),
    ],
)
def test_each_kind_of_stop_has_its_error(kind: StopKind, error: type[ArenaError]) -> None:
    assert type(told(kind, "x")) is error


def test_what_a_crash_has_printed_stands_in_lines_and_once() -> None:
    output = tuple(f"line {number}" for number in range(40))
    error = told(StopKind.STRICT, "CRASH: exit code 1; its output ends: a | b\nlegal: PASS", output)
    lines = error.why.split("\n")
    assert lines[:3] == ["CRASH: exit code 1", "legal: PASS", "its output ends:"]
    assert lines[3:] == [f"  line {number}" for number in range(28, 40)]
    assert error.hint == "look into mine.log"


def test_of_a_bot_that_goes_on_only_a_little_output_is_shown() -> None:
    error = told(StopKind.STRICT, "ILLEGAL: SA", tuple("abcdef"))
    assert error.why == "ILLEGAL: SA\nits output ends:\n  d\n  e\n  f"
    assert told(StopKind.STRICT, "ILLEGAL: SA").why == "ILLEGAL: SA"


@pytest.mark.parametrize(
    "detail, said_hello, message, hint",
    [
        ("exit code 0", False, "it ended before it said Hello (exit code 0)", "run(choose)"),
        ("exit code 1", False, "it ended before it said Hello (exit code 1)", "look into"),
        ("exit code 0", True, "could not be started: exit code 0", "look into"),
    ],
)
def test_a_bot_that_did_not_start_is_told_what_to_do(
    detail: str, said_hello: bool, message: str, hint: str
) -> None:
    error = told(StopKind.NOT_STARTED, detail, ("oh",), said_hello=said_hello)
    assert message in error.message
    assert error.why == "its output ends: oh"
    assert hint in error.hint


def test_a_run_that_bots_stayed_away_from_can_go_on() -> None:
    assert told(StopKind.STAYED_AWAY, "has not come").hint == "arena league resume run"
