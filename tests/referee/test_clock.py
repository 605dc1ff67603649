"""FAULTS, The clock: every decision's own time, the bank, and what the referee never charges."""

from __future__ import annotations

import pytest

from arena.referee.referee import Referee
from arena.referee.values import MS, Clock, FaultKind
from tests.referee.stage import Stage, was_safe

CLOCK = Clock(move_ms=1000, bank_ms=2000, start_ms=10_000)


def past_first_frame(name: str = "a", **options: object) -> Stage:
    """Return a stage on which a bot has answered its first frame, with its three times `move`."""
    stage = Stage(clock=CLOCK, boards=20, **options)  # type: ignore[arg-type]
    stage.ask(name)
    stage.answer(stage.open_of(name)[0])
    return stage


def test_a_decision_says_what_is_left() -> None:
    stage = past_first_frame()
    asked = stage.ask("a")
    assert (asked.move_ms, asked.bank_ms) == (1000, 2000)
    assert stage.frames("a")[-1].frame_ms == 3000


def test_what_a_decision_takes_beyond_move_is_drawn_from_the_bank() -> None:
    stage = past_first_frame()
    asked = stage.ask("a")
    deal, seat = asked.deal, asked.seat
    stage.wait(1700)
    stage.answer(asked)
    assert asked.table.bank[seat] == 1300 * MS
    asked = stage.ask("a")
    if asked.deal is deal:
        assert asked.bank_ms == 1300
    assert not stage.faults()


def test_nothing_is_drawn_within_move() -> None:
    stage = past_first_frame()
    asked = stage.ask("a")
    stage.wait(1000)
    stage.answer(asked)
    assert asked.table.bank[asked.seat] == 2000 * MS


def test_the_bank_belongs_to_a_seat_and_a_deal() -> None:
    stage = past_first_frame()
    asked = stage.ask("a")
    deal = asked.deal
    stage.wait(2500)
    stage.answer(asked)
    others = [bank for seat, bank in enumerate(asked.table.bank) if seat != asked.seat]
    assert others == [2000 * MS] * 3
    stage.play(lambda: asked.table.deal is not deal)
    assert asked.table.bank == [2000 * MS] * 4


def test_a_decision_is_late_when_move_and_bank_are_used_up() -> None:
    stage = past_first_frame()
    asked = stage.ask("a")
    stage.wait(2999.999)
    assert not stage.faults()
    stage.wait(0.001)
    (fault,) = stage.faults("a")
    assert (fault.kind, fault.action, fault.incident) == (FaultKind.TIMEOUT, asked.index, 0)
    assert was_safe(asked)


def test_an_answer_that_is_read_before_the_judgement_is_in_time_and_empties_the_bank() -> None:
    stage = past_first_frame()
    asked = stage.ask("a")
    stage.wait(5000, judge=False)
    stage.answer(asked)
    assert asked.table.bank[asked.seat] == 0
    stage.tick()
    assert not stage.faults()


def test_decisions_of_a_frame_have_the_same_time_from_the_same_start() -> None:
    stage = Stage(clock=CLOCK, boards=20, tables=16)
    stage.ask_many("a", 4)
    frame = stage.frames("a")[-1]
    assert len(frame.asked) > 3
    assert {asked.move_ms for asked in frame.asked} == {1000}
    for asked in stage.open_of("a"):
        assert asked.table.soft == frame.now + 1000 * MS


def test_a_decision_that_waits_for_its_frame_has_no_clock() -> None:
    stage = Stage(clock=CLOCK, boards=20, tables=8, max_in_flight=1)
    stage.play(lambda: len(stage["a"].outbox) > 2, silent="a")
    assert all(table.soft == 0 for table in stage["a"].outbox)
    (first,) = stage.open_of("a")
    stage.wait(900)
    stage.answer(first)
    (second,) = stage.open_of("a")
    assert second.move_ms == 1000


def test_every_decision_has_its_own_clock_whatever_others_do() -> None:
    stage = Stage(clock=CLOCK, boards=20, tables=16)
    first, *others = stage.ask_many("a", 3)
    stage.wait(500)
    for asked in others:
        stage.answer(asked)
    assert [asked.id for asked in stage.open_of("a")] == [first.id], "no frame before it is full"
    stage.wait(2500)
    assert [fault.action for fault in stage.faults("a")] == [first.index]


