"""FAULTS, Absent: who is waited for, how long, and what is played meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena.referee.values import (
    BoardPlan,
    Clock,
    EntrantHistory,
    EventKind,
    FaultKind,
    History,
    LegPlan,
    StopKind,
)
from tests.referee.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

CLOCK = Clock(move_ms=1000, bank_ms=2000, start_ms=10_000)


def away(stage: Stage, name: str = "a") -> None:
    """Cut a bot off while it owes nothing, and play the deal in progress to its end."""
    stage.play(lambda: not stage[name].open and stage.open_of("b"), silent="b")
    stage.cut(name)


def begun(stage: Stage) -> int:
    """Return how many legs have begun."""
    return max(stage[name].table_counter for name in stage.names)


def test_no_leg_starts_while_one_of_its_entrants_is_restarted() -> None:
    stage = Stage(clock=CLOCK, boards=5)
    stage.ask("a")
    stage.crash("a")
    stage.play()
    assert len(stage.deals) == 1
    assert begun(stage) == 1
    stage.wait(1000)
    stage.restart("a")
    stage.wait(9000)
    assert begun(stage) == 1
    stage.connect("a")
    assert begun(stage) == 2
    stage.play()
    assert len(stage.deals) == 20
    assert len(stage.faults("a")) == 1


def test_no_leg_starts_while_an_entrant_may_reconnect_within_start() -> None:
    stage = Stage(clock=CLOCK, boards=5)
    stage.play(lambda: begun(stage) == 2)
    stage.ask("b")
    stage.cut("a")
    for _ in range(9):
        stage.play()
        stage.wait(1000)
    assert begun(stage) == 2
    assert len(stage.deals) == 2
    stage.connect("a")
    assert begun(stage) == 3


def fives(boards: int) -> Iterator[BoardPlan]:
    """Return boards of which every second is played without `a`."""
    for board in range(1, boards + 1):
        seats = ("a", "b", "c", "d") if board % 2 else ("b", "c", "d", "e")
        yield BoardPlan(board, [LegPlan(leg, seats) for leg in range(4)])


def test_legs_without_the_entrant_that_is_away_go_on() -> None:
    stage = Stage("abcde", fives(8), clock=CLOCK, tables=2)
    stage.ask("a")
    stage.crash("a")
    stage.play()
    with_a = [result for result in stage.deals if "a" in result.seats]
    assert len(with_a) == 1
    assert len(stage.deals) > 4


def test_after_start_its_legs_are_played_safe_under_the_same_incident_until_it_is_back() -> None:
    stage = Stage(clock=CLOCK, boards=5)
    stage.ask("a")
    stage.cut("a")
    stage.wait(5000)
    stage.play()
    assert len(stage.deals) == 1
    stage.wait(4999)
    stage.play()
    assert len(stage.deals) == 1
    stage.wait(1)
    stage.play(lambda: len(stage.deals) == 7)
    faults = stage.faults("a")
    assert len(faults) == 7
    assert {(fault.kind, fault.incident) for fault in faults} == {(FaultKind.DISCONNECT, 1)}
    assert len(stage.events) == 1
    frames = len(stage.frames("a", asking=False))
    stage.ask("b")
    stage.connect("a")
    stage.play()
    assert len(stage.deals) == 20
    assert len(stage.faults("a")) <= 8
    assert len(stage.frames("a", asking=False)) > frames


def test_each_safe_leg_is_charged_at_its_first_real_choice_only() -> None:
    stage = Stage(clock=CLOCK, boards=5)
    away(stage)
    stage.wait(3500)
    stage.play()
    stage.wait(10_000)
    stage.play()
    assert len(stage.deals) == 20
    for result in stage.deals[2:]:
        seat = result.seats.index("a")
        (fault,) = (fault for fault in result.faults if fault.seat == seat)
        mine = [i for i, actor in enumerate(result.deal.actors) if actor == seat]
        assert fault.action == mine[0], "a call is always a choice here"


def test_an_absence_that_costs_no_decision_is_an_incident_once_it_is_over_start() -> None:
    stage = Stage(clock=CLOCK, boards=5)
    stage.play(lambda: len(stage.deals) == 3 and not stage["a"].open)
    stage.cut("a")
    stage.play()
    stage.wait(9999, judge=False)
    deals = len(stage.deals)
    stage.wait(1)
    assert [event.kind for event in stage.events] == [EventKind.DISCONNECTED]
    stage.play()
    assert len(stage.deals) > deals


def test_an_absent_bot_is_sent_nothing() -> None:
    stage = Stage(clock=CLOCK, boards=5)
    stage.ask("a")
    stage.cut("a")
    stage.wait(3500)
    stage.play()
    stage.wait(10_000)
    stage.play()
    assert stage.referee.is_finished
    assert not stage["a"].starts
    assert not stage["a"].seats_open
    assert len(stage["a"].ends) <= 1


def test_an_absent_bot_that_crashes_is_waited_for_while_it_is_restarted() -> None:
    stage = Stage(clock=CLOCK, boards=5)
    stage.ask("a")
    stage.cut("a")
    stage.wait(12_000)
    stage.play(lambda: len(stage.deals) == 3)
    stage.crash("a")
    deals = len(stage.deals)
    stage.play()
    assert len(stage.deals) <= deals + 1
    stage.restart("a")
    stage.connect("a")
    stage.play()
    assert len(stage.deals) == 20


# ------------------------------------------------------------------ all away


def test_while_all_are_away_no_leg_starts_and_after_start_the_run_stops() -> None:
    stage = Stage(clock=CLOCK, boards=5)
    stage.ask("a")
    for name in "abcd":
        stage.cut(name)
        stage.wait(100)
    begun_then = begun(stage)
    stage.wait(9899)
    assert not stage.referee.stopped
    assert begun(stage) == begun_then
    stage.wait(1)
    stop = stage.referee.stopped
    assert stop is not None
    assert stop.kind is StopKind.STAYED_AWAY
    assert begun(stage) == begun_then


def test_while_all_are_away_no_leg_of_absent_entrants_starts_either() -> None:
    stage = Stage("abcde", fives(8), clock=CLOCK)
    stage.ask("a")
    for name in "abcd":
        stage.cut(name)
    stage.wait(5000)
    stage.cut("e")
    stage.wait(6000)
    assert all(stage[name].is_absent for name in "abcd")
    assert begun(stage) == 1
    assert not stage.referee.stopped
    stage.connect("e")
    assert begun(stage) > 1


def test_benched_entrants_are_not_waited_for_but_do_not_keep_a_run_alive() -> None:
    stage = Stage(clock=CLOCK, boards=5)
    stage.referee.ledger.bench(stage["d"], "for the test")
    stage.ask("a")
    for name in "abc":
        stage.cut(name)
    stage.wait(3500)
    begun_then = begun(stage)
    stage.wait(20_000)
    assert begun(stage) == begun_then
    assert stage.referee.stopped


def test_a_run_of_benched_entrants_only_is_played_to_its_end() -> None:
    history = History(entrants={name: EntrantHistory(is_benched=True) for name in "abcd"})
    stage = Stage(clock=CLOCK, boards=50, is_set=False, history=history)
    stage.open()
    stage.pull()
    assert stage.referee.is_finished
    assert len(stage.deals) == 200
    assert not stage.sent
    assert not stage.faults()


def test_four_safe_seats_are_played_in_a_loop_that_yields() -> None:
    history = History(entrants={name: EntrantHistory(is_benched=True) for name in "abcd"})
    stage = Stage(clock=CLOCK, boards=5000, is_set=False, history=history)
    stage.open()
    for _ in range(3):
        before = len(stage.referee.ledger.journal)
        stage.referee.step(stage.now)
        assert 1 <= len(stage.referee.ledger.journal) - before <= 32
        assert stage.referee.has_work


# ------------------------------------------------------------------ the opening


def test_no_leg_starts_before_all_have_come() -> None:
    stage = Stage(clock=CLOCK, is_set=False)
    stage.open()
    for name in "abc":
        stage.restart(name)
        stage.connect(name)
    assert not stage.sent
    stage.restart("d")
    stage.connect("d")
    assert stage.referee.is_open
    assert stage.sent


def test_a_bot_that_dials_in_and_has_not_come_within_start_stops_the_run() -> None:
    stage = Stage(clock=CLOCK, is_set=False, dials_in="d")
    stage.open()
    for name in "abc":
        stage.restart(name)
        stage.connect(name)
    stage.wait(9999)
    assert not stage.referee.stopped
    stage.wait(1)
    stop = stage.referee.stopped
    assert stop is not None
    assert (stop.kind, stop.entrant) == (StopKind.STAYED_AWAY, "d")
    assert not stage.journal
    assert not stage.sent


@pytest.mark.parametrize("dials_in", ["", "d"])
def test_a_bot_that_comes_and_goes_before_the_first_leg_is_not_waited_for_forever(
    dials_in: str,
) -> None:
    stage = Stage(clock=CLOCK, is_set=False, dials_in=dials_in)
    stage.open()
    for name in "dabc":
        if name not in dials_in:
            stage.restart(name)
        if name == "c":
            stage.cut("d")
        stage.connect(name)
    assert not stage.referee.is_open
    stage.wait(10_000)
    assert stage.referee.stopped


def test_a_benched_bot_that_dials_in_is_not_waited_for() -> None:
    history = History(entrants={"d": EntrantHistory(is_benched=True)})
    stage = Stage(clock=CLOCK, is_set=False, dials_in="d", history=history)
    stage.open()
    for name in "abc":
        stage.restart(name)
        stage.connect(name)
    assert stage.referee.is_open
    stage.wait(20_000)
    stage.play()
    assert stage.referee.is_finished
    assert not stage.faults("d")
