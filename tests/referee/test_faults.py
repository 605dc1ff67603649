"""FAULTS, Faults: ILLEGAL, MALFORMED, TIMEOUT, the safe action and autopilot."""

from __future__ import annotations

import pytest

from arena.referee.referee import Referee
from arena.referee.values import MS, Clock, FaultKind
from arena.rules.actions import LAST_ACTION
from tests.referee.stage import Asked, Stage, was_safe

CLOCK = Clock(move_ms=1000, bank_ms=2000)


def illegal(asked: Asked) -> int:
    """Return a known action that is not legal."""
    return next(a for a in range(LAST_ACTION, 0, -1) if a not in asked.legal)


def choices_left(asked: Asked) -> list[int]:
    """Return the actions of a seat in a deal that is over, from a decision on."""
    return [
        index
        for index, seat in enumerate(asked.deal.actors)
        if seat == asked.seat and index >= asked.index
    ]


def test_an_illegal_answer_is_replaced_by_the_safe_action() -> None:
    stage = Stage()
    asked = stage.ask("a")
    stage.answer(asked, illegal(asked))
    (fault,) = stage.faults()
    assert (fault.seat, fault.action, fault.kind) == (asked.seat, asked.index, FaultKind.ILLEGAL)
    assert fault.incident == 0
    assert "; played " in fault.detail
    assert was_safe(asked)


@pytest.mark.parametrize("action", [0, 59, 200, 255, 1 << 20, (1 << 31) - 1, -1])
def test_an_answer_without_a_known_action_is_malformed(action: int) -> None:
    stage = Stage()
    asked = stage.ask("a")
    stage.answer(asked, action)
    assert [fault.kind for fault in stage.faults()] == [FaultKind.MALFORMED]
    assert was_safe(asked)


def test_garbage_counts_against_the_oldest_open_decision() -> None:
    stage = Stage(boards=30, tables=30)
    oldest, *others = stage.ask_many("a", 3)
    stage.garbage("a")
    (fault,) = stage.faults()
    assert (fault.kind, fault.action) == (FaultKind.MALFORMED, oldest.index)
    assert was_safe(oldest)
    assert {asked.id for asked in others} == set(stage["a"].open)


def test_garbage_draws_on_the_bank_as_an_answer_does() -> None:
    stage = Stage(clock=CLOCK)
    asked = stage.ask("a")
    stage.wait(3500, judge=False)
    stage.garbage("a")
    assert asked.table.bank[asked.seat] == 1500 * MS


def test_a_seat_goes_on_after_illegal_and_malformed_answers() -> None:
    stage = Stage(boards=3)
    for _ in range(4):
        asked = stage.ask("a")
        stage.answer(asked, illegal(asked))
        stage.garbage("a")
    assert not any(asked.table.autopilot)
    assert len(stage.faults("a")) == 4


def test_all_answers_of_a_message_count_whatever_is_wrong_with_some() -> None:
    stage = Stage(boards=30, tables=30)
    first, second, third = stage.ask_many("a", 3)[:3]
    pairs = [(first.id, illegal(first)), (second.id, second.legal[-1]), (third.id, 0)]
    stage.say("a", pairs)
    assert [fault.kind for fault in stage.faults()] == [FaultKind.ILLEGAL, FaultKind.MALFORMED]
    assert second.deal.actions[second.index] == second.legal[-1]
    assert was_safe(first)
    assert was_safe(third)


def test_the_bot_is_told_of_each_fault() -> None:
    stage = Stage(boards=2)
    asked = stage.ask("a")
    stage.answer(asked, illegal(asked))
    (notice,) = stage.notices("a")
    assert (notice.fault, notice.decision_id) == (FaultKind.ILLEGAL, asked.id)
    assert notice.table == asked.table.table_ids[asked.seat]
    assert not any(stage.notices(name) for name in "bcd")


# ------------------------------------------------------------------ TIMEOUT and autopilot


def time_out(stage: Stage) -> Asked:
    asked = stage.ask("a")
    stage.wait(6000)
    return asked


