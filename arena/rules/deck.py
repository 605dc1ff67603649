"""From a seed to decks, dealers, bot seeds and playing orders (all of DECK).

Every draw is HMAC-SHA256 of a message under the league's key, so anyone can check a deal
and repeat a league in any language.
"""

from __future__ import annotations

import hashlib
import hmac
import string
from typing import TYPE_CHECKING, Final

from arena.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED_BYTES: Final = 32
CARDS_IN_DECK: Final = 28
_SORTED_DECK: Final = bytes(range(1, CARDS_IN_DECK + 1))
_LIMITS: Final = tuple(256 - 256 % n if n else 0 for n in range(257))
"""By n: the bytes from this value on are thrown away, so that `byte % n` has no bias."""
_DECK_DRAWS: Final = tuple((k, k + 1, _LIMITS[k + 1]) for k in range(CARDS_IN_DECK - 1, 0, -1))


def parse_seed(text: str) -> bytes:
    """Return the 32 bytes of a seed given as 64 hex digits or as a short text.

    A text that is no 64 hex digits stands for its SHA-256. Text of 32 or more hex digits that
    are not 64 is refused, since it is most likely a seed with digits lost. Drawing a random
    seed is the caller's work. Source: DECK 1.

    >>> parse_seed("demo").hex()[:8]
    '2a97516c'
    """
    is_hex = len(text) >= SEED_BYTES and all(digit in string.hexdigits for digit in text)
    if is_hex and len(text) == 2 * SEED_BYTES:
        return bytes.fromhex(text)
    if is_hex:
        msg = f"seed: expected 64 hex digits or a short text, got {len(text)} hex digits"
        raise ConfigError(msg, hint="give all 64 digits, or a text that is not all hex digits")
    if not text or text == "random":
        msg = f"seed: expected 64 hex digits or a text, got {text!r}"
        raise ConfigError(msg)
    try:
        return hashlib.sha256(text.encode()).digest()
    except UnicodeEncodeError as error:
        raise ConfigError(
            "seed: expected 64 hex digits or a text, got bytes that are none"
        ) from error


def commitment(seed: bytes) -> str:
    """Return the commitment to a seed, 64 hex digits. Source: DECK 2.

    >>> commitment(parse_seed("demo"))[:8]
    '41512354'
    """
    return hashlib.sha256(b"brandeln-commit-v1" + seed).hexdigest()


def league_key(seed: bytes, public: str = "") -> bytes:
    """Return the key, 32 bytes, from which everything else is drawn. Source: DECK 4.

    >>> league_key(parse_seed("demo")).hex()[:8]
    'ec2a996e'
    >>> league_key(parse_seed("demo"), "x").hex()[:8]
    '36fc6050'
    """
    return hmac.digest(seed, b"brandeln-league-v1" + public.encode(), "sha256")


class Stream:
    """The endless bytes of one message under a key. Source: DECK 5."""

    __slots__ = ("_at", "_block", "_key", "_message", "_next_block")

    def __init__(self, key: bytes, message: bytes) -> None:
        self._key = key
        self._message = message
        self._block = b""
        self._at = 0
        self._next_block = 0

    def byte(self) -> int:
        """Take the next byte."""
        if self._at == len(self._block):
            number = self._next_block.to_bytes(4, "big")
            self._block = hmac.digest(self._key, self._message + number, "sha256")
            self._next_block += 1
            self._at = 0
        value = self._block[self._at]
        self._at += 1
        return value

    def below(self, n: int) -> int:
        """Draw a number from 0 to n - 1, without bias; n is 1 to 256."""
        limit = _LIMITS[n]
        value = self.byte()
        while value >= limit:
            value = self.byte()
        return value % n

    def shuffled(self, length: int) -> list[int]:
        """Return 0 … length - 1 shuffled; length is at most 256."""
        items = list(range(length))
        for k in range(length - 1, 0, -1):
            j = self.below(k + 1)
            items[k], items[j] = items[j], items[k]
        return items


