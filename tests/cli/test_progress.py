"""The progress of a league: what it says, and how often."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.cli.progress import BarProgress, PlainProgress, bar_text, plain_line, time_left
from arena.league.progress import Snapshot, TopRow

HALF = Snapshot(
    name="autumn",
    deals_done=600,
    deals_total=1200,
    deals_before=100,
    elapsed_ms=1000,
    faults=1,
    top=(TopRow("greedy", 31.24, 4.06), TopRow("low", -3.0, None)),
)
SECOND = 1_000_000_000


class Clock:
    """A clock that is set by hand, in nanoseconds."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


class Lines:
    """A live display that remembers what was drawn."""

    def __init__(self) -> None:
        self.drawn: list[str] = []
        self.stopped = False

    def draw(self, text: str) -> None:
        self.drawn.append(text)

    def print_above(self, line: str) -> None:
        self.drawn.append(line)

    def stop(self) -> None:
        self.stopped = True


def test_a_plain_line_says_it_all() -> None:
    assert plain_line(HALF) == (
        "autumn: 600 of 1,200 deals (50%), 500 deals/s, 0:01 left, 1 fault;"
        " provisional: greedy +31.2 ± 4.1, low -3.0"
    )


def test_the_bar_shows_the_top_with_their_intervals() -> None:
    first, head, *rows = bar_text(HALF).split("\n")
    assert first.startswith("autumn ████████████░░░░░░░░░░░░ 600/1,200 deals")
    assert head == "  provisional, per 100:"
    assert rows == ["  1 greedy  +31.2 ± 4.1", "  2 low     -3.0"]


@pytest.mark.parametrize("columns", [120, 80, 70, 60, 50])
def test_a_narrow_terminal_keeps_the_time_left_and_the_faults(columns: int) -> None:
    first = bar_text(HALF, columns).split("\n")[0]
    assert len(first) <= columns
    assert first.startswith("autumn ")
    assert "600/1,200 deals" in first
    assert first.endswith("0:01 left  1 fault")
    assert ("█" in first) is (columns >= 60)
    assert ("500 deals/s" in first) is (columns >= 60)


def test_the_rate_is_that_of_this_run() -> None:
    assert time_left(replace(HALF, deals_before=599, elapsed_ms=1000)) == "10:00"
    assert time_left(replace(HALF, deals_before=599, elapsed_ms=20_000)) == "3:20:00"
    assert time_left(replace(HALF, deals_before=600)) == "–:–"


def test_a_league_of_no_deals_is_done() -> None:
    assert "(100%)" in plain_line(Snapshot("none", 0, 0))


def test_plain_lines_come_every_ten_seconds_and_at_the_end() -> None:
    clock, said = Clock(), list[str]()
    progress = PlainProgress(clock, said.append)
    for second in range(25):
        clock.now_ns = second * SECOND
        progress.update(replace(HALF, deals_done=second))
    assert len(said) == 2
    progress.close()
    assert len(said) == 3
    assert said[-1].startswith("autumn: 24 of")
    assert "greedy" not in said[-1]
    progress.close()
    assert len(said) == 3


def test_the_bar_is_drawn_at_most_four_times_a_second() -> None:
    clock, lines = Clock(), Lines()
    progress = BarProgress(clock, lines)
    for tick in range(1000):
        clock.now_ns = tick * SECOND // 500
        progress.update(HALF)
    assert len(lines.drawn) == 8
    progress.say("greedy crashed")
    assert lines.drawn[-1] == "greedy crashed"
    progress.close()
    assert lines.stopped


def test_a_run_that_played_nothing_has_no_last_word() -> None:
    clock, said = Clock(), list[str]()
    progress = PlainProgress(clock, said.append)
    progress.update(replace(HALF, deals_done=100))
    progress.close()
    assert said == []
