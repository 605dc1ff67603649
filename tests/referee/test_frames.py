"""FAULTS, The clock: what a frame carries, and who may send one."""

from __future__ import annotations

import pytest

from arena.referee.flow import MAX_FRAME, FlowControl
from arena.referee.session import Flow
from arena.referee.table import Table
from arena.referee.values import MS, Clock
from tests.referee.stage import Sent, Stage

CLOCK = Clock(move_ms=1000, bank_ms=2000)


def sizes(frames: list[Sent]) -> list[int]:
    return [len(frame.asked) for frame in frames]


def test_a_bot_that_asks_for_nothing_gets_one_decision_a_frame() -> None:
    stage = Stage(boards=40, tables=40, max_in_flight=1)
    stage.play(ms=0.01)
    assert len(stage.deals) == 160
    assert all(set(sizes(stage.frames(name))) == {1} for name in "abcd")


@pytest.mark.parametrize("most", [2, 7, 128, 1000])
def test_a_frame_carries_at_most_what_the_bot_takes_and_never_over_128(most: int) -> None:
    stage = Stage(boards=300, tables=300, max_in_flight=most)
    for _ in range(3):
        stage.play(silent="a", limit=200_000)
        assert len(stage["a"].outbox) > MAX_FRAME
        for asked in stage.open_of("a"):
            stage.answer(asked)
    assert max(sizes(stage.frames("a"))) == min(most, MAX_FRAME)


def test_the_first_frame_carries_one_decision() -> None:
    stage = Stage(boards=100, tables=100)
    assert {len(stage.frames(name)[0].asked) for name in "abcd" if stage.frames(name)} == {1}
    stage.play(lambda: all(len(stage.frames(name)) > 1 for name in "abcd"), ms=0.1)
    assert sizes(stage.frames("a"))[0] == 1 < sizes(stage.frames("a"))[1]


def test_a_restarted_bot_starts_with_one_again() -> None:
    stage = Stage(boards=200, tables=100)
    stage.ask_many("a", 10)
    stage.crash("a")
    stage.play()
    before = len(stage.frames("a"))
    stage.restart("a")
    stage.connect("a")
    assert len(stage.frames("a")[before].asked) == 1
    assert len(stage["a"].outbox) > 1


@pytest.mark.parametrize("each_ms, least, most", [(100, 1, 5), (20, 20, 25), (600, 1, 1)])
def test_a_frame_carries_what_the_bot_answers_in_half_of_move(
    each_ms: int, least: int, most: int
) -> None:
    stage = Stage(boards=100, tables=100, clock=CLOCK)
    for _ in range(12):
        stage.play(lambda: len(stage["a"].outbox) > 60, silent="a", limit=100_000)
        for asked in stage.open_of("a"):
            stage.wait(each_ms, judge=False)
            stage.answer(asked)
    last = sizes(stage.frames("a"))[3:]
    assert max(last) <= most
    assert max(last) >= least
    assert stage["a"].speed_ns == pytest.approx(each_ms * MS, rel=0.2)


def test_a_bot_that_slows_down_gets_smaller_frames_at_once() -> None:
    stage = Stage(boards=200, tables=200, clock=CLOCK)
    stage.ask_many("a", 50)
    stage.wait(900, judge=False)
    count = len(stage.open_of("a"))
    for asked in stage.open_of("a"):
        stage.answer(asked)
    assert stage["a"].speed_ns == 900 * MS // count
    stage.play(lambda: len(stage["a"].open) > 0, silent="a")
    assert len(stage.open_of("a")) <= 500 * count // 900


def test_a_stream_has_at_most_one_unanswered_frame() -> None:
    stage = Stage(boards=60, tables=60)
    asked = stage.ask_many("a", 5)
    frames = len(stage.frames("a"))
    stage.play(silent="a")
    assert stage["a"].outbox
    for each in asked[:-1]:
        stage.answer(each)
        assert len(stage.frames("a")) == frames
    stage.answer(asked[-1])
    assert len(stage.frames("a")) == frames + 1


# ------------------------------------------------------------------ bounded work in flight


