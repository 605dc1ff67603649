"""From the schedule to what the referee plays: boards with their legs in playing order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.league.schedule import Play, boards
from arena.referee.values import BoardPlan, LegPlan
from arena.rules.deck import leg_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.league.legs import DoneLegs


def board_plans(
    play: Play,
    entrants: Sequence[str],
    key: bytes,
    *,
    field: Sequence[str] = (),
    passes: int,
    done: DoneLegs | None = None,
) -> Iterator[BoardPlan]:
    """Return the boards of a league, lazily, without the legs that are done.

    The legs of a board stand in the order in which they are played (DECK 9). A leg's number is
    that of its rotation: the only leg of an independent board need not be leg 0.
    """
    for board in boards(play, entrants, key, field=field, passes=passes):
        plans = [
            LegPlan(board.legs[place], board.seats[place])
            for place in leg_order(key, board.number, len(board.legs))
        ]
        left = [plan for plan in plans if done is None or (board.number, plan.leg) not in done]
        if left:
            yield BoardPlan(board.number, left)
