"""Tables in the middle of a deal, made by hand, and what the generated encoder makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from arena.referee.table import Table
from arena.referee.values import Game
from arena.rules.view import view_of
from arena.v1 import referee_pb2
from arena.wire.game import decision_to_message

if TYPE_CHECKING:
    from arena.rules.deal import Deal

KEY = bytes(32)
IDS = st.integers(1, (1 << 32) - 1)
TIMES = st.integers(0, (1 << 32) - 1)
SCORES = st.integers(-1000, 1000)


@dataclass(frozen=True)
class Seating:
    """What a table has beside its deal."""

    table_ids: tuple[int, int, int, int]
    seeds: tuple[int, int, int, int]
    target: int = 0
    number: int = 1
    scores: tuple[int, int, int, int] = (0, 0, 0, 0)


@st.composite
def seatings(draw: st.DrawFn) -> Seating:
    """Ids, seeds and, in games to points, scores of a table."""
    table_ids = draw(st.tuples(IDS, IDS, IDS, IDS))
    seeds = draw(st.tuples(*[st.integers(0, (1 << 32) - 1)] * 4))
    target = draw(st.just(0) | st.integers(1, 10_000))
    number = draw(st.integers(1, 10_000)) if target else 1
    scores = draw(st.tuples(SCORES, SCORES, SCORES, SCORES)) if target else (0, 0, 0, 0)
    return Seating(table_ids, (seeds[0], seeds[1], seeds[2], seeds[3]), target, number, scores)


def table_with(deal: Deal, seating: Seating, ask_id: int = 1) -> Table:
    """Return a table that plays a deal and asks the seat in turn under an id."""
    target = seating.target
    table = Table(Game(KEY, deal.ruleset, target=target, max_deals=99 if target else 0))
    table.deal = deal
    table.ask_id = ask_id
    table.table_ids = list(seating.table_ids)
    table.seeds = list(seating.seeds)
    table.number = seating.number
    table.scores = list(seating.scores)
    return table


def generated(table: Table, move_ms: int, bank_ms: int) -> referee_pb2.Decision:
    """Return a table's open decision as the generated code builds it."""
    deal, seat, is_game = table.deal, table.deal.turn, bool(table.game.target)
    view = view_of(
        deal,
        seat,
        random_seed=table.seeds[seat],
        number=table.number if is_game else None,
        target=table.game.target or None,
        scores=tuple(table.scores) if is_game else (),
    )
    return decision_to_message(
        view,
        decision_id=table.ask_id,
        table=table.table_ids[seat],
        move_ms=move_ms,
        bank_ms=bank_ms,
    )
