"""FAULTS, What holds 4: a record's faults and incidents are exactly the injected ones."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from arena.referee.attendance import Attendance
from arena.referee.session import Session
from arena.referee.values import DealResult, EventKind, FaultKind
from arena.rules.deal import Deal
from tests.sim.leagues import NO_BENCH, PLAYS, run
from tests.sim.offenders import KIND_OF, WHENS, Offender, Place, place_in
from tests.sim.records import header_for, verify
from tests.sim.world import Hit, Reply, World, chosen

if TYPE_CHECKING:
    from pathlib import Path

    from arena.v1 import referee_pb2

TABLES = (1, 8, 64)


def faults_of(world: World) -> Counter[tuple[Place, FaultKind]]:
    """Return where faults were charged, and as what; all to `a`."""
    found: Counter[tuple[Place, FaultKind]] = Counter()
    for result in world.deals:
        for fault in result.faults:
            assert result.seats[fault.seat] == "a"
            found[place_in(result, fault.seat, fault.action), fault.kind] += 1
    return found


@pytest.mark.parametrize("when", WHENS)
@pytest.mark.parametrize("way", ["illegal", "malformed", "garbage", "stall", "late"])
@pytest.mark.parametrize("play", PLAYS)
def test_faults_without_incident_are_the_injected_ones_whatever_tables_is(
    play: str, way: str, when: str
) -> None:
    first: set[Place] | None = None
    for tables in TABLES:
        offender = Offender(way, when)
        in_flight = 1 if way == "garbage" else 128
        world = run(PLAYS[play], offender, tables=tables, policy=NO_BENCH, max_in_flight=in_flight)
        assert faults_of(world) == Counter((place, KIND_OF[way]) for place in offender.tried)
        assert not world.events
        first = first or set(offender.tried)
        assert set(offender.tried) == first, "what is injected follows from the decisions alone"
        assert len(first) > 5


@pytest.mark.parametrize("tables", TABLES)
@pytest.mark.parametrize("when", WHENS)
@pytest.mark.parametrize("play", PLAYS)
def test_crashes_are_one_incident_each_charged_once_to_each_seat_in_play(
    play: str, when: str, tables: int, tmp_path: Path
) -> None:
    offender = Offender("crash", when, one_in=40)
    world = run(PLAYS[play], offender, tables=tables, policy=NO_BENCH)
    assert [event.kind for event in world.events] == [EventKind.CRASHED] * world.crashes["a"]
    assert world.crashes["a"] > 0
    charged = {
        (fault.incident, result.board, result.leg, result.number, fault.seat, fault.action)
        for result in world.deals
        for fault in result.faults
    }
    assert {fault.kind for result in world.deals for fault in result.faults} == {FaultKind.CRASH}
    expected = [where for _, hit in world.hits if (where := expected_charge(world, hit))]
    assert len(expected) == len(set(expected))
    assert charged == set(expected)
    of = header_for(world, play, PLAYS[play].passes, NO_BENCH)
    verify(tmp_path / "deals.jsonl", of, world.journal)


def expected_charge(world: World, hit: Hit) -> tuple[int, int, int, int, int, int] | None:
    """Return where a crash is to be charged to a seat: its open decision, else its next choice."""
    key = hit.board, hit.leg, hit.number
    result = next(r for r in world.deals if (r.board, r.leg, r.number) == key)
    for index in choices(result, hit.seat):
        if index >= hit.index:
            assert not hit.is_open or index == hit.index
            return hit.crash, *key, hit.seat, index
    return None


def choices(result: DealResult, seat: int) -> list[int]:
    """Return the places of a seat's real choices in a deal."""
    again = Deal(result.deal.ruleset, result.deal.dealer, result.deal.hands)
    found = []
    for index, action in enumerate(result.deal.actions):
        if again.turn == seat and again.legal.bit_count() > 1:
            found.append(index)
        again.push(action)
    return found


@pytest.mark.parametrize("tables", TABLES)
@pytest.mark.parametrize("when", WHENS)
@pytest.mark.parametrize("play", PLAYS)
def test_cuts_that_cost_time_are_one_incident_each(play: str, when: str, tables: int) -> None:
    world = run(PLAYS[play], Offender("cut", when, one_in=40), tables=tables, policy=NO_BENCH)
    assert world.cuts["a"] > 1
    assert [event.kind for event in world.events] == [EventKind.DISCONNECTED] * world.cuts["a"]
    charged = Counter(
        (result.board, result.leg, result.number, fault.seat)
        for result in world.deals
        for fault in result.faults
    )
    assert set(charged.values()) == {1}
    incidents = {fault.incident for result in world.deals for fault in result.faults}
    assert incidents == set(range(1, world.cuts["a"] + 1)), "each is charged somewhere"


@pytest.mark.parametrize("tables", TABLES)
@pytest.mark.parametrize("play", PLAYS)
def test_cuts_that_heal_in_time_leave_no_trace(play: str, tables: int) -> None:
    world = run(PLAYS[play], Offender("heal", "at random"), tables=tables)
    assert world.cuts["a"] > 5
    assert not world.events
    assert not faults_of(world)


@pytest.mark.parametrize("tables", TABLES)
def test_a_bot_that_never_comes_back_is_one_incident_in_every_later_leg(tables: int) -> None:
    world = run(PLAYS["boards"], Offender("leave", "at random"), tables=tables, policy=NO_BENCH)
    assert world.cuts["a"] == 1
    assert [event.kind for event in world.events] == [EventKind.DISCONNECTED]
    faulty = [result for result in world.deals if result.faults]
    assert len(faulty) >= len(world.deals) - 2 * tables
    assert {len(result.faults) for result in faulty} == {1}
    assert {fault.incident for result in faulty for fault in result.faults} == {1}


@pytest.mark.parametrize("tables", TABLES)
def test_answers_given_twice_differently_are_counted_on_their_stream(tables: int) -> None:
    tried = 0

    def stutter(decision: referee_pb2.Decision) -> Reply:
        nonlocal tried
        action = chosen(decision)
        if decision.random_seed % 7 or tried == 45:
            return Reply(action)
        tried += 1
        return Reply(action, again=action % 58 + 1)

    world = run(PLAYS["boards"], stutter, tables=tables)
    (event,) = world.events
    assert event.kind is EventKind.PROTOCOL
    assert event.detail.startswith(f"{tried} ")
    assert tried > 5
    assert not faults_of(world)


@pytest.mark.parametrize("thinking", [1, 2])
def test_faults_do_not_depend_on_how_many_may_think_at_once(thinking: int) -> None:
    tried = []
    for limit in (0, thinking):
        offender = Offender("stall", "at random")
        world = run(PLAYS["boards"], offender, tables=8, thinking=limit, policy=NO_BENCH)
        assert faults_of(world) == Counter((p, FaultKind.TIMEOUT) for p in offender.tried)
        tried.append(set(offender.tried))
    assert tried[0] == tried[1]


def test_an_incident_that_is_never_closed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: a referee that keeps an incident over a reconnect loses the next one."""
    connect = Attendance.connect

    def keeping(self: Attendance, session: Session, now: int) -> None:
        kept = session.incident, session.incident_kind, session.incident_detail
        connect(self, session, now)
        session.incident, session.incident_kind, session.incident_detail = kept

    monkeypatch.setattr(Attendance, "connect", keeping)
    world = run(PLAYS["boards"], Offender("cut", "behind"), policy=NO_BENCH)
    assert len(world.events) < world.cuts["a"]
