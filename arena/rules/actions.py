"""The 58 actions, the contracts and the phases of a deal (RULES, Actions)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from arena.rules.cards import CARD_BY_TEXT, CARDS, Card, Suit


class Phase(IntEnum):
    """What is being decided."""

    AUCTION = 1
    DECLARATION = 2
    PLAY = 3
    OVER = 4


class Contract(IntEnum):
    """What a declarer undertakes, in the order of the bids (RULES, Auction)."""

    BRANDELN = 1
    FOUR = 2
    FIVE = 3
    SIX = 4
    NULL = 5
    ALL_TRUMP = 6
    ALL_NO_TRUMP = 7

    @property
    def tricks(self) -> int:
        """The tricks the declarer must take at least; for `NULL`, exactly none."""
        return CONTRACT_TRICKS[self]

    @property
    def points(self) -> int:
        """What the contract is worth, won or lost."""
        return CONTRACT_POINTS[self]

    @property
    def has_trump(self) -> bool:
        """Whether its declaration names a trump suit."""
        return self not in (Contract.NULL, Contract.ALL_NO_TRUMP)

    def __str__(self) -> str:
        return self.name


CONTRACT_TRICKS: Final = (0, 3, 4, 5, 6, 0, 7, 7)
"""Tricks to take, by contract number (RULES, the table of bids)."""
CONTRACT_POINTS: Final = (0, 1, 2, 3, 5, 5, 6, 7)
"""Value, by contract number (RULES, the table of bids)."""


class Action(IntEnum):
    """Everything a player can do, numbered for good.

    >>> Action.DECLARE_FOUR_HEARTS, str(Action.DECLARE_FOUR_HEARTS)
    (<Action.DECLARE_FOUR_HEARTS: 15>, 'FOUR:H')
    """

    PASS = 1
    BID_BRANDELN = 2
    BID_FOUR = 3
    BID_FIVE = 4
    BID_SIX = 5
    BID_NULL = 6
    BID_ALL_TRUMP = 7
    BID_ALL_NO_TRUMP = 8
    DECLARE_BRANDELN_CLUBS = 9
    DECLARE_BRANDELN_DIAMONDS = 10
    DECLARE_BRANDELN_HEARTS = 11
    DECLARE_BRANDELN_SPADES = 12
    DECLARE_FOUR_CLUBS = 13
    DECLARE_FOUR_DIAMONDS = 14
    DECLARE_FOUR_HEARTS = 15
    DECLARE_FOUR_SPADES = 16
    DECLARE_FIVE_CLUBS = 17
    DECLARE_FIVE_DIAMONDS = 18
    DECLARE_FIVE_HEARTS = 19
    DECLARE_FIVE_SPADES = 20
    DECLARE_SIX_CLUBS = 21
    DECLARE_SIX_DIAMONDS = 22
    DECLARE_SIX_HEARTS = 23
    DECLARE_SIX_SPADES = 24
    DECLARE_NULL = 25
    DECLARE_ALL_TRUMP_CLUBS = 26
    DECLARE_ALL_TRUMP_DIAMONDS = 27
    DECLARE_ALL_TRUMP_HEARTS = 28
    DECLARE_ALL_TRUMP_SPADES = 29
    DECLARE_ALL_NO_TRUMP = 30
    PLAY_CLUBS_SEVEN = 31
    PLAY_CLUBS_NINE = 32
    PLAY_CLUBS_TEN = 33
    PLAY_CLUBS_JACK = 34
    PLAY_CLUBS_QUEEN = 35
    PLAY_CLUBS_KING = 36
    PLAY_CLUBS_ACE = 37
    PLAY_DIAMONDS_SEVEN = 38
    PLAY_DIAMONDS_NINE = 39
    PLAY_DIAMONDS_TEN = 40
    PLAY_DIAMONDS_JACK = 41
    PLAY_DIAMONDS_QUEEN = 42
    PLAY_DIAMONDS_KING = 43
    PLAY_DIAMONDS_ACE = 44
    PLAY_HEARTS_SEVEN = 45
    PLAY_HEARTS_NINE = 46
    PLAY_HEARTS_TEN = 47
    PLAY_HEARTS_JACK = 48
    PLAY_HEARTS_QUEEN = 49
    PLAY_HEARTS_KING = 50
    PLAY_HEARTS_ACE = 51
    PLAY_SPADES_SEVEN = 52
    PLAY_SPADES_NINE = 53
    PLAY_SPADES_TEN = 54
    PLAY_SPADES_JACK = 55
    PLAY_SPADES_QUEEN = 56
    PLAY_SPADES_KING = 57
    PLAY_SPADES_ACE = 58

    @property
    def bid(self) -> Contract | None:
        """The contract this action bids, or `None` when it is no bid."""
        return Contract(self - 1) if FIRST_BID <= self <= LAST_BID else None

    @property
    def contract(self) -> Contract | None:
        """The contract this action declares, or `None` when it is no declaration."""
        declared = DECLARED.get(self)
        return Contract(declared[0]) if declared else None

    @property
    def trump(self) -> Suit | None:
        """The trump suit this action declares, or `None`."""
        declared = DECLARED.get(self)
        return Suit(declared[1]) if declared and declared[1] else None

    @property
    def card(self) -> Card | None:
        """The card this action plays, or `None` when it plays none."""
        return CARDS[self - FIRST_CARD] if self >= FIRST_CARD else None

    def __str__(self) -> str:
        return ACTION_TEXTS[self]


FIRST_BID: Final = 2
LAST_BID: Final = 8
FIRST_DECLARATION: Final = 9
LAST_DECLARATION: Final = 30
FIRST_CARD: Final = 31
LAST_ACTION: Final = 58
CARD_OFFSET: Final = 30
"""What is added to a card's number to get the action that plays it."""

