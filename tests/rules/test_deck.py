"""Every draw of a league can be checked by anyone who has its seed."""

from __future__ import annotations

import hashlib
import hmac
import json
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ConfigError
from arena.rules import deck as deck_module
from arena.rules.cards import CARDS, cards_of
from arena.rules.deck import (
    Stream,
    board_start,
    bot_seed,
    commitment,
    deal_hands,
    deck,
    entrants_order,
    league_key,
    leg_order,
    parse_seed,
)
from tests.rules.slow import DECK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CONTRACTS = json.loads(
    (Path(__file__).parent.parent / "vectors" / "contracts.json").read_text(encoding="utf-8")
)
KEYS = st.binary(min_size=32, max_size=32)
BOARDS = st.integers(1, 1 << 40)

# ---------------------------------------------------------------------- the recorded draws


@pytest.fixture(params=CONTRACTS["decks"], ids=lambda draws: draws["seed_text"] or "hex")
def draws(request: pytest.FixtureRequest) -> dict[str, Any]:
    recorded: dict[str, Any] = request.param
    return recorded


@pytest.fixture
def key(draws: dict[str, Any]) -> bytes:
    return bytes.fromhex(draws["key"])


def test_a_seed_has_its_recorded_bytes(draws: dict[str, Any]) -> None:
    assert parse_seed(draws["seed"]).hex() == draws["seed"]
    if draws["seed_text"]:
        assert parse_seed(draws["seed_text"]).hex() == draws["seed"]


def test_a_seed_has_its_recorded_commitment_and_key(draws: dict[str, Any], key: bytes) -> None:
    seed = bytes.fromhex(draws["seed"])
    assert commitment(seed) == draws["commitment"]
    assert league_key(seed, draws["public"]) == key


def test_boards_have_their_recorded_decks_dealers_seeds_and_leg_orders(
    draws: dict[str, Any], key: bytes
) -> None:
    assert draws["boards"]
    for recorded in draws["boards"]:
        board, number = recorded["board"], recorded["number"]
        cards = [CARDS[card - 1].name for card in deck(key, board, number)]
        assert cards == recorded["deck"].split()
        if recorded["first_dealer"] is not None:
            assert board_start(key, board) == (deck(key, board), recorded["first_dealer"])
        seeds = [bot_seed(key, board, number, seat) for seat in range(4)]
        assert seeds == recorded["bot_seeds"]
        for legs, name in ((4, "legs"), (2, "legs_of_2"), (8, "legs_of_8")):
            if name in recorded:
                assert leg_order(key, board, legs) == recorded[name]


def test_entrants_have_their_recorded_order(draws: dict[str, Any], key: bytes) -> None:
    assert {int(n) for n in draws["entrant_order"]} >= {4, 5, 12, 200}
    for entrants, order in draws["entrant_order"].items():
        assert entrants_order(key, int(entrants)) == order


# ---------------------------------------------------------------------- the same, written plainly


def plain_stream(key: bytes, message: bytes) -> Iterator[int]:
    for block in count():
        yield from hmac.new(key, message + block.to_bytes(4, "big"), hashlib.sha256).digest()


def plain_below(stream: Iterator[int], n: int) -> int:
    limit = 256 - 256 % n
    return next(byte for byte in stream if byte < limit) % n


def plain_shuffle(stream: Iterator[int], length: int) -> list[int]:
    items = list(range(length))
    for k in reversed(range(1, length)):
        j = plain_below(stream, k + 1)
        items[k], items[j] = items[j], items[k]
    return items


@given(KEYS, BOARDS, st.integers(1, 300))
def test_a_deck_and_its_dealer_are_drawn_as_written(key: bytes, board: int, number: int) -> None:
    where = board.to_bytes(8, "big") + number.to_bytes(8, "big")
    stream = plain_stream(key, b"brandeln-deck-v1" + where)
    cards = bytes(card + 1 for card in plain_shuffle(stream, 28))
    assert deck(key, board, number) == cards
    if number == 1:
        assert board_start(key, board) == (cards, plain_below(stream, 4))


@given(KEYS, BOARDS, st.integers(1, 16), st.integers(0, 256))
def test_orders_are_drawn_as_written(key: bytes, board: int, legs: int, entrants: int) -> None:
    legs_stream = plain_stream(key, b"brandeln-legs-v1" + board.to_bytes(8, "big"))
    assert leg_order(key, board, legs) == plain_shuffle(legs_stream, legs)
    entrants_stream = plain_stream(key, b"brandeln-entrants-v1")
    assert entrants_order(key, entrants) == plain_shuffle(entrants_stream, entrants)


