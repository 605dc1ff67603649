"""A run as a whole: strict, drain, goodbye, resuming, duels."""

from __future__ import annotations

import pytest

from arena.referee.session import Flow
from arena.referee.values import Clock, FaultKind, Game, Policy, StopKind
from tests.referee.stage import Stage, duel_boards
from tests.sim.world import KEY

CLOCK = Clock(move_ms=1000, bank_ms=2000, start_ms=10_000)
STRICT = Policy(strict=True)


# ------------------------------------------------------------------ strict


def test_the_first_fault_of_a_strict_run_ends_it_with_the_whole_context() -> None:
    stage = Stage(policy=STRICT, boards=3)
    stage.play(lambda: len(stage.deals) == 1)
    asked = stage.ask("a")
    while asked.index < 8:
        stage.answer(asked)
        asked = stage.ask("a")
    stage.answer(asked, 0)
    stop = stage.referee.stopped
    assert stop is not None
    assert (stop.kind, stop.entrant) == (StopKind.STRICT, "a")
    for part in ("MALFORMED", f"seat {asked.seat} (a)", "hand ", "came: ", "legal: ", "after: "):
        assert part in stop.detail
    assert not stage.referee.has_work


@pytest.mark.parametrize("what", ["illegal", "garbage", "late", "cut", "crash"])
def test_every_kind_of_fault_ends_a_strict_run(what: str) -> None:
    stage = Stage(policy=STRICT, clock=CLOCK, boards=3)
    asked = stage.ask("a")
    if what == "illegal":
        stage.answer(asked, next(a for a in range(1, 59) if a not in asked.legal))
    elif what == "garbage":
        stage.garbage("a")
    elif what == "crash":
        stage.crash("a")
    else:
        if what == "cut":
            stage.cut("a")
        stage.wait(6000)
    stop = stage.referee.stopped
    assert stop is not None
    assert stop.kind is StopKind.STRICT
    kinds = {
        "illegal": FaultKind.ILLEGAL,
        "garbage": FaultKind.MALFORMED,
        "late": FaultKind.TIMEOUT,
        "cut": FaultKind.DISCONNECT,
        "crash": FaultKind.CRASH,
    }
    assert stop.detail.startswith(kinds[what])


def test_a_crash_that_hits_no_open_decision_ends_a_strict_run_too() -> None:
    stage = Stage(policy=STRICT, clock=CLOCK, boards=3)
    stage.ask("b")
    stage.crash("a")
    stop = stage.referee.stopped
    assert stop is not None
    assert (stop.kind, stop.entrant) == (StopKind.STRICT, "a")
    assert "exit code 1" in stop.detail


def test_the_first_fault_is_the_one_that_is_told() -> None:
    stage = Stage(policy=STRICT, clock=CLOCK, boards=30, tables=30)
    stage.ask("a")
    stage.garbage("a")
    first = stage.referee.stopped
    stage.crash("b")
    assert stage.referee.stopped is first


# ------------------------------------------------------------------ drain and goodbye


def test_a_drain_lets_deals_in_progress_end_and_starts_nothing() -> None:
    stage = Stage(boards=50, tables=6)
    stage.play(lambda: len(stage.deals) == 20)
    in_progress = sum(table.leg is not None for table in stage.referee.tables.in_play)
    stage.referee.drain()
    assert not stage.is_finished()
    stage.play(limit=100_000)
    assert stage.is_finished()
    assert len(stage.deals) == 20 + in_progress
    assert not stage.faults()


def test_a_drain_does_not_wait_for_who_is_away() -> None:
    stage = Stage(boards=5, clock=CLOCK)
    stage.ask("a")
    stage.crash("a")
    stage.play()
    stage.referee.drain()
    assert stage.referee.is_finished


def test_a_drained_game_to_points_is_not_recorded() -> None:
    stage = Stage(boards=1, game=Game(KEY, target=50, max_deals=40))
    (table,) = stage.referee.tables.in_play
    stage.play(lambda: table.number == 3)
    stage.answer(stage.ask("a"), 0)
    stage.referee.drain()
    stage.play()
    assert stage.referee.is_finished
    assert not stage.journal, "no event, no fault: resuming plays it"
    assert stage["a"].faulty == 0


def test_a_drain_before_the_first_leg_is_the_end() -> None:
    stage = Stage(is_set=False)
    stage.open()
    stage.referee.drain()
    assert stage.referee.is_finished


def test_goodbye_is_told_to_all_that_are_here_with_what_waits_for_them() -> None:
    stage = Stage(boards=1, clock=CLOCK)
    stage.play()
    stage.cut("d")
    stage.referee.say_goodbye(2000, "the run is over")
    stage.pull()
    for name in "abc":
        last = stage.frames(name, asking=False)[-1]
        (notice,) = [n for n in last.notices if n.kind == "SHUTDOWN"]
        assert (notice.in_ms, notice.detail) == (2000, "the run is over")
        assert len(last.ends) == 1
    assert not stage.notices("d", "SHUTDOWN")


def test_a_finished_run_owes_nobody_anything() -> None:
    stage = Stage(boards=20, tables=5, thinking=2)
    stage.play(limit=100_000)
    assert stage.referee.is_finished
    assert not stage.referee.has_work
    assert stage.referee.flow.in_flight == 0
    for session in stage.referee.sessions:
        assert session.flow is Flow.IDLE
        assert not session.seats_open
    assert stage.referee.answers == sum(len(frame.asked) for frame in stage.sent)


# ------------------------------------------------------------------ duels


def test_one_session_holds_both_seats_of_a_duel_as_two_tables() -> None:
    stage = Stage("ab", duel_boards(2), game=Game(KEY, shows_names=False))
    for name in "ab":
        starts = [start for frame in stage.frames(name) for start in frame.starts]
        if starts:
            assert len({key for key, _, _ in starts}) == 2
            assert len({seat for _, seat, _ in starts}) == 2
            assert all(not start.names for _, _, start in starts)
    stage.play()
    assert len(stage.deals) == 4
    for name in "ab":
        keys = [key for f in stage.frames(name, asking=False) for key, _, _ in f.starts]
        assert keys == list(range(1, 9))


def test_each_seat_of_a_duel_has_its_own_bank() -> None:
    stage = Stage("ab", duel_boards(2), clock=CLOCK)
    stage.answer(stage.ask("a"))
    asked = stage.ask("a")
    stage.wait(2500)
    stage.answer(asked)
    other = next(s for s in asked.table.seats_of(stage["a"]) if s != asked.seat)
    assert asked.table.bank[asked.seat] < asked.table.bank[other]


def test_a_timeout_of_one_seat_of_a_duel_is_none_of_the_other() -> None:
    stage = Stage("ab", duel_boards(2), clock=CLOCK)
    stage.answer(stage.ask("a"))
    asked = stage.ask("a")
    deal, other = asked.deal, next(s for s in asked.table.seats_of(stage["a"]) if s != asked.seat)
    stage.wait(3001)
    while stage.ask("a").seat != other and not deal.is_over:
        stage.answer(stage.ask("a"))
    assert not any(asked.table.autopilot)
    assert stage.ask("a").bank_ms == 2000


def test_names_are_told_unless_the_league_is_anonymous() -> None:
    stage = Stage(boards=1)
    (start, *_) = [start for f in stage.sent for _, _, start in f.starts]
    assert set(start.names) == set("abcd")
    stage = Stage(boards=1, game=Game(KEY, shows_names=False))
    (start, *_) = [start for f in stage.sent for _, _, start in f.starts]
    assert start.names == ()
