"""FAULTS: CRASH, restarts, and where an incident is charged."""

from __future__ import annotations

import pytest

from arena.referee.attendance import OrderKind
from arena.referee.referee import Referee
from arena.referee.values import (
    MS,
    Clock,
    EntrantHistory,
    EventKind,
    FaultKind,
    History,
    Policy,
    StopKind,
)
from tests.referee.stage import Stage, duel_boards, was_safe

CLOCK = Clock(move_ms=1000, bank_ms=2000, start_ms=10_000)


def back(stage: Stage, name: str = "a") -> None:
    """Let a bot's new process start and say Hello."""
    stage.restart(name)
    stage.connect(name)


def test_a_crash_is_charged_to_the_open_decision_at_once() -> None:
    stage = Stage(clock=CLOCK)
    asked = stage.ask("a")
    stage.crash("a")
    (fault,) = stage.faults()
    assert (fault.kind, fault.incident, fault.action) == (FaultKind.CRASH, 1, asked.index)
    assert was_safe(asked)
    (event,) = stage.events
    assert (event.kind, event.entrant, event.incident) == (EventKind.CRASHED, "a", 1)
    assert "exit code 1" in event.detail
    assert "exit code 1" in fault.detail


def test_a_crash_while_nothing_is_open_is_charged_to_the_next_real_choice() -> None:
    stage = Stage(clock=CLOCK)
    asked = stage.ask("b")
    deal = asked.deal
    assert not stage["a"].open
    before = len(deal.actions)
    stage.crash("a")
    assert not stage.faults()
    stage.play(lambda: deal.is_over)
    (fault,) = stage.deals[0].faults
    assert fault.kind is FaultKind.CRASH
    assert fault.action >= before
    mine = [i for i, seat in enumerate(deal.actors) if seat == fault.seat and i >= before]
    assert fault.action == next(i for i in mine if _is_choice(stage, i))


def _is_choice(stage: Stage, index: int) -> bool:
    result = stage.deals[0]
    again = type(result.deal)(result.deal.ruleset, result.deal.dealer, result.deal.hands)
    for action in result.deal.actions[:index]:
        again.push(action)
    return again.legal.bit_count() > 1


def test_a_crash_after_the_last_real_choice_of_a_deal_is_charged_nowhere() -> None:
    stage = Stage(clock=CLOCK, boards=20)
    stage.play(lambda: _has_no_choice_left(stage))
    (table,) = stage.referee.tables.in_play
    deal = table.deal
    stage.crash("a")
    stage.play(lambda: deal.is_over)
    assert stage.deals[-1].deal is deal
    assert not stage.deals[-1].faults
    assert [event.kind for event in stage.events] == [EventKind.CRASHED]


def _has_no_choice_left(stage: Stage) -> bool:
    """Return whether `a` has one card left and somebody else is asked."""
    (table,) = stage.referee.tables.in_play
    seat = table.seats_of(stage["a"])[0]
    return table.deal.holding[seat].bit_count() <= 1 and table.deal.turn not in (seat, -1)


def incidents_of_a_crash(stage: Stage) -> tuple[int, int]:
    """Crash a bot in many deals; return its incidents and the deals with a fault."""
    stage.ask_many("a", 5)
    stage.crash("a")
    stage.play(silent="a")
    incidents = [event for event in stage.events if event.incident]
    return len(incidents), len(stage.faults("a"))


def test_a_crash_is_one_incident_for_all_its_deals_the_end_of_its_stream_included() -> None:
    stage = Stage(clock=CLOCK, boards=30, tables=30)
    incidents, faults = incidents_of_a_crash(stage)
    assert incidents == 1
    assert faults == 30
    assert {fault.incident for fault in stage.faults("a")} == {1}
    assert all(stage["a"].faulty <= 1 for _ in stage.events)


