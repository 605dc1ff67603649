"""FAULTS, What holds 1 to 3: an offender beside its twin that chooses the safe action itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.referee.referee import Referee
from arena.referee.values import DealResult
from arena.rules.safe import safe_action
from tests.sim.comparing import asked_places, frames_of, tables_of
from tests.sim.leagues import LARGER, PLAYS, Play, run
from tests.sim.offenders import WAYS, WHENS, Offender, Twin, place_in
from tests.sim.records import header_for, rows, verify
from tests.sim.world import World

TABLES = (1, 8, 64)


def pair(play: Play, way: str, when: str, tables: int) -> tuple[World, World]:
    """Run a league with an offender, and again with its twin."""
    one_in = 40 if way in {"crash", "cut", "leave"} else 6
    in_flight = 1 if way == "garbage" else 128
    offence = run(play, Offender(way, when, one_in), tables=tables, max_in_flight=in_flight)
    spoiled = {
        place_in(result, fault.seat, fault.action)
        for result in offence.deals
        for fault in result.faults
    }
    twin = Twin(asked_places(offence.bots["a"]) - spoiled)
    return offence, run(play, twin, tables=tables, max_in_flight=in_flight)


def by_key(world: World) -> dict[tuple[int, int, int], DealResult]:
    return {(result.board, result.leg, result.number): result for result in world.deals}


@pytest.mark.parametrize("tables", TABLES)
@pytest.mark.parametrize("when", WHENS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("play", PLAYS)
def test_an_offender_scores_what_its_twin_scores_and_bystanders_never_notice(
    play: str, way: str, when: str, tables: int, tmp_path: Path
) -> None:
    of = PLAYS[play]
    offence, twin = pair(of, way, when, tables)
    assert any(result.faults for result in offence.deals) == (way != "heal")
    ours, theirs = by_key(offence), by_key(twin)
    assert set(ours) == set(theirs)
    for key, result in ours.items():
        assert result.deal.actions == theirs[key].deal.actions
        assert result.deal.points == theirs[key].deal.points
    others = set(of.names) - {"a"}
    if tables == 1:
        assert frames_of(offence, others) == frames_of(twin, others)
    for name in others:
        assert tables_of(offence.bots[name]) == tables_of(twin.bots[name])
    _compare_standings(offence, twin, of)
    assert not twin.events
    assert not any(result.faults for result in twin.deals)
    verify(tmp_path / "deals.jsonl", header_for(offence, play, of.passes), offence.journal)


def _compare_standings(offence: World, twin: World, play: Play) -> None:
    """Check that the same points are scored, less the penalties (FAULTS, Penalty)."""
    of = header_for(offence, play.name, play.passes)
    ours, theirs = rows(of, offence.journal), rows(of, twin.journal)
    incidents = sum(bool(event.incident) for event in offence.events)
    faulty = sum(any(not fault.incident for fault in result.faults) for result in offence.deals)
    assert ours["a"].penalties == incidents + faulty
    for name, row in ours.items():
        assert row.net == theirs[name].net
        assert row.points_per_deal == theirs[name].points_per_deal
        assert row.penalties == 0 or name == "a"
        assert theirs[name].penalties == 0


def test_the_comparison_sees_a_single_changed_byte() -> None:
    """Negative control: a world in which one bystander is dealt with otherwise is told apart."""
    play = PLAYS["boards"]
    one, other = run(play, Offender("illegal", "behind")), run(play, Offender("crash", "behind"))
    assert frames_of(one, "bcd") != frames_of(other, "bcd")
    assert tables_of(one.bots["b"]) != tables_of(other.bots["b"])


def test_a_referee_that_plays_another_action_is_told_from_the_twin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Negative control: a referee that replaces by the highest legal action is caught."""
    play = PLAYS["boards"]
    offender = Offender("illegal", "at random")
    honest = run(play, offender)
    with monkeypatch.context() as patch:
        patch.setattr("arena.referee.referee.safe_action", lambda deal: deal.legal.bit_length() - 1)
        broken = run(play, Offender("illegal", "at random"))
    spoiled = {
        place_in(result, fault.seat, fault.action)
        for result in broken.deals
        for fault in result.faults
    }
    twin = run(play, Twin(asked_places(broken.bots["a"]) - spoiled))
    actions = [result.deal.actions for result in broken.deals]
    assert actions != [result.deal.actions for result in twin.deals]
    assert honest.deals


def test_a_referee_that_tells_bystanders_of_a_fault_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Negative control: a notice of another's fault makes the frames differ."""
    fault = Referee._fault

    def gossip(self: Referee, table: object, *args: object, **more: object) -> None:
        fault(self, table, *args, **more)  # type: ignore[arg-type]
        notice = table.sessions[table.deal.turn].notices[-1]  # type: ignore[attr-defined]
        for session in self.sessions:
            session.notices.append(notice)
            self.flow.flush(session)

    play = PLAYS["boards"]
    with monkeypatch.context() as patch:
        patch.setattr(Referee, "_fault", gossip)
        offence = run(play, Offender("illegal", "behind"))
    spoiled = {
        place_in(result, fault.seat, fault.action)
        for result in offence.deals
        for fault in result.faults
    }
    twin = run(play, Twin(asked_places(offence.bots["a"]) - spoiled))
    assert frames_of(offence, "bcd") != frames_of(twin, "bcd")


@pytest.mark.parametrize("play", [*PLAYS, *LARGER])
def test_without_faults_the_record_depends_on_nothing_but_the_seed(play: str) -> None:
    of = (PLAYS | LARGER)[play]
    calm = by_key(run(of))
    for tables in TABLES:
        other = by_key(run(of, tables=tables, thinking=2))
        assert set(other) == set(calm)
        for key, result in other.items():
            assert result.deal.actions == calm[key].deal.actions
            assert result.seats == calm[key].seats


def test_the_safe_action_of_the_referee_is_that_of_the_page() -> None:
    """The twin has its own opinion of the safe action; both meet at every decision of a league."""
    world = run(PLAYS["boards"], Twin(()))
    for result in world.deals:
        again = type(result.deal)(result.deal.ruleset, result.deal.dealer, result.deal.hands)
        for action, seat in zip(result.deal.actions, result.deal.actors, strict=True):
            if result.seats[seat] == "a":
                assert action == safe_action(again)
            again.push(action)
