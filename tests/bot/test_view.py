from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bot import Action, Card, Phase, Suit, Table, View
from arena.bot.view import action_number
from arena.rules.cards import ALL_CARDS, mask_of
from arena.rules.deal import Deal
from arena.rules.deck import board_start, deal_hands, league_key, parse_seed
from arena.rules.ruleset import BRANDELN, Ruleset
from arena.rules.view import view_of
from arena.wire.game import decision_to_message

KEY = league_key(parse_seed("view"))
RULESETS = [BRANDELN, Ruleset(trump_order="jack_seven", void="any", opening="any")]


def deal_at(board: int, steps: int, ruleset: Ruleset = BRANDELN) -> Deal:
    """A deal in which somebody has a choice, after so many random actions or a few less."""
    cards, dealer = board_start(KEY, board)
    deal = Deal(ruleset, dealer, deal_hands(cards, dealer))
    chance = random.Random(board)
    for _ in range(steps):
        if sum(hand.bit_count() for hand in deal.holding) <= 4:
            break
        deal.push(chance.choice(deal.legal_actions()))
    return deal


deals = st.builds(deal_at, st.integers(1, 10_000), st.integers(0, 40), st.sampled_from(RULESETS))

POSITION = (
    "ruleset seat dealer phase hand legal_actions calls tricks bid contract trump declarer taken"
    " random_seed number target scores"
)


@given(deals, st.integers(0, 2**32 - 1))
def test_a_view_from_the_wire_shows_what_the_rules_show(deal: Deal, seed: int) -> None:
    position = view_of(deal, deal.turn, random_seed=seed, number=3, target=20, scores=(1, 2, 3, -4))
    question = decision_to_message(position, move_ms=250, bank_ms=90)
    view = View(question, Table(ruleset=deal.ruleset, target=20))
    here = View.of(position)
    for name in POSITION.split():
        assert getattr(view, name) == getattr(position, name), name
        assert getattr(here, name) == getattr(position, name), name
    assert view.action_count == len(view.actions) == len(deal.actions)
    assert bytes(view.actions) == bytes(deal.actions)
    assert bytes(view.actors) == bytes(deal.actors)
    assert (view.move_ms, view.bank_ms) == (250, 90)
    assert (here.move_ms, here.bank_ms) == (0, 0)


@given(deals)
def test_unseen_cards_are_those_the_others_hold(deal: Deal) -> None:
    view = View.of(view_of(deal, deal.turn))
    others = [deal.holding[seat] for seat in range(4) if seat != deal.turn]
    assert mask_of(view.unseen) == sum(others)
    played = ALL_CARDS ^ sum(deal.holding)
    assert mask_of(view.hand) | mask_of(view.unseen) | played == ALL_CARDS


@given(deals)
def test_a_card_beats_the_trick_exactly_if_its_player_would_then_be_winning(deal: Deal) -> None:
    seat = deal.turn
    view = View.of(view_of(deal, seat))
    assert [int(card) for card in view.legal_cards] == [
        action - 30 for action in deal.legal_actions() if action > 30
    ]
    for card in view.legal_cards:
        after = Deal.replay(deal.ruleset, deal.dealer, deal.hands, deal.actions)
        after.push(action_number(card))
        trick = after.turn, sum(hand.bit_count() for hand in after.holding) % 4
        if trick[1] == 0:
            winner: int | None = trick[0]
        else:
            winner = View.of(view_of(after, after.turn)).winning_seat
        assert view.beats(card) == (winner == seat)


def test_who_leads_sees_no_trick_and_no_winner() -> None:
    deal = deal_at(1, 0)
    for action in (Action.BID_BRANDELN, Action.PASS, Action.PASS, Action.PASS):
        deal.push(action)
    deal.push(Action.DECLARE_BRANDELN_SPADES)
    view = View.of(view_of(deal, deal.turn))
    assert view.phase is Phase.PLAY
    assert view.is_declarer
    assert view.trump is Suit.SPADES
    assert view.trick is None
    assert view.winning_seat is None
    assert all(view.beats(card) for card in view.hand)


@given(deals)
def test_a_void_is_known_from_a_card_that_did_not_follow(deal: Deal) -> None:
    voids = View.of(view_of(deal, deal.turn)).voids
    for seat, suit in voids:
        assert not deal.holding[seat] & suit.mask
    shown = {
        ((trick.leader + place) % 4, trick.cards[0].suit)
        for trick in View.of(view_of(deal, deal.turn)).tricks
        for place, card in enumerate(trick.cards)
        if card.suit is not trick.cards[0].suit
    }
    assert voids == shown


def test_views_keep_no_dictionary() -> None:
    assert not hasattr(View.of(view_of(deal_at(1, 0), deal_at(1, 0).turn)), "__dict__")


def test_a_simple_bot_never_unfolds_the_position() -> None:
    deal = deal_at(3, 9)
    view = View(decision_to_message(view_of(deal, deal.turn)), Table())
    assert view.legal_actions[(view.random_seed + view.action_count) % 2] in Action
    assert view.seat == deal.turn
    assert view._position is None


def test_a_view_prints_as_cards_and_actions() -> None:
    deal = deal_at(1, 0)
    assert "legal='PASS BRANDELN'" in repr(View.of(view_of(deal, deal.turn)))
    assert f"{Card.SA} {Card.SA.symbol} {Suit.SPADES} {Suit.SPADES.symbol}" == "SA ♠A S ♠"


@pytest.mark.parametrize("choice", [None, "SA", 1.0, True, [31]])
def test_what_is_no_number_is_no_choice(choice: object) -> None:
    with pytest.raises(TypeError, match="choose must return"):
        action_number(choice)  # type: ignore[arg-type]
