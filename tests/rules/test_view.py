"""What a seat may know, and no more."""

from __future__ import annotations

from dataclasses import fields, replace

from hypothesis import given
from hypothesis import strategies as st

from arena.rules.actions import ACTIONS, FIRST_CARD, Contract, Phase
from arena.rules.cards import Suit, cards_of
from arena.rules.deal import Deal
from arena.rules.view import View, view_of
from tests.rules import slow
from tests.rules.positions import copy_of, finished_deals, fresh_deals, positions, twins


@given(twins())
def test_two_worlds_that_a_seat_cannot_tell_apart_have_equal_views(
    worlds: tuple[Deal, Deal],
) -> None:
    deal, twin = worlds
    assert deal.hands != twin.hands
    assert view_of(deal, deal.turn) == view_of(twin, deal.turn)
    assert hash(view_of(deal, deal.turn)) == hash(view_of(twin, deal.turn))


@given(positions(), st.integers(1, 3))
def test_a_view_has_no_card_that_another_seat_holds(deal: Deal, step: int) -> None:
    seat, other = deal.turn, (deal.turn + step) % 4
    view = view_of(deal, seat)
    seen = set(view.hand) | {card for trick in view.tricks for card in trick.cards}
    assert set(view.hand) == set(cards_of(deal.holding[seat]))
    assert not seen & set(cards_of(deal.holding[other]))


@given(positions())
def test_a_view_does_not_change_when_the_deal_goes_on(deal: Deal) -> None:
    goes_on = copy_of(deal)
    before, seat = view_of(goes_on, goes_on.turn), goes_on.turn
    goes_on.apply_action(goes_on.legal_actions()[0])
    assert before == view_of(deal, seat)


@given(positions())
def test_a_view_says_what_the_table_has_seen(deal: Deal) -> None:
    view = view_of(deal, deal.turn, random_seed=7, number=3, target=20, scores=(1, -2, 0, 4))
    assert (view.phase, view.seat, view.dealer) == (Phase(deal.phase), deal.turn, deal.dealer)
    assert view.legal_actions == tuple(ACTIONS[action] for action in deal.legal_actions())
    assert [(call.seat, call.action) for call in view.calls] == [
        (seat, ACTIONS[action])
        for action, seat in zip(deal.actions, deal.actors, strict=True)
        if action <= 8
    ]
    assert view.bid == (Contract(deal.bid) if deal.bid else None)
    assert view.contract == (Contract(deal.contract) if deal.contract else None)
    assert view.trump == (Suit(deal.trump) if deal.trump else None)
    assert view.declarer == (deal.declarer if deal.declarer >= 0 else None)
    assert list(view.taken) == deal.taken
    assert (view.random_seed, view.number, view.target) == (7, 3, 20)
    assert view.scores == (1, -2, 0, 4)


@given(positions(), st.integers(1, 3))
def test_who_is_not_asked_sees_no_legal_actions(deal: Deal, step: int) -> None:
    view = view_of(deal, (deal.turn + step) % 4)
    assert view.legal == b""
    assert view.legal_actions == ()


@given(finished_deals())
def test_the_view_of_a_finished_deal_has_no_hand_and_asks_nothing(deal: Deal) -> None:
    for seat in range(4):
        view = view_of(deal, seat)
        assert (view.phase, view.hand, view.legal_actions) == (Phase.OVER, (), ())


@given(positions())
def test_tricks_are_told_as_they_were_played(deal: Deal) -> None:
    tricks = view_of(deal, deal.turn).tricks
    plays = [
        (seat, action)
        for action, seat in zip(deal.actions, deal.actors, strict=True)
        if action >= FIRST_CARD
    ]
    told = [
        ((trick.leader + place) % 4, card + 30)
        for trick in tricks
        for place, card in enumerate(trick.cards)
    ]
    assert told == plays
    for trick in tricks:
        for place, card in enumerate(trick.cards):
            assert trick.card_of((trick.leader + place) % 4) is card
        for place in range(len(trick.cards), 4):
            assert trick.card_of((trick.leader + place) % 4) is None
        if len(trick.cards) < 4:
            assert trick.winner is None
            continue
        names = [card.name for card in trick.cards]
        plain = slow.SlowTrick(trick.leader, names)
        trump = slow.SUITS[deal.trump - 1] if deal.trump else None
        assert trick.winner == slow.winner_of(deal.ruleset.to_dict(), plain, trump)


@given(fresh_deals())
def test_a_view_has_a_field_for_nothing_that_is_hidden(deal: Deal) -> None:
    names = {field.name for field in fields(View)}
    assert not names & {"hands", "holding", "deck"}
    view = view_of(deal, deal.turn)
    assert replace(view) == view