def test_the_first_timeout_leaves_the_seat_to_its_bot_with_an_empty_bank() -> None:
    stage = Stage(clock=CLOCK)
    asked = time_out(stage)
    again = stage.ask("a")
    assert again.deal is asked.deal
    assert again.bank_ms == 0
    assert not again.table.autopilot[again.seat]


def test_a_second_timeout_in_a_deal_puts_the_seat_on_autopilot_to_its_end_only() -> None:
    stage = Stage(clock=CLOCK, boards=2)
    first = time_out(stage)
    second = time_out(stage)
    assert first.deal is second.deal
    assert second.table.autopilot[second.seat]
    deal = second.deal
    frames = len(stage.frames("a"))
    stage.play(lambda: deal.is_over)
    asked_in_deal = [a for f in stage.frames("a")[frames:] for a in f.asked if a.deal is deal]
    assert not asked_in_deal
    assert [fault.kind for fault in stage.faults("a")] == [FaultKind.TIMEOUT] * 2
    assert len(choices_left(second)) > 1
    later = stage.ask("a")
    assert later.deal is not deal
    assert not later.table.autopilot[later.seat]
    assert later.bank_ms == 2000


def test_timeouts_in_two_deals_are_no_second_timeout() -> None:
    stage = Stage(clock=CLOCK, boards=4)
    deals = []
    for _ in range(6):
        asked = time_out(stage)
        deals.append(asked.deal)
        assert not asked.table.autopilot[asked.seat] or asked.table.deal is not asked.deal
        stage.play(lambda deal=asked.deal: deal.is_over)  # type: ignore[misc]
    assert len(set(map(id, deals))) == 6
    assert len(stage.faults("a")) == 6


def test_a_seat_on_autopilot_gets_no_further_fault_in_the_deal() -> None:
    stage = Stage(clock=CLOCK, boards=2)
    time_out(stage)
    second = time_out(stage)
    stage.crash("a")
    deal = second.deal
    stage.play(lambda: deal.is_over)
    assert {fault.kind for fault in stage.deals[0].faults} == {FaultKind.TIMEOUT}
    assert [event.kind.value for event in stage.events] == ["CRASHED"], "charged nowhere"


def test_a_late_answer_to_a_replaced_decision_is_noise() -> None:
    stage = Stage(clock=CLOCK)
    asked = time_out(stage)
    stage.answer(asked)
    stage.answer(asked, illegal(asked))
    assert stage["a"].noise == 2
    assert stage["a"].violations == 0
    assert len(stage.faults()) == 1


def test_a_replaced_decision_counts_as_answered_so_the_next_frame_may_go() -> None:
    stage = Stage(clock=CLOCK, boards=30, tables=30, max_in_flight=1)
    stage.play(lambda: len(stage["a"].outbox) > 3, silent="a")
    frames = len(stage.frames("a"))
    stage.garbage("a")
    assert len(stage.frames("a")) == frames + 1
    stage.wait(1, judge=False)
    stage.wait(3001)
    assert len(stage.frames("a")) > frames + 1
    assert stage.referee.flow.in_flight == sum(len(s.open) for s in stage.referee.sessions)


def test_a_withdrawn_decision_that_still_counts_as_out_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Negative control: a referee that forgets to take it out of the work in flight."""
    withdraw = Referee._withdraw

    def forgetful(self: Referee, session: object, table: object) -> None:
        before = self.flow.in_flight
        withdraw(self, session, table)  # type: ignore[arg-type]
        self.flow.in_flight = before

    monkeypatch.setattr(Referee, "_withdraw", forgetful)
    stage = Stage(clock=CLOCK)
    time_out(stage)
    assert stage.referee.flow.in_flight != sum(len(s.open) for s in stage.referee.sessions)


def test_an_index_of_a_fault_counts_all_actions_of_the_deal() -> None:
    stage = Stage(boards=2)
    asked = stage.ask("a")
    while asked.index < 12:
        stage.answer(asked)
        asked = stage.ask("a")
    stage.answer(asked, illegal(asked))
    stage.play(lambda: asked.deal.is_over)
    result = next(r for r in stage.deals if r.deal is asked.deal)
    (fault,) = result.faults
    assert fault.action == asked.index
    assert result.deal.actors[fault.action] == fault.seat == asked.seat