def test_the_first_frame_of_a_process_may_take_three_times_move() -> None:
    stage = Stage(clock=CLOCK, boards=20)
    asked = stage.ask("a")
    assert asked.move_ms == 3000
    stage.wait(4999)
    assert not stage.faults("a")
    stage.answer(asked)
    assert asked.table.bank[asked.seat] == 1 * MS
    assert stage.ask("a").move_ms == 1000


def test_a_new_stream_of_the_same_process_has_no_first_frame() -> None:
    stage = past_first_frame()
    stage.cut("a")
    stage.connect("a")
    assert stage.ask("a").move_ms == 1000


def test_a_restarted_process_has_a_first_frame_again() -> None:
    stage = past_first_frame()
    stage.crash("a")
    stage.restart("a")
    stage.connect("a")
    assert stage.ask("a").move_ms == 3000


def test_a_bot_that_dials_in_has_a_first_frame_after_its_first_hello_only() -> None:
    stage = Stage(clock=CLOCK, boards=20, dials_in="a")
    assert stage.ask("a").move_ms == 3000
    stage.answer(stage.open_of("a")[0])
    stage.cut("a")
    stage.connect("a")
    assert stage.ask("a").move_ms == 1000


def test_without_a_clock_nobody_is_late_and_decisions_say_zero() -> None:
    stage = Stage(clock=Clock(move_ms=0), boards=2)
    asked = stage.ask("a")
    assert (asked.move_ms, asked.bank_ms) == (0, 0)
    stage.wait(3_600_000)
    assert not stage.faults()
    stage.answer(asked)
    assert not stage.faults()


# ------------------------------------------------------------------ the second look


def late_but_read_in_the_second_look(stage: Stage) -> bool:
    """Play a stalled referee: it looks at 3,001 ms, reads at 3,015 what was sent before."""
    asked = stage.ask("a")
    stage.wait(2995, judge=False)
    looked = stage.now
    stage.wait(20, judge=False)
    # Due at 3,000: between the look and the judgement. The bot's answer is still on its way.
    stage.tick(looked)
    if stage.faults("a"):
        return False
    stage.answer(asked)
    stage.tick(stage.now)
    return not stage.faults("a")


def test_what_ended_after_the_look_is_not_judged() -> None:
    assert late_but_read_in_the_second_look(past_first_frame())


