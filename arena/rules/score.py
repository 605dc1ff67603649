"""Points of a finished deal (RULES, Score of a deal)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.rules.actions import CONTRACT_POINTS, CONTRACT_TRICKS, Contract

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.rules.ruleset import Ruleset

TRICKS: Final = 7
"""Tricks in a deal."""

Points = tuple[int, int, int, int]


def is_made(contract: int, taken: int) -> bool:
    """Return whether a declarer who took so many tricks has made the contract.

    >>> is_made(Contract.NULL, 0), is_made(Contract.FOUR, 3)
    (True, False)
    """
    return taken == 0 if contract == Contract.NULL else taken >= CONTRACT_TRICKS[contract]


def declared_points(contract: int, declarer: int, taken: Sequence[int]) -> Points:
    """Return the points by seat of a deal that was declared; only the declarer scores.

    >>> declared_points(Contract.FOUR, 2, [1, 1, 4, 1])
    (0, 0, 2, 0)
    >>> declared_points(Contract.NULL, 0, [1, 2, 2, 2])
    (-5, 0, 0, 0)
    """
    value = CONTRACT_POINTS[contract]
    points = [0, 0, 0, 0]
    points[declarer] = value if is_made(contract, taken[declarer]) else -value
    return points[0], points[1], points[2], points[3]


def passed_out_points(ruleset: Ruleset, taken: Sequence[int]) -> Points:
    """Return the points by seat of a deal in which all four passed.

    >>> from arena.rules.ruleset import BRANDELN
    >>> passed_out_points(BRANDELN, [1, 4, 1, 1]), passed_out_points(BRANDELN, [0, 7, 0, 0])
    ((0, 1, 0, 0), (0, -3, 0, 0))
    """
    points = [0, 0, 0, 0]
    if TRICKS in taken:
        points[list(taken).index(TRICKS)] = ruleset.passed_out_all_tricks
    else:
        best = max(taken) if ruleset.passed_out_winner == "most" else min(taken)
        winners = [seat for seat in range(4) if taken[seat] == best]
        if len(winners) == 1 or ruleset.passed_out_tie == "all":
            for seat in winners:
                points[seat] = ruleset.passed_out_points
    return points[0], points[1], points[2], points[3]
