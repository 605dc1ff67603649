"""What holds in a world at every moment, and at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.referee.session import NEVER, Flow, Session
from arena.referee.tables import WAITING_STARTS
from arena.rules.actions import FIRST_CARD
from arena.rules.deal import Deal

if TYPE_CHECKING:
    from arena.referee.table import Table
    from arena.referee.values import DealResult
    from tests.sim.world import World

SLACK: Final = 64
"""Notices that may wait for a bot at most."""


def at_every_moment(world: World) -> None:
    """Check a world between two inputs."""
    referee = world.referee
    flow, sessions = referee.flow, referee.sessions
    assert flow.in_flight == sum(len(session.open) for session in sessions)
    assert flow._granted == sum(session.flow is Flow.GRANTED for session in sessions) == 0
    waiting = [session for session in sessions if session.flow is Flow.WAITING]
    assert sorted(s.index for s in flow._waiting) == [s.index for s in waiting]
    if flow._thinking_limit:
        busy = [s for s in sessions if s.flow is Flow.BUSY and s.is_local]
        assert flow._thinking == len(busy)
    asked: dict[Table, Session] = {}
    for session in sessions:
        for table in (*session.open.values(), *session.outbox):
            assert table not in asked, "a decision is asked for once"
            asked[table] = session
        _check_session(world, session)
    for table in referee.tables.in_play:
        if table.leg is not None and not table.deal.is_over:
            seat = table.deal.turn
            assert asked.pop(table) is table.sessions[seat]
            assert not table.autopilot[seat]
            assert table.deal.legal.bit_count() > 1, "nobody is asked who has no choice"
    assert not asked, "a decision belongs to a deal in play"


def _check_session(world: World, session: Session) -> None:
    tables = len(world.referee.tables.in_play)
    assert len(session.notices) <= SLACK
    waiting = len(session.starts) + len(session.ends)
    assert waiting < WAITING_STARTS + 2 * tables + 2
    assert len(session.seats_open) <= 4 * tables
    assert bool(session.flow is Flow.BUSY) <= bool(session.stream)
    assert bool(session.outbox) <= bool(not session.stream or session.flow is not Flow.IDLE)
    if world.clock.is_off:
        return
    first = NEVER
    for table in (*session.open.values(), *session.outbox):
        if table.soft:
            first = min(first, table.soft + table.bank[table.deal.turn])
        else:
            assert session.stream, "while a stream is down its clocks run"
            assert table.ask_id not in session.open, "what is sent has a clock"
    assert session.due <= first, "no clock ends unseen"


def at_the_end(world: World) -> None:
    """Check a world that has ended well."""
    referee = world.referee
    assert referee.is_finished
    assert not referee.stopped
    assert referee.flow.in_flight == 0
    assert referee.flow._thinking == 0
    assert not referee.flow._waiting
    for session in referee.sessions:
        assert not session.open
        assert not session.outbox
        assert not session.seats_open
        assert session.flow is Flow.IDLE
    for result in world.deals:
        check_deal(result)


def check_deal(result: DealResult) -> None:
    """Check that a deal obeys RULES: every action legal, 28 cards, its points (FAULTS 1)."""
    deal = result.deal
    again = Deal(deal.ruleset, deal.dealer, deal.hands)
    for action, seat in zip(deal.actions, deal.actors, strict=True):
        again.apply_action(action, seat)
    assert again.is_over
    assert again.points == deal.points
    cards = [action for action in deal.actions if action >= FIRST_CARD]
    assert sorted(cards) == list(range(FIRST_CARD, FIRST_CARD + 28))
    assert sum(again.taken) == 7
