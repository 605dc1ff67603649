"""Whatever happens to whom: the referee's invariants hold and its record is accepted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings

from arena.league.record_resume import look
from arena.referee.flow import FlowControl
from arena.referee.session import Session
from arena.referee.values import DealResult
from tests.sim.chaos import Chaos, Character, Op, chaoses
from tests.sim.invariants import at_the_end, check_deal
from tests.sim.leagues import PLAYS
from tests.sim.records import header_for, verify

if TYPE_CHECKING:
    from tests.sim.world import World

CALM = {name: Character() for name in "abcd"}


def record_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "chaos.jsonl"


@settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(chaos=chaoses())
@example(chaos=Chaos(PLAYS["boards"], CALM, (Op(0, "a", "cut", 5),)))
def test_whatever_happens_a_league_ends_and_its_record_is_accepted(
    chaos: Chaos, tmp_path_factory: pytest.TempPathFactory
) -> None:
    play_to_the_end(chaos, record_path(tmp_path_factory))


def play_to_the_end(chaos: Chaos, path: Path) -> tuple[int, int]:
    """Play a league, and what is missing if it was stopped; return its deals and events."""
    of = header_for(
        chaos.world(), chaos.play.name, chaos.play.passes, chaos.policy, field=chaos.play.field
    )
    world = chaos.world().run()
    journal = list(world.journal)
    stopped = world.referee.stopped
    check_deals(world)
    if stopped is None:
        at_the_end(world)
    elif world.referee.is_open:
        verify(path, of, journal, finished=False)
        past = look(path)
        world = chaos.at_peace().world(past.history, past.done).run()
        at_the_end(world)
        journal += world.journal
    else:
        assert not world.deals, "nothing is played before all have come"
        return 0, len(journal)
    deals = [entry for entry in journal if isinstance(entry, DealResult)]
    assert len({(result.board, result.leg) for result in deals}) == chaos.play.legs
    verify(path, of, journal)
    return len(deals), len(journal) - len(deals)


def check_deals(world: World) -> None:
    """Check every recorded deal, and that each seat is charged as FAULTS allows."""
    keys = Counter((r.board, r.leg, r.number) for r in world.deals)
    assert set(keys.values()) <= {1}, "every deal is recorded once"
    for result in world.deals:
        check_deal(result)
        for seat in range(4):
            faults = [fault for fault in result.faults if fault.seat == seat]
            assert sum(fault.incident > 0 for fault in faults) <= 1
            assert faults == sorted(faults, key=lambda fault: fault.action)
            assert not any(fault.incident for fault in faults[:-1]), "an incident is the last"
            assert 0 <= result.slowest_us[seat] <= result.think_us[seat]


def test_a_session_that_forgets_to_wait_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Negative control: a referee that leaves a lost bot its leave is caught."""
    release = FlowControl.release

    def forgetful(self: FlowControl, session: Session) -> None:
        thinking = self._thinking
        release(self, session)
        if not session.open:
            self._thinking = thinking

    monkeypatch.setattr(FlowControl, "release", forgetful)
    chaos = Chaos(PLAYS["boards"], CALM, (Op(20, "a", "cut", 50),), tables=5, thinking=2)
    with pytest.raises(AssertionError):
        play_to_the_end(chaos, tmp_path / "deals.jsonl")