def _shuffled_deck(key: bytes, board: int, number: int) -> tuple[bytearray, int]:
    """Return a deck and the draw below 4 that follows it, in one loop over one stream."""
    message = b"brandeln-deck-v1" + board.to_bytes(8, "big") + number.to_bytes(8, "big")
    digest = hmac.digest
    stream = digest(key, message + b"\0\0\0\0", "sha256")
    stream += digest(key, message + b"\0\0\0\1", "sha256")
    blocks = 2
    items = bytearray(_SORTED_DECK)
    at = 0
    for k, n, limit in _DECK_DRAWS:
        byte = stream[at]
        at += 1
        while byte >= limit:
            if at >= len(stream):
                stream += digest(key, message + blocks.to_bytes(4, "big"), "sha256")
                blocks += 1
            byte = stream[at]
            at += 1
        j = byte % n
        items[k], items[j] = items[j], items[k]
        if at >= len(stream):
            stream += digest(key, message + blocks.to_bytes(4, "big"), "sha256")
            blocks += 1
    return items, stream[at] % 4


def deck(key: bytes, board: int, number: int = 1) -> bytes:
    """Return the deck of a deal: 28 card numbers, top card first. Source: DECK 6.

    `board` and `number` count from 1; `number` is above 1 only in games to points.

    >>> from arena.rules.cards import CARDS
    >>> key = league_key(parse_seed("demo"))
    >>> [str(CARDS[card - 1]) for card in deck(key, 1)[:4]]
    ['H7', 'SA', 'HJ', 'CJ']
    """
    return bytes(_shuffled_deck(key, board, number)[0])


def board_start(key: bytes, board: int) -> tuple[bytes, int]:
    """Return the first deck of a board (28 cards, top first) and its first dealer's seat.

    Source: DECK 6 and 7.

    >>> key = league_key(parse_seed("demo"))
    >>> cards, dealer = board_start(key, 1)
    >>> cards == deck(key, 1), dealer
    (True, 1)
    """
    cards, dealer = _shuffled_deck(key, board, 1)
    return bytes(cards), dealer


def bot_seed(key: bytes, board: int, number: int, seat: int) -> int:
    """Return the seed that a bot in this seat gets with every decision, 32 bits. Source: DECK 8.

    >>> bot_seed(league_key(parse_seed("demo")), board=1, number=1, seat=0)
    3553253081
    """
    message = (
        b"brandeln-bot-v1" + board.to_bytes(8, "big") + number.to_bytes(8, "big") + bytes((seat,))
    )
    return int.from_bytes(hmac.digest(key, message, "sha256")[:4], "big")


def leg_order(key: bytes, board: int, legs: int) -> list[int]:
    """Return the order in which the legs of a board are played. Source: DECK 9.

    >>> leg_order(league_key(parse_seed("demo")), board=1, legs=4)
    [3, 2, 1, 0]
    """
    return Stream(key, b"brandeln-legs-v1" + board.to_bytes(8, "big")).shuffled(legs)


def entrants_order(key: bytes, entrants: int) -> list[int]:
    """Return the positions of the entrants for the schedule, at most 256. Source: DECK 10.

    >>> entrants_order(league_key(parse_seed("demo")), 5)
    [3, 4, 1, 2, 0]
    """
    return Stream(key, b"brandeln-entrants-v1").shuffled(entrants)


def deal_hands(cards: Sequence[int], dealer: int) -> tuple[int, int, int, int]:
    """Return the four hands by seat, as masks, of a deck dealt in packets of 2, 3 and 2.

    `cards` has 28 card numbers, top first. Source: RULES, Deck and deal.

    >>> from arena.rules.cards import hand_to_pbn
    >>> [hand_to_pbn(hand) for hand in deal_hands(range(1, 29), dealer=3)]
    ['7.A.JT9.97', 'T9..AKQ.JT', 'QJ.T97..KQ', 'AK.KQJ.7.A']
    """
    hands = [0, 0, 0, 0]
    for place in range(4):
        mask = 0
        two, three, last = 2 * place, 8 + 3 * place, 20 + 2 * place
        for card in (*cards[two : two + 2], *cards[three : three + 3], *cards[last : last + 2]):
            mask |= 1 << (card - 1)
        hands[(dealer + 1 + place) % 4] = mask
    return hands[0], hands[1], hands[2], hands[3]