def test_an_incident_a_deal_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: a referee that opens an incident for every deal it hits is caught."""
    replace = Referee._replace_by_incident

    def each(self: Referee, session: object, table: object) -> None:
        self.ledger.open_incident(session, FaultKind.DISCONNECT, "again")  # type: ignore[arg-type]
        replace(self, session, table)  # type: ignore[arg-type]

    monkeypatch.setattr(Referee, "_replace_by_incident", each)
    incidents, _ = incidents_of_a_crash(Stage(clock=CLOCK, boards=30, tables=30))
    assert incidents > 1


def test_a_stream_that_ends_just_before_its_process_is_part_of_the_crash() -> None:
    stage = Stage(clock=CLOCK)
    stage.ask("a")
    stage.cut("a")
    stage.wait(50)
    stage.crash("a")
    assert [event.kind for event in stage.events] == [EventKind.CRASHED]
    assert [fault.kind for fault in stage.faults()] == [FaultKind.CRASH]


def test_a_stream_that_ends_just_after_its_process_is_part_of_the_crash() -> None:
    stage = Stage(clock=CLOCK)
    stage.ask("a")
    stream = stage["a"].stream
    stage.crash("a")
    stage.referee.disconnect(stage["a"], stream, stage.now)
    stage.wait(5000)
    assert [event.kind for event in stage.events] == [EventKind.CRASHED]


def test_both_seats_of_a_duel_are_charged_under_one_incident() -> None:
    stage = Stage("ab", duel_boards(2), clock=CLOCK)
    asked = stage.ask("a")
    deal = asked.deal
    stage.crash("a")
    stage.play(lambda: deal.is_over)
    faults = stage.deals[0].faults
    assert sorted(fault.seat for fault in faults) == sorted(asked.table.seats_of(stage["a"]))
    assert {(fault.kind, fault.incident) for fault in faults} == {(FaultKind.CRASH, 1)}


def test_the_deals_it_was_in_are_played_safe_to_their_end_even_when_it_is_back() -> None:
    stage = Stage(clock=CLOCK, boards=2)
    asked = stage.ask("a")
    stage.crash("a")
    back(stage)
    stage.play(lambda: asked.deal.is_over)
    assert len(stage.deals[0].faults) == 1
    asked_then = [a for f in stage.frames("a") for a in f.asked if a.deal is asked.deal]
    assert [a.id for a in asked_then] == [asked.id]


def test_a_crash_starts_the_process_again_after_1_2_and_4_seconds() -> None:
    stage = Stage(clock=CLOCK, boards=9)
    for _ in range(3):
        stage.ask("a")
        stage.crash("a")
        back(stage)
    delays = [order.delay_ns for order in stage.starts]
    assert delays == [1000 * MS, 2000 * MS, 4000 * MS]
    assert not stage["a"].is_benched


def test_the_fourth_crash_benches_and_starts_nothing() -> None:
    stage = Stage(clock=CLOCK, boards=9)
    for number in range(4):
        stage.ask("a")
        stage.crash("a")
        if number < 3:
            back(stage)
    assert len(stage.starts) == 3
    kinds = [event.kind for event in stage.events]
    assert kinds == [EventKind.CRASHED] * 4 + [EventKind.BENCHED]
    assert stage.events[-1].crashes == 4
    stage.play()
    assert len(stage.deals) == 36
    assert len({fault.incident for fault in stage.faults("a")}) == 4


@pytest.mark.parametrize("how", ["exits", "says nothing"])
def test_a_restart_that_exits_or_says_no_hello_within_start_is_another_crash(how: str) -> None:
    stage = Stage(clock=CLOCK, boards=2)
    asked = stage.ask("a")
    stage.crash("a")
    stage.wait(1000)
    stage.restart("a")
    if how == "exits":
        stage.crash("a")
    else:
        stage.wait(9999)
        assert len(stage.events) == 1
        stage.wait(1)
        kills = [order for order in stage.orders if order.kind is OrderKind.KILL_PROCESS]
        assert [order.entrant for order in kills] == ["a"]
    assert [event.incident for event in stage.events] == [1, 2]
    assert [order.delay_ns for order in stage.starts] == [1000 * MS, 2000 * MS]
    back(stage)
    stage.play(lambda: asked.deal.is_over)
    assert [fault.incident for fault in stage.faults("a")] == [1], "the second is charged nowhere"


def test_a_crash_of_one_touches_no_other() -> None:
    stage = Stage(clock=CLOCK, boards=5, tables=5)
    stage.play(lambda: all(stage[name].open for name in "abc"), silent="abcd")
    opened = {name: list(stage[name].open) for name in "bcd"}
    clocks = {name: [t.soft for t in stage[name].open.values()] for name in "bcd"}
    stage.crash("a")
    for name in "bcd":
        assert list(stage[name].open)[: len(opened[name])] == opened[name]
        assert [t.soft for t in stage[name].open.values()][: len(opened[name])] == clocks[name]
    assert not stage.faults("b")
    assert not stage.notices("b")


def test_crashes_count_over_resumes() -> None:
    past = EntrantHistory(crashes=3, deals=40)
    history = History(incidents=7, highest_board=10, entrants={"a": past})
    stage = Stage(clock=CLOCK, boards=2, history=history)
    stage.ask("a")
    stage.crash("a")
    assert [event.incident for event in stage.events if event.incident] == [8]
    bench = stage.events[-1]
    assert (bench.kind, bench.crashes, bench.board) == (EventKind.BENCHED, 4, 10)
    assert not stage.starts


def test_a_second_crash_of_a_resumed_run_waits_as_long_as_the_second() -> None:
    history = History(entrants={"a": EntrantHistory(crashes=1)})
    stage = Stage(clock=CLOCK, boards=2, history=history)
    stage.crash("a")
    assert [order.delay_ns for order in stage.starts] == [2000 * MS]


def test_how_many_crashes_bench_is_the_leagues_choice() -> None:
    stage = Stage(clock=CLOCK, boards=2, policy=Policy(crashes=0))
    stage.crash("a")
    assert [event.kind for event in stage.events] == [EventKind.CRASHED, EventKind.BENCHED]


def test_a_benched_bot_that_crashes_in_a_leg_it_has_begun_is_charged() -> None:
    stage = Stage(clock=CLOCK, boards=2)
    asked = stage.ask("a")
    stage.referee.ledger.bench(stage["a"], "for the test")
    stage.crash("a")
    assert [fault.kind for fault in stage.faults("a")] == [FaultKind.CRASH]
    assert not stage.starts
    stage.play(lambda: asked.deal.is_over)
    stage.play()
    assert len(stage.deals) == 8
    assert len(stage.faults("a")) == 1


def test_the_end_of_a_benched_bot_that_plays_nothing_is_no_incident() -> None:
    stage = Stage(clock=CLOCK, boards=2)
    stage.referee.ledger.bench(stage["a"], "for the test")
    deal = stage.ask("b").deal
    stage.play(lambda: deal.is_over)
    stage.crash("a")
    assert [event.kind for event in stage.events] == [EventKind.BENCHED]
    stage.play()
    assert len(stage.deals) == 8


@pytest.mark.parametrize("has_come", [False, True])
def test_a_bot_that_ends_before_all_have_come_could_not_be_started(*, has_come: bool) -> None:
    stage = Stage(clock=CLOCK, is_set=False)
    stage.open()
    stage.restart("a")
    if has_come:
        stage.connect("a")
    stage.crash("a")
    stop = stage.referee.stopped
    assert stop is not None
    assert (stop.kind, stop.entrant) == (StopKind.NOT_STARTED, "a")
    assert "exit code 1" in stop.detail
    assert not stage.events


def test_a_local_bot_that_says_no_hello_could_not_be_started() -> None:
    stage = Stage(clock=CLOCK, is_set=False)
    stage.open()
    for name in "abcd":
        stage.restart(name)
    for name in "abc":
        stage.connect(name)
    stage.wait(9999)
    assert not stage.referee.stopped
    stage.wait(1)
    stop = stage.referee.stopped
    assert stop is not None
    assert (stop.kind, stop.entrant) == (StopKind.NOT_STARTED, "d")
    assert not stage.referee.is_open
