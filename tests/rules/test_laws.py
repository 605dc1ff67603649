"""Laws that hold in every deal, under every ruleset."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import IllegalAction
from arena.rules.actions import FIRST_CARD, Action, Phase
from arena.rules.cards import ALL_CARDS, cards_of
from arena.rules.deal import Deal, is_whole_deck
from arena.rules.deck import deal_hands
from arena.rules.ruleset import BRANDELN, Ruleset
from arena.rules.score import declared_points, is_made, passed_out_points
from arena.rules.view import view_of
from tests.rules.positions import (
    choices,
    copy_of,
    decks,
    finished_deals,
    fresh_deals,
    picked,
    positions,
    rulesets,
    state_of,
)

BEYOND = (-1, 0, 59, 60, 127, 128, 255, 1 << 31, 1 << 40)


def played_mask(deal: Deal) -> int:
    return sum(1 << (action - FIRST_CARD) for action in deal.actions if action >= FIRST_CARD)


@given(st.integers(0, 3), decks)
def test_a_deal_gives_seven_cards_to_each_and_the_deck_to_all(dealer: int, deck: list[int]) -> None:
    assert is_whole_deck(deal_hands(deck, dealer))


@given(fresh_deals(), choices)
def test_28_cards_are_conserved(deal: Deal, picks: bytes) -> None:
    for pick in picks:
        held = played_mask(deal)
        for hand in deal.holding:
            assert not held & hand
            held |= hand
        assert held == ALL_CARDS
        if deal.is_over:
            break
        deal.push(picked(deal, pick))
    assert deal.is_over


@given(fresh_deals(), choices)
def test_legal_is_empty_only_when_the_deal_is_over(deal: Deal, picks: bytes) -> None:
    for pick in picks:
        assert bool(deal.legal) != deal.is_over
        assert (deal.turn == -1) == deal.is_over
        assert (deal.points is not None) == deal.is_over
        assert bool(deal.legal_actions()) != deal.is_over
        if deal.is_over:
            break
        deal.push(picked(deal, pick))


@given(positions())
def test_apply_action_takes_exactly_the_legal_actions(deal: Deal) -> None:
    legal = set(deal.legal_actions())
    for action in (*Action, *BEYOND):
        copy = copy_of(deal)
        before = state_of(copy)
        if action in legal:
            copy.apply_action(action, deal.turn)
            assert list(copy.actions) == [*deal.actions, action]
        else:
            with pytest.raises(IllegalAction):
                copy.apply_action(action)
            assert state_of(copy) == before


@given(positions(), st.integers(0, 3))
def test_only_the_seat_in_turn_may_act(deal: Deal, seat: int) -> None:
    before = state_of(deal)
    for action in deal.legal_actions():
        if seat == deal.turn:
            deal.check(action, seat)
        else:
            with pytest.raises(IllegalAction):
                deal.apply_action(action, seat)
    assert state_of(deal) == before


@given(finished_deals())
def test_nothing_is_legal_after_the_end(deal: Deal) -> None:
    before = state_of(deal)
    for action in (*Action, *BEYOND):
        with pytest.raises(IllegalAction):
            deal.apply_action(action)
    assert state_of(deal) == before


@given(positions() | finished_deals())
def test_replaying_the_actions_gives_the_same_deal(deal: Deal) -> None:
    assert state_of(copy_of(deal)) == state_of(deal)


@given(finished_deals())
def test_a_deal_has_seven_tricks_and_28_cards(deal: Deal) -> None:
    assert sum(deal.taken) == 7
    assert played_mask(deal) == ALL_CARDS
    assert len(deal.actions) - deal.play_start == 28
    tricks = view_of(deal, 0).tricks
    assert [sum(trick.winner == seat for trick in tricks) for seat in range(4)] == deal.taken


@given(finished_deals())
def test_only_a_declarer_scores_and_by_the_value_of_his_contract(deal: Deal) -> None:
    assert deal.points is not None
    values = {1: 1, 2: 2, 3: 3, 4: 5, 5: 5, 6: 6, 7: 7}
    for seat, points in enumerate(deal.points):
        if seat == deal.declarer:
            assert abs(points) == values[deal.contract]
        elif deal.contract:
            assert points == 0


@given(finished_deals())
def test_a_declarer_bid_no_more_than_he_declared(deal: Deal) -> None:
    if not deal.contract:
        assert deal.bid == 0
        assert deal.declarer == deal.bidder == -1
        assert list(deal.actions[:4]) == [Action.PASS] * 4
    else:
        assert deal.contract >= deal.bid
        assert deal.ruleset.declare_above_bid or deal.contract == deal.bid
        assert deal.declarer == deal.bidder


@given(positions())
def test_a_phase_has_only_its_own_actions(deal: Deal) -> None:
    first, last = {Phase.AUCTION: (1, 8), Phase.DECLARATION: (9, 30), Phase.PLAY: (31, 58)}[
        Phase(deal.phase)
    ]
    legal = deal.legal_actions()
    assert legal == sorted(set(legal))
    assert all(first <= action <= last for action in legal)


@given(positions())
def test_a_legal_card_is_in_the_hand(deal: Deal) -> None:
    if deal.phase == Phase.PLAY:
        assert not deal.legal >> FIRST_CARD & ~deal.holding[deal.turn]


# ---------------------------------------------------------------------- points

TAKEN = [[a, b, c, 7 - a - b - c] for a in range(8) for b in range(8 - a) for c in range(8 - a - b)]


@pytest.mark.parametrize(
    "contract,made",
    [
        (1, {3, 4, 5, 6, 7}),
        (2, {4, 5, 6, 7}),
        (3, {5, 6, 7}),
        (4, {6, 7}),
        (5, {0}),
        (6, {7}),
        (7, {7}),
    ],
)
def test_a_contract_is_made_with_its_tricks(contract: int, made: set[int]) -> None:
    value = (0, 1, 2, 3, 5, 5, 6, 7)[contract]
    assert {taken for taken in range(8) if is_made(contract, taken)} == made
    for taken in TAKEN:
        for declarer in range(4):
            expected = [0, 0, 0, 0]
            expected[declarer] = value if taken[declarer] in made else -value
            assert list(declared_points(contract, declarer, taken)) == expected


@given(rulesets)
def test_a_passed_out_deal_scores_as_the_knobs_say(ruleset: Ruleset) -> None:
    for taken in TAKEN:
        points = passed_out_points(ruleset, taken)
        most = ruleset.passed_out_winner == "most"
        if 7 in taken:
            winners, won = [taken.index(7)], ruleset.passed_out_all_tricks
        else:
            ordered = sorted(taken, reverse=most)
            winners = [seat for seat in range(4) if taken[seat] == ordered[0]]
            won = ruleset.passed_out_points
            if len(winners) > 1 and ruleset.passed_out_tie == "none":
                winners = []
        assert points == tuple(won if seat in winners else 0 for seat in range(4))


def test_forehand_leads_without_trump_when_all_pass() -> None:
    deal = Deal(BRANDELN, 2, deal_hands(range(1, 29), 2))
    for _ in range(4):
        deal.apply_action(Action.PASS)
    assert (deal.phase, deal.turn, deal.trump, deal.declarer) == (Phase.PLAY, 3, 0, -1)
    assert deal.is_passed_out
    assert len(cards_of(deal.legal >> FIRST_CARD)) == 7


@pytest.mark.parametrize(
    "hands",
    [
        [127, 127 << 7, 127 << 14],
        [127, 127 << 7, 127 << 14, 63 << 21],
        [127, 127, 127 << 14, 127 << 21],
        [255, 126 << 7, 127 << 14, 127 << 21],
        [127, 127 << 7, 127 << 14, 127 << 22],
    ],
)
def test_hands_that_are_not_the_deck_are_told(hands: list[int]) -> None:
    assert not is_whole_deck(hands)
