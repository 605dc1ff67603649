"""The safe action: what is played for a seat that failed to choose (FAULTS, Safe action)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.rules.actions import DECLARATIONS, FIRST_CARD, Action, Contract, Phase

if TYPE_CHECKING:
    from arena.rules.deal import Deal

_RANK_BITS = tuple(0b0000001_0000001_0000001_0000001 << rank for rank in range(7))
"""All four cards of each rank, low to high."""


def longest_suit(hand: int) -> int:
    """Return the number of the longest suit of a mask; ties go to the first in C D H S.

    >>> from arena.rules.cards import hand_from_pbn
    >>> longest_suit(hand_from_pbn("AK.QJ.T.97"))
    1
    """
    lengths = [(hand >> 7 * suit & 127).bit_count() for suit in range(4)]
    return lengths.index(max(lengths)) + 1


def safe_action(deal: Deal) -> int:
    """Return the safe action of the seat in turn, from what that seat itself sees.

    It passes; it declares the contract it bid with its longest suit for trump; it plays the
    legal card of lowest rank (7 9 T J Q K A under every ruleset), ties by suit in C D H S.

    >>> from arena.rules.deal import Deal
    >>> from arena.rules.ruleset import BRANDELN
    >>> deal = Deal(BRANDELN, 3, [127, 127 << 7, 127 << 14, 127 << 21])
    >>> str(Action(safe_action(deal)))
    'PASS'
    """
    if deal.phase == Phase.AUCTION:
        return int(Action.PASS)
    if deal.phase == Phase.DECLARATION:
        contract = deal.bid
        trump = longest_suit(deal.holding[deal.turn]) if Contract(contract).has_trump else 0
        return DECLARATIONS[contract, trump]
    cards = deal.legal >> FIRST_CARD
    for of_rank in _RANK_BITS:
        lowest = cards & of_rank
        if lowest:
            return FIRST_CARD - 1 + (lowest & -lowest).bit_length()
    msg = "a deal that is over has no safe action"
    raise ValueError(msg)