@given(KEYS, BOARDS, st.integers(1, 300), st.integers(0, 3))
def test_a_bot_seed_is_drawn_as_written(key: bytes, board: int, number: int, seat: int) -> None:
    message = b"brandeln-bot-v1" + board.to_bytes(8, "big") + number.to_bytes(8, "big")
    digest = hmac.new(key, message + bytes([seat]), hashlib.sha256).digest()
    assert bot_seed(key, board, number, seat) == int.from_bytes(digest[:4], "big")


@given(KEYS, st.binary(max_size=40), st.lists(st.integers(1, 256), max_size=100))
def test_a_stream_draws_without_bias_as_written(key: bytes, message: bytes, ns: list[int]) -> None:
    stream, plain = Stream(key, message), plain_stream(key, message)
    assert [stream.below(n) for n in ns] == [plain_below(plain, n) for n in ns]


def test_a_deck_goes_on_drawing_however_many_bytes_are_thrown_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    zero = bytes(32)

    def wasteful(key: bytes, message: bytes, _name: str) -> bytes:
        # Most bytes become 255, which nearly every draw throws away, so that decks need two,
        # three or more blocks and end at every place of a block.
        block = hmac.new(key, message, hashlib.sha256).digest()
        return bytes(255 if byte % 8 > 2 else byte for byte in block)

    def wasteful_stream(message: bytes) -> Iterator[int]:
        for block in count():
            yield from wasteful(zero, message + block.to_bytes(4, "big"), "sha256")

    monkeypatch.setattr(deck_module, "hmac", SimpleNamespace(digest=wasteful))
    for board in range(1, 1001):
        where = board.to_bytes(8, "big") + (1).to_bytes(8, "big")
        stream = wasteful_stream(b"brandeln-deck-v1" + where)
        cards = bytes(card + 1 for card in plain_shuffle(stream, 28))
        assert board_start(zero, board) == (cards, plain_below(stream, 4))


def test_a_draw_below_one_takes_a_byte_too() -> None:
    stream, plain = Stream(b"k" * 32, b"m"), plain_stream(b"k" * 32, b"m")
    assert stream.below(1) == 0
    next(plain)
    assert stream.byte() == next(plain)


# ---------------------------------------------------------------------- seeds as people write them


@pytest.mark.parametrize("digits", [32, 33, 63, 65, 128])
@pytest.mark.parametrize("change", [str.lower, str.upper])
def test_hex_digits_that_are_not_64_are_refused(digits: int, change: Callable[[str], str]) -> None:
    text = change(("0123456789abcdef" * 8)[:digits])
    with pytest.raises(ConfigError, match=f"expected 64 hex digits .* got {digits} hex digits"):
        parse_seed(text)


@pytest.mark.parametrize("text", ["", "random"])
def test_no_seed_and_a_seed_still_to_be_drawn_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="seed: expected 64 hex digits or a text"):
        parse_seed(text)


@pytest.mark.parametrize(
    "text",
    ["demo", "0", "f" * 31, "g" * 32, "g" * 64, "0x" + "f" * 32, "f" * 63 + " ", "осень", "Random"],
)
def test_any_other_text_stands_for_its_sha_256(text: str) -> None:
    assert parse_seed(text) == hashlib.sha256(text.encode("utf-8")).digest()


@given(KEYS)
def test_64_hex_digits_are_the_seed_itself_in_either_case(seed: bytes) -> None:
    assert parse_seed(seed.hex()) == parse_seed(seed.hex().upper()) == seed


@given(KEYS)
def test_the_commitment_and_key_are_drawn_as_written(seed: bytes) -> None:
    assert commitment(seed) == hashlib.sha256(b"brandeln-commit-v1" + seed).hexdigest()
    public = "Ziehung 4 8 15, Grüße"
    message = b"brandeln-league-v1" + public.encode("utf-8")
    assert league_key(seed, public) == hmac.new(seed, message, hashlib.sha256).digest()
    assert league_key(seed) != league_key(seed, public)


# ---------------------------------------------------------------------- packets


@given(st.permutations(range(1, 29)), st.integers(0, 3))
def test_hands_are_dealt_in_packets_of_two_three_and_two(cards: list[int], dealer: int) -> None:
    left = list(cards)
    hands: dict[int, set[int]] = {seat: set() for seat in range(4)}
    for packet in (2, 3, 2):
        for place in range(4):
            hands[(dealer + 1 + place) % 4].update(left[:packet])
            del left[:packet]
    dealt = deal_hands(cards, dealer)
    assert not left
    assert {seat: set(map(int, cards_of(dealt[seat]))) for seat in range(4)} == hands


@given(KEYS, BOARDS, st.integers(1, 300))
def test_a_deck_has_28_different_cards(key: bytes, board: int, number: int) -> None:
    cards = deck(key, board, number)
    assert sorted(CARDS[card - 1].name for card in cards) == sorted(DECK)
