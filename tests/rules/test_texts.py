"""Cards, hands and actions as text: what is printed is read back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ArenaError, ConfigError, RecordError
from arena.rules.actions import (
    ACTION_TEXTS,
    ACTIONS,
    DECLARATIONS,
    DECLARED,
    Action,
    Contract,
    Phase,
    action_from_text,
    play_of,
)
from arena.rules.cards import (
    ALL_CARDS,
    CARDS,
    Card,
    Rank,
    Suit,
    card_from_text,
    cards_of,
    hand_from_pbn,
    hand_to_pbn,
    mask_of,
)
from tests.rules import slow

MASKS = st.integers(0, ALL_CARDS)

# ---------------------------------------------------------------------- cards and hands


def test_cards_are_numbered_by_suit_and_rank() -> None:
    assert [card.name for card in CARDS] == slow.DECK
    assert [int(card) for card in CARDS] == list(range(1, 29))
    for card in Card:
        assert str(card) == card.suit.letter + card.rank.letter
        assert (str(card.suit), str(card.rank)) == (card.name[0], card.name[1])
        assert card.symbol == card.suit.symbol + card.rank.letter
        assert mask_of([card]) == card.mask
        assert card.mask & card.suit.mask == card.mask
        assert card_from_text(card.name) is card


def test_suits_have_seven_cards_each_and_together_the_deck() -> None:
    assert [len(cards_of(suit.mask)) for suit in Suit] == [7, 7, 7, 7]
    assert sum(suit.mask for suit in Suit) == ALL_CARDS
    assert [rank.letter for rank in Rank] == slow.RANKS
    assert "".join(suit.symbol for suit in Suit) == "♣♦♥♠"


@given(MASKS)
def test_a_mask_comes_back_from_its_cards(mask: int) -> None:
    cards = cards_of(mask)
    assert mask_of(cards) == mask
    assert list(cards) == sorted(set(cards))


@given(MASKS)
def test_a_hand_comes_back_from_its_text(mask: int) -> None:
    text = hand_to_pbn(mask)
    assert hand_from_pbn(text) == mask
    assert hand_to_pbn(hand_from_pbn(text)) == text


@given(MASKS)
def test_a_hand_is_written_spades_first_and_high_cards_first(mask: int) -> None:
    names = {card.name for card in cards_of(mask)}
    suits = [
        "".join(rank for rank in reversed(slow.RANKS) if suit + rank in names)
        for suit in reversed(slow.SUITS)
    ]
    assert hand_to_pbn(mask) == ".".join(suits)


@given(st.text(alphabet="AKQJT97.", max_size=20) | st.text(max_size=12))
def test_a_text_is_a_hand_only_in_the_form_in_which_hands_are_written(text: str) -> None:
    form = re.compile(r"(A?K?Q?J?T?9?7?\.){3}A?K?Q?J?T?9?7?")
    if form.fullmatch(text):
        assert hand_to_pbn(hand_from_pbn(text)) == text
    else:
        with pytest.raises(ValueError, match=r"expected a hand as spades\.hearts"):
            hand_from_pbn(text)


@pytest.mark.parametrize("text", ["", "S", "sa", "SA ", "10", "S8", "XA", "AS", "SAA"])
def test_a_text_that_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a card such as SA"):
        card_from_text(text)


# ---------------------------------------------------------------------- actions


def phase_of(action: int) -> Phase:
    return Phase.AUCTION if action <= 8 else Phase.DECLARATION if action <= 30 else Phase.PLAY


@pytest.mark.parametrize("action", list(Action))
def test_an_action_comes_back_from_its_text_in_its_phase_only(action: Action) -> None:
    text = str(action)
    assert text == ACTION_TEXTS[action] == slow.ALL_ACTIONS[action - 1]
    assert ACTIONS[action] is action
    for phase in (Phase.AUCTION, Phase.DECLARATION, Phase.PLAY):
        if phase is phase_of(action):
            assert action_from_text(text, phase) is action
        elif text not in slow.WITHOUT_TRUMP or phase is Phase.PLAY:
            with pytest.raises(ValueError, match=r"expected .*, got "):
                action_from_text(text, phase)


@given(st.sampled_from([Phase.AUCTION, Phase.DECLARATION, Phase.PLAY]), st.text(max_size=12))
def test_a_text_that_is_no_action_is_refused(phase: Phase, text: str) -> None:
    if text not in slow.ALL_ACTIONS:
        with pytest.raises(ValueError, match="got "):
            action_from_text(text, phase)


def test_an_action_says_what_it_bids_declares_or_plays() -> None:
    for action in Action:
        is_bid = action.bid is not None
        is_declaration = action.contract is not None
        is_card = action.card is not None
        assert is_bid + is_declaration + is_card == (action is not Action.PASS)
        if action.bid:
            assert action.name == f"BID_{action.bid.name}"
        if action.contract:
            assert action.contract.has_trump == (action.trump is not None)
            suit = f"_{action.trump.name}" if action.trump else ""
            assert action.name == f"DECLARE_{action.contract.name}{suit}"
            assert DECLARATIONS[DECLARED[action]] == action
        else:
            assert action.trump is None
        if action.card:
            assert action.name == f"PLAY_{action.card.suit.name}_{action.card.rank.name}"
            assert play_of(action.card) is action


def test_contracts_have_the_tricks_and_values_of_the_rules() -> None:
    assert [contract.name for contract in Contract] == slow.CONTRACTS
    for contract in Contract:
        assert str(contract) == contract.name
        assert contract.tricks == slow.NEEDS.get(contract.name, 0)
        assert contract.points == slow.VALUE[contract.name]
        assert contract.has_trump == (contract.name not in slow.WITHOUT_TRUMP)


# ---------------------------------------------------------------------- errors


def test_an_error_has_up_to_three_lines() -> None:
    assert str(ArenaError("what")) == "what"
    assert str(ConfigError("what", why="why", hint="this")) == "what\nwhy\ntry: this"
    assert str(ConfigError("what", hint="this")) == "what\ntry: this"
    error = RecordError("what", path="deals.jsonl", line=3)
    assert (str(error), error.path, error.line) == ("what", "deals.jsonl", 3)
