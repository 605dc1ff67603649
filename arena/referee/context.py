"""The whole context of a fault, in words, for a run that stops at the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.rules.actions import ACTION_TEXTS, FIRST_CARD, Phase
from arena.rules.cards import cards_of

if TYPE_CHECKING:
    from arena.referee.table import Table
    from arena.referee.values import FaultKind
    from arena.rules.deal import Deal


def fault_context(table: Table, kind: FaultKind, detail: str, came: str) -> str:
    """Return what the seat in turn was asked, what came and what was legal, a line each."""
    deal, seat = table.deal, table.deal.turn
    leg = table.leg.leg if table.leg else 0
    name = table.sessions[seat].name
    phase = Phase(deal.phase).name.lower()
    hand = " ".join(map(str, cards_of(deal.holding[seat])))
    legal = " ".join(ACTION_TEXTS[action] for action in deal.legal_actions())
    # Of a crash nothing came; what happened stands in the first line.
    answer = () if came == detail else (f"came: {came}",)
    return "\n".join(
        (
            f"{kind}: {detail}",
            f"board {table.board}, leg {leg}, deal {table.number}, seat {seat} ({name})",
            f"asked: {phase}, hand {hand}, dealer {deal.dealer}",
            f"after: {_history(deal) or 'nothing'}",
            *answer,
            f"legal: {legal}",
        )
    )


def _history(deal: Deal) -> str:
    """Return the actions so far, the seat before each call and each trick's leader."""
    parts = []
    for index, (action, seat) in enumerate(zip(deal.actions, deal.actors, strict=True)):
        leads = action >= FIRST_CARD and (index - deal.play_start) % 4 == 0
        prefix = f"{seat}:" if action < FIRST_CARD or leads else ""
        parts.append(f"{prefix}{ACTION_TEXTS[action]}")
    return " ".join(parts)
