"""FAULTS, Bench: by share and by crashes, at the start of legs, over resumes."""

from __future__ import annotations

import pytest

from arena.referee.values import (
    Clock,
    EntrantHistory,
    Event,
    EventKind,
    FaultKind,
    History,
    Policy,
)
from arena.rules.deal import Deal
from arena.rules.safe import safe_action
from tests.referee.stage import Stage, duel_boards

CLOCK = Clock(move_ms=1000, bank_ms=2000, start_ms=10_000)


def spoil(stage: Stage, deals: int, name: str = "a") -> None:
    """Give a bot a fault in each of so many deals."""
    for _ in range(deals):
        asked = stage.ask(name)
        stage.answer(asked, 0)
        deal = asked.deal
        stage.play(lambda: deal.is_over)  # noqa: B023 (called at once)


def bench_of(stage: Stage) -> Event:
    (event,) = (event for event in stage.events if event.kind is EventKind.BENCHED)
    return event


def test_a_tenth_of_the_deals_may_have_a_fault() -> None:
    stage = Stage(boards=10)
    spoil(stage, 2)
    stage.play()
    assert len(stage.deals) == 40
    assert not stage.events


def test_more_than_a_tenth_after_20_deals_benches() -> None:
    stage = Stage(boards=10)
    spoil(stage, 3)
    stage.play(lambda: len(stage.deals) == 19)
    assert not stage.events
    stage.play()
    bench = bench_of(stage)
    assert (bench.entrant, bench.deals, bench.faulty) == ("a", 20, 3)
    assert (bench.crashes, bench.incident) == (0, 0)


def test_the_last_fault_may_come_late() -> None:
    stage = Stage(boards=20)
    spoil(stage, 2)
    stage.play(lambda: len(stage.deals) == 25)
    spoil(stage, 1)
    bench = bench_of(stage)
    assert (bench.deals, bench.faulty) == (26, 3)


def test_several_faults_of_a_deal_count_once() -> None:
    stage = Stage(boards=10)
    for _ in range(2):
        asked = stage.ask("a")
        for _ in range(4):
            stage.answer(stage.ask("a"), 0)
        deal = asked.deal
        stage.play(lambda: deal.is_over)  # noqa: B023 (called at once)
    stage.play()
    assert len(stage.faults("a")) == 8
    assert not stage.events


def test_an_incident_counts_once_however_many_deals_it_hits() -> None:
    stage = Stage(clock=CLOCK, boards=30, tables=30)
    stage.ask_many("a", 5)
    stage.crash("a")
    stage.restart("a")
    stage.connect("a")
    stage.play(limit=100_000)
    assert len(stage.deals) == 120
    assert len(stage.faults("a")) == 30
    assert stage["a"].faulty == 1
    assert [event.kind for event in stage.events] == [EventKind.CRASHED]


def test_a_deal_with_a_fault_of_its_own_and_an_incident_counts_once() -> None:
    stage = Stage(clock=CLOCK, boards=2)
    asked = stage.ask("a")
    deal = asked.deal
    stage.answer(asked, 0)
    stage.crash("a")
    stage.play(lambda: deal.is_over)
    assert {fault.incident for fault in stage.deals[0].faults} == {0, 1}
    assert (stage["a"].deals, stage["a"].faulty) == (1, 1)
    stage.restart("a")
    stage.connect("a")
    stage.play()
    assert (stage["a"].deals, stage["a"].faulty) == (8, 1), "nor does the incident count later"


def test_faults_of_both_seats_of_a_duel_count_for_one_deal() -> None:
    stage = Stage("ab", duel_boards(30))
    asked = stage.ask("a")
    deal = asked.deal
    while not deal.is_over:
        if stage["a"].open:
            stage.answer(stage.oldest("a"), 0)
        else:
            stage.play(lambda: stage["a"].open or deal.is_over)
    assert len({fault.seat for fault in stage.deals[0].faults}) == 2
    assert stage["a"].deals == 1
    assert stage["a"].faulty == 1


def test_a_bench_acts_at_the_start_of_legs() -> None:
    stage = Stage(boards=40, tables=7, policy=Policy(after=8))
    spoil(stage, 2)
    stage.play(lambda: stage["a"].is_benched, limit=100_000)
    begun = [
        table
        for table in stage.referee.tables.in_play
        if table.table_ids[table.seats_of(stage["a"])[0]] in stage["a"].seats_open
    ]
    assert len(begun) > 1
    deals = {id(table.deal): table.deal for table in begun}
    asked = len([a for f in stage.frames("a") for a in f.asked])
    stage.play(limit=100_000)
    after = [a for f in stage.frames("a") for a in f.asked][asked:]
    assert {id(a.deal) for a in after} <= set(deals), "later legs are not"
    assert len({id(a.deal) for a in after}) > 1, "legs that have begun are finished"


