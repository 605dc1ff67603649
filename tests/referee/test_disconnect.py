"""FAULTS: DISCONNECT, reconnecting, and what a cut does to clocks."""

from __future__ import annotations

import pytest

from arena.referee.referee import Referee
from arena.referee.session import Flow, Session
from arena.referee.values import MS, Clock, EventKind, FaultKind
from tests.referee.stage import Asked, Stage, duel_boards, was_safe

CLOCK = Clock(move_ms=1000, bank_ms=2000, start_ms=10_000)


def warm(**options: object) -> Stage:
    """Return a stage on which `a` has answered its first frame."""
    stage = Stage(clock=CLOCK, **options)  # type: ignore[arg-type]
    stage.answer(stage.ask("a"))
    return stage


def test_a_cut_that_heals_in_time_leaves_no_trace() -> None:
    stage = warm()
    asked = stage.ask("a")
    stage.cut("a")
    stage.wait(2500)
    stage.connect("a")
    stage.answer(asked)
    stage.play()
    assert len(stage.deals) == 4
    assert not stage.faults()
    assert not stage.events


def test_an_open_decision_is_sent_again_under_its_id_with_what_is_left() -> None:
    stage = warm()
    asked = stage.ask("a")
    stage.wait(300)
    stage.cut("a")
    stage.wait(200)
    stage.connect("a")
    (again,) = stage.open_of("a")
    assert again.id == asked.id
    assert (again.move_ms, again.bank_ms) == (500, 2000)
    stage.wait(1500)
    stage.connect("a")
    (again,) = stage.open_of("a")
    assert (again.id, again.move_ms, again.bank_ms) == (asked.id, 0, 1000)


def time_left_after_reconnects(stage: Stage) -> int:
    """Cut and reconnect until something gives; return after how many seconds."""
    stage.ask("a")
    for seconds in range(1, 20):
        stage.cut("a")
        stage.wait(1000)
        if stage.faults("a"):
            return seconds
        stage.connect("a")
    return 0


def test_reconnecting_stops_no_clock() -> None:
    assert time_left_after_reconnects(warm(boards=20)) == 3


