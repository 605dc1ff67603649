"""Positions in which somebody has to decide, as tables: what the bench builds frames from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.referee.table import Table
from arena.referee.values import BoardPlan, LegPlan
from arena.rules.deal import Deal

if TYPE_CHECKING:
    from arena.referee.values import Game


def play_randomly(deal: Deal, seeds: list[int], stop_after: int = 1 << 30) -> int:
    """Play as the sample bot `random` does; return how many decisions had a choice.

    `stop_after` ends before the next one once so many were taken.
    """
    asked = 0
    while legal := deal.legal:
        if legal & (legal - 1):
            if asked == stop_after:
                break
            asked += 1
            choices = deal.legal_actions()
            deal.push(choices[(seeds[deal.turn] + len(deal.actions)) % len(choices)])
        else:
            deal.push(legal.bit_length() - 1)
    return asked


def open_tables(game: Game, boards: int) -> list[Table]:
    """Return tables with an open decision: all of the decisions of some random deals, in order."""
    tables: list[Table] = []
    for board in range(1, boards + 1):
        table = _table(game, board)
        for stop_after in range(play_randomly(table.deal, table.seeds)):
            position = _table(game, board)
            play_randomly(position.deal, position.seeds, stop_after)
            position.ask_id = len(tables) << 8 & 0xFFFFFFFF | 1
            tables.append(position)
    return tables


def _table(game: Game, board: int) -> Table:
    table = Table(game)
    table.set_board(BoardPlan(board, [LegPlan(0, ("a", "b", "c", "d"))]))
    table.table_ids = [board, board, board, board]
    table.start_deal(2_000_000_000)
    return table