DECLARED: Final[dict[int, tuple[int, int]]] = {}
"""Contract and trump suit (0 without one) of each declaration, by action number."""
DECLARATIONS: Final[dict[tuple[int, int], int]] = {}
"""The action of each contract and trump suit: the other way round."""
_number = FIRST_DECLARATION
for _contract in Contract:
    for _suit in Suit if _contract.has_trump else (0,):
        DECLARED[_number] = (int(_contract), int(_suit))
        DECLARATIONS[int(_contract), int(_suit)] = _number
        _number += 1

ACTIONS: Final[tuple[Action, ...]] = (Action.PASS, *Action)
"""The actions by number; place 0 is filled so that `ACTIONS[n]` is the action n."""


def _text(action: int) -> str:
    if action == Action.PASS:
        return "PASS"
    if action <= LAST_BID:
        return Contract(action - 1).name
    if action <= LAST_DECLARATION:
        contract, suit = DECLARED[action]
        return f"{Contract(contract).name}:{Suit(suit)}" if suit else Contract(contract).name
    return CARDS[action - FIRST_CARD].name


ACTION_TEXTS: Final[tuple[str, ...]] = ("", *(_text(action) for action in Action))
"""The text of each action by number (`PASS`, `FOUR`, `FOUR:H`, `SA`); place 0 is empty."""

_BIDS_BY_TEXT = {ACTION_TEXTS[number]: ACTIONS[number] for number in range(1, LAST_BID + 1)}
_DECLARATIONS_BY_TEXT = {ACTION_TEXTS[number]: ACTIONS[number] for number in DECLARED}


def play_of(card: int) -> Action:
    """Return the action that plays a card.

    >>> play_of(Card.SA)
    <Action.PLAY_SPADES_ACE: 58>
    """
    return ACTIONS[card + CARD_OFFSET]


def action_from_text(text: str, phase: int) -> Action:
    """Return the action that a text means in a phase (`NULL` is a bid and a declaration).

    Raises `ValueError` when the text is no action of that phase.

    >>> action_from_text("NULL", Phase.AUCTION), action_from_text("NULL", Phase.DECLARATION)
    (<Action.BID_NULL: 6>, <Action.DECLARE_NULL: 25>)
    """
    action: Action | None
    if phase == Phase.AUCTION:
        action, wanted = _BIDS_BY_TEXT.get(text), "PASS or a contract such as FOUR"
    elif phase == Phase.DECLARATION:
        action, wanted = _DECLARATIONS_BY_TEXT.get(text), "a declaration such as FOUR:H or NULL"
    else:
        card = CARD_BY_TEXT.get(text)
        action, wanted = play_of(card) if card else None, "a card such as SA"
    if action is None:
        msg = f"expected {wanted}, got {text!r}"
        raise ValueError(msg)
    return action