def test_judging_at_once_would_charge_what_has_arrived(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: a referee that judges by `now` and not by `looked` is caught."""
    tick = Referee.tick
    monkeypatch.setattr(Referee, "tick", lambda self, now, _looked=None: tick(self, now))
    assert not late_but_read_in_the_second_look(past_first_frame())


def test_what_ended_before_the_look_is_judged() -> None:
    stage = past_first_frame()
    stage.ask("a")
    stage.wait(3001, judge=False)
    looked = stage.now
    stage.wait(20, judge=False)
    stage.tick(looked)
    assert stage.faults("a")


def test_a_hello_gets_the_second_look_too() -> None:
    stage = Stage(clock=CLOCK, boards=20)
    stage.crash("a")
    stage.restart("a")
    stage.wait(9995, judge=False)
    looked = stage.now
    stage.wait(20, judge=False)
    stage.tick(looked)
    assert len(stage.events) == 1, "its Hello may have arrived"
    stage.connect("a")
    stage.tick(stage.now)
    assert len(stage.events) == 1


# ------------------------------------------------------------------ the referee's own lateness


def test_a_block_is_whole_a_credit_to_the_decisions_it_overlapped() -> None:
    stage = past_first_frame()
    asked = stage.ask("a")
    stage.wait(100)
    begin = stage.now
    stage.wait(5000, judge=False)
    stage.referee.block(begin, stage.now)
    stage.wait(2899)
    assert not stage.faults()
    stage.answer(asked)
    assert asked.table.bank[asked.seat] == 1 * MS


def test_a_block_is_no_credit_to_decisions_that_came_after_it() -> None:
    stage = past_first_frame()
    begin = stage.now - 500 * MS
    asked = stage.ask("a")
    stage.referee.block(begin, stage.now)
    stage.wait(2999)
    assert not stage.faults()
    stage.wait(1)
    assert [fault.action for fault in stage.faults("a")] == [asked.index]


def test_blocks_add_up() -> None:
    stage = past_first_frame()
    stage.ask("a")
    for _ in range(5):
        begin = stage.now
        stage.wait(300, judge=False)
        stage.referee.block(begin, stage.now)
    stage.wait(2999)
    assert not stage.faults()
    stage.wait(1)
    assert stage.faults("a")


def test_a_block_is_a_credit_to_the_first_frame_and_to_a_bot_that_is_cut_off() -> None:
    stage = Stage(clock=CLOCK, boards=20)
    stage.ask("a")
    begin = stage.now
    stage.wait(1000, judge=False)
    stage.referee.block(begin, stage.now)
    stage.wait(4999)
    assert not stage.faults()
    stage.wait(1)
    assert len(stage.faults("a")) == 1
    stage.ask("b")
    stage.cut("b")
    stage.wait(100)
    begin = stage.now
    stage.wait(1000, judge=False)
    stage.referee.block(begin, stage.now)
    stage.wait(2000)
    assert not stage.faults("b")


# ------------------------------------------------------------------ what is recorded


def test_think_time_is_the_share_of_the_time_between_answers_of_a_frame() -> None:
    stage = Stage(clock=CLOCK, boards=20, tables=16)
    first, second, third, *_ = stage.ask_many("a", 4)
    seats = [(asked.table, asked.seat) for asked in (first, second, third)]
    before = [table.think[seat] for table, seat in seats]
    stage.wait(30)
    stage.answer(first)
    stage.wait(40)
    stage.say("a", [(second.id, second.legal[0]), (third.id, third.legal[0])])
    after = [table.think[seat] for table, seat in seats]
    gained = [(b - a) // MS for a, b in zip(before, after, strict=True)]
    assert gained == [30, 20, 20]


def test_the_longest_decision_is_at_most_all_of_them_and_never_negative() -> None:
    stage = past_first_frame()
    stage.ask("a")
    stage.wait(2999, judge=False)
    stage.garbage("a")
    stage.ask("a")
    stage.wait(3500, judge=False)
    stage.tick(stage.now - 100 * MS)
    stage.play(ms=3)
    assert len(stage.deals) == 80
    for result in stage.deals:
        for slowest, think in zip(result.slowest_us, result.think_us, strict=True):
            assert 0 <= slowest <= think


def test_an_answer_read_between_look_and_judgement_makes_no_time_negative() -> None:
    stage = Stage(clock=CLOCK, boards=20, tables=16)
    late, other, *_ = stage.ask_many("a", 3)
    stage.wait(3005, judge=False)
    looked = stage.now
    stage.wait(5, judge=False)
    stage.answer(other)
    before = list(late.table.think)
    stage.tick(looked)
    assert stage.faults("a")
    assert late.table.think == before


def test_the_time_of_a_late_decision_ends_with_its_judgement() -> None:
    stage = Stage(clock=CLOCK, boards=20, tables=16)
    asked = stage.ask_many("a", 3)
    stage.wait(2000, judge=False)
    for each in asked[2:]:
        stage.answer(each)
    late, last = asked[:2]
    last.table.bank[last.seat] += 500 * MS
    stage.wait(1000, judge=False)
    stage.tick()
    assert late.table.slowest[late.seat] == 1000 * MS
    before = last.table.think[last.seat]
    stage.wait(100, judge=False)
    stage.answer(last)
    assert last.table.think[last.seat] - before == 100 * MS


def test_a_late_bot_is_told_at_once_and_by_how_much() -> None:
    stage = past_first_frame()
    asked = stage.ask("a")
    stage.wait(3040, judge=False)
    stage.tick()
    (notice,) = stage.notices("a")
    assert (notice.fault, notice.decision_id, notice.late_ms) == (FaultKind.TIMEOUT, asked.id, 40)
    assert notice.table == asked.table.table_ids[asked.seat]