def test_a_benched_bot_is_told_and_then_sent_nothing() -> None:
    stage = Stage(boards=10)
    spoil(stage, 3)
    stage.play(lambda: stage["a"].is_benched)
    stage.play(lambda: stage.open_of("b"))
    frames = stage.frames("a", asking=False)
    assert len(stage.notices("a", "BENCHED")) == 1
    stage.play()
    assert stage.referee.is_finished
    assert len(stage.frames("a", asking=False)) == len(frames)
    stage.connect("a")
    assert len(stage.frames("a", asking=False)) == len(frames)


def test_above_its_board_all_its_actions_are_safe_and_without_a_fault() -> None:
    stage = Stage(boards=30, tables=5)
    spoil(stage, 3)
    stage.play(limit=100_000)
    board = bench_of(stage).board
    later = [result for result in stage.deals if result.board > board]
    assert later
    assert board >= max(result.board for result in stage.deals[:20])
    for result in later:
        assert not result.faults
        again = Deal(result.deal.ruleset, result.deal.dealer, result.deal.hands)
        for action, seat in zip(result.deal.actions, result.deal.actors, strict=True):
            if result.seats[seat] == "a":
                assert action == safe_action(again)
            again.push(action)


def test_a_bench_stands_in_the_record_after_the_deal_that_brought_it() -> None:
    stage = Stage(boards=10)
    spoil(stage, 3)
    stage.play()
    assert stage.journal.index(bench_of(stage)) == 20


@pytest.mark.parametrize("crashes", [1, 3])
def test_the_counts_of_a_bench_by_crashes_are_in_its_event(crashes: int) -> None:
    stage = Stage(clock=CLOCK, boards=10, policy=Policy(crashes=crashes))
    for _ in range(crashes + 1):
        stage.ask("a")
        stage.crash("a")
        stage.restart("a")
        if not stage["a"].is_benched:
            stage.connect("a")
    bench = bench_of(stage)
    assert bench.crashes == crashes + 1
    assert bench.board >= 1


def test_counts_go_on_over_resumes() -> None:
    past = EntrantHistory(deals=30, faulty=3, incidents=frozenset({4}))
    history = History(incidents=4, highest_board=8, entrants={"a": past})
    stage = Stage(boards=10, history=history)
    spoil(stage, 1)
    bench = bench_of(stage)
    assert (bench.deals, bench.faulty, bench.board) == (31, 4, 8)


def test_an_entrant_that_was_benched_stays_benched_after_resuming() -> None:
    history = History(entrants={"a": EntrantHistory(deals=30, faulty=9, is_benched=True)})
    stage = Stage(boards=5, is_set=False, history=history)
    stage.open()
    for name in "bcd":
        stage.restart(name)
        stage.connect(name)
    stage.play()
    assert len(stage.deals) == 20
    assert not stage.faults()
    assert not stage.events
    assert not stage.frames("a", asking=False)


def test_a_share_is_exceeded_not_reached() -> None:
    stage = Stage(boards=30, policy=Policy(share=0.29, after=100))
    spoil(stage, 29)
    stage.play(limit=100_000)
    assert len(stage.deals) == 120
    assert not stage.events


def test_two_that_are_benched_by_one_deal_are_benched_in_the_order_of_its_seats() -> None:
    stage = Stage(boards=10)
    for _ in range(3):
        deal = stage.ask("a").deal
        stage.answer(stage.ask("a"), 0)
        stage.play(lambda: stage["c"].open)
        stage.answer(stage.oldest("c"), 0)
        stage.play(lambda: deal.is_over)  # noqa: B023 (called at once)
    stage.play()
    benched = [event.entrant for event in stage.events]
    seats = stage.deals[19].seats
    assert benched == sorted("ac", key=seats.index)


def test_a_leg_that_waits_for_an_entrant_goes_on_at_once_when_that_is_benched() -> None:
    stage = Stage(clock=CLOCK, boards=2, tables=2, policy=Policy(after=2))
    stage.answer(stage.ask("a"), 0)
    stage.crash("a")
    stage.play()
    assert stage["a"].is_benched
    assert len(stage.deals) == 8, "nothing waits for who is benched, and no time has passed"


def test_a_benched_bot_that_is_cut_off_in_a_leg_it_has_begun_is_not_waited_for_forever() -> None:
    stage = Stage(clock=Clock(move_ms=0, start_ms=10_000), boards=2)
    stage.ask("a")
    stage.referee.ledger.bench(stage["a"], "for the test")
    stage.cut("a")
    stage.wait(10_000)
    assert [fault.kind for fault in stage.faults("a")] == [FaultKind.DISCONNECT]
    stage.play()
    assert len(stage.deals) == 8
