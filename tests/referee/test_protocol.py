"""FAULTS: PROTOCOL, and what is mere noise."""

from __future__ import annotations

from arena.referee.attendance import OrderKind
from arena.referee.referee import MAX_VIOLATIONS
from arena.referee.session import RING
from arena.referee.values import Clock, EventKind
from tests.referee.stage import Asked, Stage

CLOCK = Clock(move_ms=1000, bank_ms=2000)


def other(asked: Asked, action: int) -> int:
    """Return another action than one."""
    return next(a for a in range(1, 59) if a != action)


def answered(stage: Stage) -> tuple[Asked, int]:
    """Return a decision of `a` that has been answered, and how."""
    asked = stage.ask("a")
    action = asked.legal[-1]
    stage.answer(asked, action)
    return asked, action


def test_answering_another_sessions_decision_is_a_violation_that_touches_nothing() -> None:
    stage = Stage()
    asked = stage.ask("b")
    before = len(asked.deal.actions)
    stage.answer(asked, name="a")
    assert stage["a"].violations == 1
    assert list(stage["b"].open) == [asked.id]
    assert len(asked.deal.actions) == before
    assert not stage.faults()
    (notice,) = stage.notices("a", "VIOLATION")
    assert notice.detail


def test_answering_twice_differently_is_a_violation() -> None:
    stage = Stage()
    asked, action = answered(stage)
    stage.say("a", [(asked.id, other(asked, action))])
    assert stage["a"].violations == 1
    assert asked.deal.actions[asked.index] == action


def test_answering_twice_differently_in_one_message_is_a_violation() -> None:
    stage = Stage()
    asked = stage.ask("a")
    stage.say("a", [(asked.id, asked.legal[0]), (asked.id, asked.legal[-1])])
    assert stage["a"].violations == 1
    assert asked.deal.actions[asked.index] == asked.legal[0]


def test_answering_a_decision_that_never_was_is_a_violation() -> None:
    stage = Stage()
    asked = stage.ask("a")
    for decision_id in (0, asked.id + (1 << 8), asked.id + (500 << 8)):
        before = stage["a"].violations
        stage.say("a", [(decision_id, asked.legal[0])])
        assert stage["a"].violations == before + 1
    assert list(stage["a"].open) == [asked.id]


def test_garbage_while_nothing_is_open_is_a_violation() -> None:
    stage = Stage()
    stage.ask("b")
    stage.garbage("a")
    assert stage["a"].violations == 1
    assert not stage.faults()


def test_an_equal_repeat_of_an_accepted_answer_is_noise() -> None:
    stage = Stage()
    asked, action = answered(stage)
    stage.say("a", [(asked.id, action)] * 3)
    assert (stage["a"].noise, stage["a"].violations) == (3, 0)


def test_an_answer_to_a_replaced_decision_is_noise_whatever_it_says() -> None:
    stage = Stage()
    asked = stage.ask("a")
    stage.answer(asked, 0)
    for action in (asked.legal[0], asked.legal[-1], 0, 99):
        stage.say("a", [(asked.id, action)])
    assert (stage["a"].noise, stage["a"].violations) == (4, 0)
    assert len(stage.faults()) == 1


def test_an_answer_to_an_id_closed_over_1024_ids_ago_is_noise() -> None:
    stage = Stage(boards=400, tables=50)
    asked, action = answered(stage)
    stage.play(lambda: (stage["a"].counter - (asked.id >> 8)) >= RING - 1, limit=100_000)
    young = stage["a"].counter - (asked.id >> 8) < RING
    stage.say("a", [(asked.id, other(asked, action))])
    assert stage["a"].violations == young
    stage.play(lambda: (stage["a"].counter - (asked.id >> 8)) >= RING, limit=100_000)
    stage.say("a", [(asked.id, other(asked, action))])
    assert stage["a"].violations == young
    assert stage["a"].noise == 1


def test_a_streams_violations_are_one_incident_with_their_count() -> None:
    stage = Stage()
    stage.ask("b")
    for _ in range(7):
        stage.garbage("a")
    assert not stage.events
    stage.cut("a")
    (event,) = stage.events
    assert (event.kind, event.entrant, event.incident) == (EventKind.PROTOCOL, "a", 1)
    assert "7" in event.detail
    stage.connect("a")
    stage.garbage("a")
    stage.connect("a")
    assert [event.incident for event in stage.events] == [1, 2]


def test_violations_of_a_stream_that_lives_to_the_end_are_written_down_once() -> None:
    stage = Stage()
    stage.ask("b")
    stage.garbage("a")
    stage.play()
    for _ in range(2):
        stage.referee.close_books()
        stage.pull()
    assert [event.kind for event in stage.events] == [EventKind.PROTOCOL]


def test_over_50_violations_close_the_stream_once() -> None:
    stage = Stage(clock=CLOCK)
    asked = stage.ask("a")
    stream = stage["a"].stream
    stray = [(asked.id + (1 << 8), 1)]
    for _ in range(MAX_VIOLATIONS):
        stage.say("a", stray)
    assert stage["a"].stream == stream
    assert not stage.orders
    stage.say("a", stray)
    (order,) = stage.orders
    assert (order.kind, order.entrant, order.stream) == (OrderKind.CLOSE_STREAM, "a", stream)
    assert not stage["a"].stream
    for _ in range(5):
        stage.say("a", stray)
        stage.garbage("a") if not stage["a"].open else None
    assert len(stage.orders) == 1
    assert len(stage["a"].notices) == 0
    (event,) = stage.events
    assert event.kind is EventKind.PROTOCOL
    assert str(MAX_VIOLATIONS + 1) in event.detail


def test_what_is_open_when_violations_close_a_stream_may_still_be_answered_on_the_next() -> None:
    stage = Stage(clock=CLOCK)
    asked = stage.ask("a")
    for _ in range(MAX_VIOLATIONS + 1):
        stage.say("a", [(asked.id + (1 << 8), 1)])
    stage.connect("a")
    assert stage["a"].violations == 0
    stage.answer(asked)
    stage.play()
    assert not stage.faults()
    assert len(stage.deals) == 4


def test_a_message_that_breaks_the_limit_still_has_its_other_answers_read() -> None:
    stage = Stage(clock=CLOCK)
    asked = stage.ask("a")
    stray = [(asked.id + (1 << 8), 1)] * (MAX_VIOLATIONS + 5)
    stage.say("a", [*stray, (asked.id, asked.legal[0])])
    assert asked.deal.actions[asked.index] == asked.legal[0]
    assert not stage["a"].stream
    stage.connect("a")
    stage.play()
    assert len(stage.deals) == 4
    assert not stage.faults()


def test_a_violation_is_no_fault_of_a_deal_and_costs_no_bench() -> None:
    stage = Stage(boards=20)
    for _ in range(80):
        stage.ask("a")
        stage.say("a", [(1 << 30, 1)])
        stage.play(lambda: not stage["a"].open)
        stage.connect("a")
    stage.play()
    assert not stage.faults()
    assert stage["a"].faulty == 0
    assert {event.kind for event in stage.events} == {EventKind.PROTOCOL}