def test_a_clock_that_starts_again_would_never_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: a referee that starts the clocks of open decisions again is caught."""
    connect = Referee.connect

    def renewing(self: Referee, name: str, now: int, *, max_in_flight: int = 1) -> object:
        for table in self.by_name[name].open.values():
            table.soft = now + self._move_ns
        return connect(self, name, now, max_in_flight=max_in_flight)

    monkeypatch.setattr(Referee, "connect", renewing)
    assert time_left_after_reconnects(warm(boards=20)) == 0


def test_a_clock_that_runs_out_while_the_stream_is_down_is_a_disconnect() -> None:
    stage = warm()
    asked = stage.ask("a")
    stage.cut("a")
    stage.wait(2999)
    assert not stage.faults()
    assert not stage.events
    stage.wait(1)
    (fault,) = stage.faults()
    assert (fault.kind, fault.incident, fault.action) == (FaultKind.DISCONNECT, 1, asked.index)
    (event,) = stage.events
    assert (event.kind, event.entrant, event.incident) == (EventKind.DISCONNECTED, "a", 1)
    assert was_safe(asked)
    assert asked.table.autopilot[asked.seat]


def test_waiting_decisions_start_their_clocks_when_the_stream_goes_down() -> None:
    stage = warm(boards=30, tables=30, max_in_flight=1)
    stage.play(lambda: len(stage["a"].outbox) > 2, silent="a")
    waiting = list(stage["a"].outbox)
    stage.wait(500)
    stage.cut("a")
    assert {table.soft for table in waiting} == {stage.now + 1000 * MS}


def test_new_decisions_start_their_clocks_at_once_while_the_stream_is_down() -> None:
    stage = Stage(clock=CLOCK, boards=30, tables=30)
    stage.ask_many("a", 2)
    stage.cut("a")
    stage.wait(700)
    before = len(stage["a"].outbox)
    stage.play(lambda: len(stage["a"].outbox) > before, silent="a")
    assert stage["a"].outbox[-1].soft == stage.now + 1000 * MS


def test_a_decision_that_waited_while_the_stream_was_down_keeps_its_clock() -> None:
    stage = Stage(clock=CLOCK, boards=30, tables=30)
    stage.ask_many("a", 2)
    stage.cut("a")
    before = len(stage["a"].outbox)
    stage.play(lambda: len(stage["a"].outbox) > before, silent="a")
    table = stage["a"].outbox[-1]
    stage.wait(700)
    stage.connect("a")
    (asked,) = [a for a in stage.frames("a")[-1].asked if a.table is table]
    assert asked.move_ms == 300


def test_a_disconnect_is_one_incident_however_many_deals_it_hits() -> None:
    stage = Stage(clock=CLOCK, boards=30, tables=30)
    stage.ask_many("a", 5)
    stage.cut("a")
    stage.wait(3500)
    stage.play(silent="a")
    stage.wait(3500)
    faults = stage.faults("a")
    assert len(faults) >= 10
    assert {fault.incident for fault in faults} == {1}
    assert len(stage.events) == 1


def test_deals_whose_clock_did_not_run_out_are_not_hit() -> None:
    stage = Stage(clock=CLOCK, boards=30, tables=30)
    early = {asked.table for asked in stage.ask_many("a", 5)}
    stage.cut("a")
    stage.wait(2000)
    before = set(stage["a"].outbox) | early
    stage.play(lambda: set(stage["a"].outbox) > before, silent="a")
    late = set(stage["a"].outbox) - before
    assert late
    stage.wait(1500)
    stage.connect("a")
    hit = {table for table in stage.referee.tables.in_play if table.autopilot[_seat(table, stage)]}
    assert early <= hit
    assert not late & hit
    assert {table for table in late if table in set(stage["a"].open.values())} == late


def _seat(table: object, stage: Stage) -> int:
    return int(table.seats_of(stage["a"])[0])  # type: ignore[attr-defined]


def test_a_new_cut_after_coming_back_is_a_new_incident() -> None:
    stage = warm(boards=3)
    for _ in range(2):
        stage.ask("a")
        stage.cut("a")
        stage.wait(3500)
        stage.connect("a")
    assert [event.incident for event in stage.events] == [1, 2]
    assert [fault.incident for fault in stage.faults("a")] == [1, 2]


def test_a_seat_hit_by_a_disconnect_stays_safe_to_the_end_of_the_deal_only() -> None:
    stage = warm(boards=2)
    asked = stage.ask("a")
    stage.cut("a")
    stage.wait(3500)
    stage.connect("a")
    stage.play(lambda: asked.deal.is_over)
    assert len(stage.faults("a")) == 1
    later = stage.ask("a")
    assert later.deal is not asked.deal
    stage.play()
    assert len(stage.faults("a")) == 1


def test_the_deals_of_a_duel_that_a_disconnect_hits_are_hit_at_both_seats() -> None:
    stage = Stage("ab", duel_boards(6), clock=CLOCK)
    stage.answer(stage.ask("a"))
    asked = stage.ask("a")
    seats = asked.table.seats_of(stage["a"])
    assert len(seats) == 2
    stage.cut("a")
    stage.wait(3500)
    assert all(asked.table.autopilot[seat] for seat in seats)
    stage.connect("a")
    deal = asked.deal
    stage.play(lambda: deal.is_over)
    result = next(r for r in stage.deals if r.deal is deal)
    assert {fault.incident for fault in result.faults} == {1}
    assert sorted(fault.seat for fault in result.faults) == sorted(seats)


def test_an_end_of_an_older_stream_changes_nothing() -> None:
    stage = warm()
    asked = stage.ask("a")
    older = stage["a"].stream
    stage.connect("a")
    stage.referee.disconnect(stage["a"], older, stage.now)
    assert stage["a"].stream
    stage.answer(asked)
    stage.play()
    assert not stage.faults()


def test_a_newer_stream_gets_the_open_tables_and_decisions_of_the_older() -> None:
    stage = Stage(clock=CLOCK, boards=30, tables=30)
    asked = stage.ask_many("a", 4)
    stage.connect("a")
    frame = stage.frames("a")[-1]
    assert {a.id for a in asked} <= {a.id for a in frame.asked}
    seats = {key for key, _, _ in frame.starts}
    assert seats == set(stage["a"].seats_open)
    assert len(seats) == 30


def smaller(in_flight: int = 2) -> tuple[Stage, list[Asked]]:
    """Return a stage on which `a` had five decisions or more and then asks for fewer at once."""
    stage = Stage(clock=CLOCK, boards=30, tables=30)
    asked = stage.ask_many("a", 5)
    stage.wait(100)
    stage.connect("a", in_flight)
    return stage, asked


def test_no_frame_after_a_reconnect_holds_more_than_the_bot_asks_for() -> None:
    stage, asked = smaller()
    frames = len(stage.frames("a"))
    assert [a.id for a in stage.frames("a")[-1].asked] == [a.id for a in asked[:2]]
    assert stage.referee.flow.in_flight == sum(len(s.open) for s in stage.referee.sessions)
    for first in range(2, len(asked), 2):
        for again in stage.frames("a")[-1].asked:
            stage.answer(again)
        sent = stage.frames("a")[-1].asked
        assert [a.id for a in sent][: len(asked) - first] == [a.id for a in asked[first:]][:2]
        assert {a.move_ms for a in sent if a in asked} <= {900}
    stage.play(limit=100_000)
    assert max(len(frame.asked) for frame in stage.frames("a")[frames:]) == 2
    assert len(stage.deals) == 120
    assert not stage.faults()


def test_a_decision_that_was_not_sent_again_yet_may_be_answered() -> None:
    stage, asked = smaller()
    for each in reversed(asked):
        assert stage["a"].flow is Flow.BUSY
        stage.answer(each)
    assert not stage.notices("a", "VIOLATION")
    stage.play(limit=100_000)
    assert len(stage.deals) == 120
    assert not stage.faults()


def test_the_clock_of_a_decision_that_was_not_sent_again_yet_runs() -> None:
    stage, asked = smaller()
    stage.wait(2900)
    faults = stage.faults("a")
    assert [fault.kind for fault in faults] == [FaultKind.TIMEOUT] * len(asked)
    assert not {a.id for a in asked} & set(stage["a"].open)
    stage.play(silent="bcd")
    assert stage["a"].flow is Flow.IDLE, "nothing is left of the old frame"


def test_a_bot_that_asks_for_fewer_twice_gets_each_decision_once_a_stream() -> None:
    stage, asked = smaller()
    stage.answer(asked[0])
    stage.connect("a", 1)
    sent: list[int] = []
    while len(sent) < len(asked) - 1:
        (again,) = stage.frames("a")[-1].asked
        sent.append(again.id)
        stage.answer(again)
    assert sent == [a.id for a in asked[1:]]


def test_no_notice_of_an_older_stream_reaches_a_newer() -> None:
    stage = warm()
    stage["a"].notices.clear()
    asked = stage.ask("a")
    stage.referee.receive(stage["a"], [(asked.id, 0)], stage.now)
    assert stage["a"].notices, "its writer has not had its turn"
    ready = stage.referee.ready
    ready[:] = [session for session in ready if session.name != "a"]
    stage.connect("a")
    frames = len(stage.frames("a"))
    stage.play(lambda: len(stage.frames("a")) > frames)
    assert len(stage.frames("a")) > frames
    assert not stage.notices("a")


def test_an_answer_on_the_new_stream_may_come_before_the_question_does() -> None:
    stage = warm()
    asked = stage.ask("a")
    stage.cut("a")
    session, _ = stage.referee.connect("a", stage.now, max_in_flight=128)
    stage.referee.receive(session, [(asked.id, asked.legal[0])], stage.now)
    stage.pull()
    stage.play()
    assert len(stage.deals) == 4
    assert not stage.faults()
    assert stage.referee.flow.in_flight == 0


def test_without_a_clock_a_stream_away_for_start_is_a_disconnect() -> None:
    stage = Stage(clock=Clock(move_ms=0, start_ms=10_000), boards=2)
    asked = stage.ask("a")
    stage.cut("a")
    stage.wait(9999)
    assert not stage.events
    stage.wait(1)
    assert [event.kind for event in stage.events] == [EventKind.DISCONNECTED]
    assert [fault.action for fault in stage.faults("a")] == [asked.index]
    stage.play()
    assert len(stage.deals) == 8


def test_without_a_clock_a_bot_that_hangs_is_waited_for() -> None:
    stage = Stage(clock=Clock(move_ms=0), boards=1)
    asked = stage.ask("a")
    stage.wait(10_000_000)
    stage.answer(asked)
    stage.play()
    assert not stage.faults()


def test_sessions_that_reconnect_without_end_grow_nothing() -> None:
    stage = Stage(clock=CLOCK, boards=30, tables=30, thinking=1)
    for _ in range(500):
        for name in "abcd":
            stage.connect(name)
    for session in stage.referee.sessions:
        assert isinstance(session, Session)
        assert len(session.starts) + len(session.ends) <= 60
    assert len(stage.referee.flow._waiting) < 4
    stage.play(limit=100_000)
    assert len(stage.deals) == 120
    assert not stage.faults()