def asked_at_once(service_ms: float, names: str = "abcdefgh") -> Stage:
    """Return a stage on which every bot has a decision to send at the same time."""
    stage = Stage(names, 0, clock=CLOCK, service_ms=service_ms)
    for number, session in enumerate(stage.referee.sessions, 1):
        table = Table(stage.referee.game)
        table.board = number
        table.start_deal(0)
        session.outbox.append(table)
        stage.referee.flow.want(session)
    return stage


def most_in_flight(service_ms: float) -> int:
    """Return the most decisions that are out over bots which are asked at once."""
    stage = asked_at_once(service_ms)
    flow = stage.referee.flow
    for session in list(flow.ready):
        flow.take_frame(session, stage.now)
    return flow.in_flight


def test_decisions_out_times_service_time_stay_within_a_tenth_of_move() -> None:
    assert most_in_flight(service_ms=1) == 8
    assert most_in_flight(service_ms=20) == 5
    assert most_in_flight(service_ms=34) == 2


def test_one_decision_may_always_be_out() -> None:
    assert most_in_flight(service_ms=1000) == 1


def test_leave_that_is_not_counted_would_let_all_go_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Negative control: counting only what has been sent grants everybody before anybody sends."""

    def budget(self: FlowControl) -> int:
        return self._move_ns // 10 // self.service_ns - self.in_flight

    monkeypatch.setattr(FlowControl, "budget", budget)
    assert most_in_flight(service_ms=20) > 5


def test_what_waits_goes_when_others_have_answered() -> None:
    stage = Stage(boards=200, tables=100, clock=CLOCK, max_in_flight=8, service_ms=10)
    most = 0

    def watch() -> bool:
        nonlocal most
        most = max(most, stage.referee.flow.in_flight)
        return False

    stage.play(watch, ms=0.1, limit=200_000)
    assert len(stage.deals) == 800
    assert most == 10


def test_leave_is_given_first_come_first_served() -> None:
    stage = asked_at_once(service_ms=200)
    flow = stage.referee.flow
    order = ""
    while flow.ready:
        (session,) = flow.ready
        flow.ready.clear()
        flow.take_frame(session, stage.now)
        order += session.name
        flow.in_flight -= len(session.open)
        session.open.clear()
        flow.end_frame(session, stage.now)
    assert order == "abcdefgh"


def test_waiting_for_leave_is_not_charged() -> None:
    stage = Stage(boards=40, tables=40, clock=CLOCK, service_ms=200)
    (busy,) = (s for s in stage.referee.sessions if s.open)
    waiting = [s for s in stage.referee.sessions if s.flow is Flow.WAITING]
    assert waiting
    stage.wait(2900)
    assert not any(table.soft for s in waiting for table in s.outbox)
    stage.play(ms=1, limit=100_000)
    assert not stage.faults()
    assert busy.flow is Flow.IDLE


# ------------------------------------------------------------------ as many thinkers as cores


def test_no_more_local_bots_than_thinking_hold_a_frame_at_once() -> None:
    stage = Stage(boards=60, tables=30, thinking=2)

    def watch() -> bool:
        busy = [s for s in stage.referee.sessions if s.flow is Flow.BUSY]
        assert len(busy) <= 2
        return False

    stage.play(watch, limit=100_000)
    assert len(stage.deals) == 240
    assert stage.referee.flow._thinking == 0


def test_thinkers_come_first_come_first_served() -> None:
    stage = Stage(boards=30, tables=30, thinking=1, max_in_flight=1)
    stage.play(lambda: len(stage.referee.flow._waiting) == 3)
    order = [session.name for session in stage.referee.flow._waiting]
    served = []
    for name in order:
        (busy,) = (s for s in stage.referee.sessions if s.flow is Flow.BUSY)
        stage.answer(stage.open_of(busy.name)[0])
        (busy,) = (s for s in stage.referee.sessions if s.flow is Flow.BUSY)
        served.append(busy.name)
        assert name in order
    assert served == order


def test_bots_that_dial_in_are_not_limited() -> None:
    stage = Stage(boards=30, tables=30, thinking=1, dials_in="cd")
    stage.play(lambda: sum(s.flow is Flow.BUSY for s in stage.referee.sessions) == 3, silent="abcd")
    busy = {s.name for s in stage.referee.sessions if s.flow is Flow.BUSY}
    assert {"c", "d"} < busy


def test_waiting_for_a_core_is_not_charged() -> None:
    stage = Stage(boards=30, tables=30, thinking=1, clock=CLOCK)
    (busy,) = (s for s in stage.referee.sessions if s.flow is Flow.BUSY)
    stage.wait(2900)
    others = [s for s in stage.referee.sessions if s is not busy]
    assert not any(table.soft for s in others for table in s.outbox)


@pytest.mark.parametrize("how", ["cut", "crash"])
def test_a_bot_that_is_lost_gives_its_core_back(how: str) -> None:
    stage = Stage(boards=30, tables=30, thinking=1, clock=CLOCK)
    (busy,) = (s for s in stage.referee.sessions if s.flow is Flow.BUSY)
    if how == "cut":
        stage.cut(busy.name)
    else:
        stage.crash(busy.name)
    assert stage.referee.flow._thinking == 1
    assert busy.flow is Flow.IDLE
    (another,) = (s for s in stage.referee.sessions if s.flow is Flow.BUSY)
    assert another is not busy


def test_a_bot_that_waits_is_not_waiting_twice_after_it_reconnects() -> None:
    stage = Stage(boards=30, tables=30, thinking=1, max_in_flight=1)
    stage.play(lambda: len(stage.referee.flow._waiting) == 3)
    name = stage.referee.flow._waiting[1].name
    for _ in range(5):
        stage.connect(name)
    names = [session.name for session in stage.referee.flow._waiting]
    assert sorted(names) == sorted(set(names))
    assert names[-1] == name, "who comes back stands last"
    assert stage.referee.flow._thinking == 1


# ------------------------------------------------------------------ starts, ends and notices


def test_starts_and_ends_wait_for_the_next_decisions() -> None:
    stage = Stage(boards=2)
    for frame in stage.sent:
        assert frame.asked
    stage.play()
    assert all(frame.asked for frame in stage.sent)
    starts = [key for f in stage.sent if f.name == "a" for key, _, _ in f.starts]
    ends = [key for f in stage.sent if f.name == "a" for key, _ in f.ends]
    assert len(starts) == 8
    assert ends == starts[:-1], "the last end has nothing to go with"


def test_a_table_starts_before_its_decisions_and_ends_after_them() -> None:
    stage = Stage(boards=4, tables=3)
    stage.play()
    for name in "abcd":
        started: set[int] = set()
        ended: set[int] = set()
        for frame in stage.frames(name, asking=False):
            started |= {key for key, _, _ in frame.starts}
            for asked in frame.asked:
                key = asked.table.table_ids[asked.seat]
                assert started
                assert key not in ended or asked.table.deal is not asked.deal
            ended |= {key for key, _ in frame.ends}
        assert ended <= started


def test_when_256_starts_and_ends_wait_a_frame_goes_without_decisions() -> None:
    stage = Stage(boards=300, tables=300, max_in_flight=1)
    frames = [frame for frame in stage.sent if not frame.asked]
    assert frames
    assert {len(frame.starts) + len(frame.ends) for frame in frames} == {256}
    assert all(frame.frame_ms == 0 for frame in frames)
    assert all(s.flow is not Flow.BUSY or s.open for s in stage.referee.sessions)


def test_table_ids_are_fresh_for_each_leg_and_session() -> None:
    stage = Stage(boards=6, tables=2)
    stage.play()
    for name in "abcd":
        keys = [key for f in stage.frames(name, asking=False) for key, _, _ in f.starts]
        assert keys == list(range(1, 25))


def test_decision_ids_are_fresh_and_no_two_sessions_share_one() -> None:
    stage = Stage(boards=10, tables=5)
    stage.play()
    ids = [asked.id for frame in stage.sent for asked in frame.asked]
    assert len(ids) == len(set(ids))
    assert all(0 < key < 1 << 32 for key in ids)
