"""The safe action: legal, and a function of what the seat itself sees."""

from __future__ import annotations

import pytest
from hypothesis import given

from arena.rules.actions import ACTION_TEXTS, Action, Contract, Phase, action_from_text
from arena.rules.cards import cards_of, hand_from_pbn
from arena.rules.deal import Deal
from arena.rules.ruleset import BRANDELN, Ruleset
from arena.rules.safe import longest_suit, safe_action
from arena.rules.view import View, view_of
from tests.rules import slow
from tests.rules.positions import finished_deals, positions, state_of, twins


def plainly_safe(view: View) -> str:
    """Return the safe action of a view, as FAULTS words it, with texts."""
    if view.phase is Phase.AUCTION:
        return "PASS"
    if view.phase is Phase.DECLARATION:
        assert view.bid is not None
        if view.bid.name in slow.WITHOUT_TRUMP:
            return view.bid.name
        suits = [card.name[0] for card in view.hand]
        longest = max(slow.SUITS, key=lambda suit: (suits.count(suit), -slow.SUITS.index(suit)))
        return f"{view.bid.name}:{longest}"
    legal = [ACTION_TEXTS[action] for action in view.legal]
    return min(legal, key=lambda card: (slow.RANKS.index(card[1]), slow.SUITS.index(card[0])))


@given(positions())
def test_the_safe_action_is_legal_and_what_the_seat_sees_decides_it(deal: Deal) -> None:
    before = state_of(deal)
    action = safe_action(deal)
    assert deal.legal >> action & 1
    assert ACTION_TEXTS[action] == plainly_safe(view_of(deal, deal.turn))
    assert state_of(deal) == before


@given(twins())
def test_hidden_cards_do_not_change_the_safe_action(worlds: tuple[Deal, Deal]) -> None:
    deal, twin = worlds
    assert safe_action(deal) == safe_action(twin)


@given(finished_deals())
def test_a_deal_that_is_over_has_no_safe_action(deal: Deal) -> None:
    with pytest.raises(ValueError, match="over"):
        safe_action(deal)


def deal_to(texts: list[str], hand: str, ruleset: Ruleset = BRANDELN) -> Deal:
    """Return a deal in which forehand, seat 1, holds a hand and the others the rest."""
    mine = hand_from_pbn(hand)
    rest = [card for card in cards_of((1 << 28) - 1) if not card.mask & mine]
    hands = [sum(card.mask for card in rest[at : at + 7]) for at in (0, 7, 14)]
    deal = Deal(ruleset, 0, [hands[0], mine, hands[1], hands[2]])
    for text in texts:
        deal.apply_action(action_from_text(text, deal.phase))
    return deal


@pytest.mark.parametrize(
    "bid,hand,declared",
    [
        ("BRANDELN", "AK.QJ.T.97", "BRANDELN:C"),  # three suits of two: the first
        ("FOUR", "AK7.QJ.T.9", "FOUR:S"),
        ("SIX", "AK.QJ7.T97.", "SIX:D"),
        ("NULL", "AK7.QJ.T.9", "NULL"),
        ("ALL_TRUMP", "AKQJT97...", "ALL_TRUMP:S"),
        ("ALL_NO_TRUMP", "AK7.QJ.T.9", "ALL_NO_TRUMP"),
    ],
)
def test_the_bid_is_declared_with_the_longest_suit(bid: str, hand: str, declared: str) -> None:
    deal = deal_to([bid, "PASS", "PASS", "PASS"], hand, Ruleset(opening="any"))
    assert ACTION_TEXTS[safe_action(deal)] == declared


@pytest.mark.parametrize("order", ["plain", "jack_seven"])
def test_the_lowest_rank_is_played_whatever_the_trump_order(order: str) -> None:
    ruleset = Ruleset(trump_order=order)
    deal = deal_to(["BRANDELN", "PASS", "PASS", "PASS", "BRANDELN:S"], "AJ7.9.K.AK", ruleset)
    assert ACTION_TEXTS[safe_action(deal)] == "S7"


def test_of_equal_ranks_the_first_suit_is_played() -> None:
    deal = deal_to(["PASS"] * 4, "97.97.97.9")
    assert ACTION_TEXTS[safe_action(deal)] == "D7"
    assert safe_action(deal_to([], "97.97.97.9")) == Action.PASS


def test_the_longest_suit_is_the_first_of_the_longest() -> None:
    assert longest_suit(hand_from_pbn("AK.QJ.T.97")) == 1
    assert longest_suit(hand_from_pbn("AK.QJ.T9.7")) == 2
    assert longest_suit(hand_from_pbn("AK.QJ7.T.9")) == 3
    assert longest_suit(hand_from_pbn("AKQ.J.T.97")) == 4
    assert Contract.NULL.has_trump is False
