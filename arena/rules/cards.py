"""Suits, ranks, cards, and sets of cards as bit masks.

A *mask* is a set of cards in one integer: bit `card - 1` stands for the card numbered
`card` (1 to 28, RULES, Actions). The seven cards of a suit are seven neighbouring bits,
lowest rank first, so following suit is one `and`.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

SUIT_LETTERS: Final = "CDHS"
RANK_LETTERS: Final = "79TJQKA"
ALL_CARDS: Final = (1 << 28) - 1
"""The mask of the whole deck."""


class Suit(IntEnum):
    """One of the four suits; they have no order among themselves.

    >>> str(Suit.HEARTS), Suit.HEARTS.symbol
    ('H', '♥')
    """

    CLUBS = 1
    DIAMONDS = 2
    HEARTS = 3
    SPADES = 4

    @property
    def letter(self) -> str:
        """`C`, `D`, `H` or `S`."""
        return SUIT_LETTERS[self - 1]

    @property
    def symbol(self) -> str:
        """The suit's sign, such as `♠`."""
        return "♣♦♥♠"[self - 1]

    @property
    def mask(self) -> int:
        """The mask of the suit's seven cards."""
        return 127 << 7 * (self - 1)

    def __str__(self) -> str:
        return self.letter


class Rank(IntEnum):
    """One of the seven ranks, low to high in trumps as in plain suits."""

    SEVEN = 1
    NINE = 2
    TEN = 3
    JACK = 4
    QUEEN = 5
    KING = 6
    ACE = 7

    @property
    def letter(self) -> str:
        """`7`, `9`, `T`, `J`, `Q`, `K` or `A`."""
        return RANK_LETTERS[self - 1]

    def __str__(self) -> str:
        return self.letter


class Card(IntEnum):
    """One of the 28 cards, numbered C7 … CA D7 … DA H7 … HA S7 … SA from 1.

    >>> str(Card.SA), Card.SA.symbol, Card.SA.suit.name, Card.SA.rank.name
    ('SA', '♠A', 'SPADES', 'ACE')
    """

    C7, C9, CT, CJ, CQ, CK, CA = range(1, 8)
    D7, D9, DT, DJ, DQ, DK, DA = range(8, 15)
    H7, H9, HT, HJ, HQ, HK, HA = range(15, 22)
    S7, S9, ST, SJ, SQ, SK, SA = range(22, 29)

    @cached_property
    def suit(self) -> Suit:
        """The card's suit."""
        return Suit((self - 1) // 7 + 1)

    @cached_property
    def rank(self) -> Rank:
        """The card's rank."""
        return Rank((self - 1) % 7 + 1)

    @property
    def symbol(self) -> str:
        """The card with its suit's sign, such as `♠A`."""
        return self.suit.symbol + self.rank.letter

    @property
    def mask(self) -> int:
        """The mask of this card alone."""
        return 1 << (self - 1)

    def __str__(self) -> str:
        return self.name


CARDS: Final[tuple[Card, ...]] = tuple(Card)
"""The 28 cards; `CARDS[n - 1]` is the card numbered n."""
CARD_BY_TEXT: Final[dict[str, Card]] = {card.name: card for card in Card}


def card_from_text(text: str) -> Card:
    """Return the card written as suit letter and rank letter.

    Raises `ValueError` when the text is no card.

    >>> card_from_text("HT")
    <Card.HT: 17>
    """
    card = CARD_BY_TEXT.get(text)
    if card is None:
        msg = f"expected a card such as SA or HT (suit C D H S, rank 7 9 T J Q K A), got {text!r}"
        raise ValueError(msg)
    return card


def mask_of(cards: Iterable[int]) -> int:
    """Return the mask of some card numbers.

    >>> mask_of([Card.C7, Card.C9])
    3
    """
    mask = 0
    for card in cards:
        mask |= 1 << (card - 1)
    return mask


def cards_of(mask: int) -> tuple[Card, ...]:
    """Return the cards of a mask, by number ascending.

    >>> [str(card) for card in cards_of(3)]
    ['C7', 'C9']
    """
    found = []
    while mask:
        low = mask & -mask
        found.append(CARDS[low.bit_length() - 1])
        mask ^= low
    return tuple(found)


_HOLDINGS: Final[tuple[str, ...]] = tuple(
    "".join(RANK_LETTERS[rank] for rank in range(6, -1, -1) if bits >> rank & 1)
    for bits in range(128)
)
"""The text of one suit's seven bits, ranks high to low."""
_HOLDING_BITS: Final[dict[str, int]] = {text: bits for bits, text in enumerate(_HOLDINGS)}


def hand_to_pbn(mask: int) -> str:
    """Return a hand as spades.hearts.diamonds.clubs, ranks high to low.

    Source: RECORD, hands (the form of Portable Bridge Notation).

    >>> hand_to_pbn(mask_of([Card.SA, Card.SK, Card.H9, Card.C7]))
    'AK.9..7'
    """
    texts = _HOLDINGS
    return (
        f"{texts[mask >> 21 & 127]}.{texts[mask >> 14 & 127]}"
        f".{texts[mask >> 7 & 127]}.{texts[mask & 127]}"
    )


def hand_from_pbn(text: str) -> int:
    """Return the mask of a hand written as `hand_to_pbn` writes it.

    Raises `ValueError` when the text is no hand in that form.

    >>> hand_from_pbn("AK.9..7") == mask_of([Card.SA, Card.SK, Card.H9, Card.C7])
    True
    """
    parts = text.split(".")
    bits = [_HOLDING_BITS.get(part) for part in parts]
    if len(parts) != 4 or None in bits:
        msg = (
            "expected a hand as spades.hearts.diamonds.clubs with ranks high to low"
            f" (AKJ.9.T7.Q), got {text!r}"
        )
        raise ValueError(msg)
    spades, hearts, diamonds, clubs = (bit or 0 for bit in bits)
    return spades << 21 | hearts << 14 | diamonds << 7 | clubs
