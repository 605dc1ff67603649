"""Strategies that build whole rulesets, deals and positions."""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st

from arena.errors import IllegalAction
from arena.rules.cards import cards_of
from arena.rules.deal import Deal
from arena.rules.deck import deal_hands
from arena.rules.ruleset import CHOICES, POINTS_LIMIT, Ruleset

LONGEST = 64
"""More choices than any deal has actions."""

rulesets = st.builds(
    Ruleset,
    passed_out_points=st.integers(-POINTS_LIMIT, POINTS_LIMIT),
    passed_out_all_tricks=st.integers(-POINTS_LIMIT, POINTS_LIMIT),
    **{knob: st.sampled_from(choices) for knob, choices in CHOICES.items()},
)
decks = st.permutations(range(1, 29))
choices = st.binary(min_size=LONGEST, max_size=LONGEST)
"""A byte a decision: it picks one of the legal actions."""


@st.composite
def fresh_deals(draw: st.DrawFn) -> Deal:
    """A deal before its first call."""
    dealer = draw(st.integers(0, 3))
    return Deal(draw(rulesets), dealer, deal_hands(draw(decks), dealer))


@st.composite
def positions(draw: st.DrawFn) -> Deal:
    """A deal in which somebody is to act: anywhere from its first call to its last card."""
    deal = draw(fresh_deals())
    picks = draw(choices)
    stop = draw(st.integers(0, LONGEST))
    for pick in picks[:stop]:
        if sum(hand.bit_count() for hand in deal.holding) == 1:
            break
        deal.push(picked(deal, pick))
    return deal


@st.composite
def finished_deals(draw: st.DrawFn) -> Deal:
    """A deal that has been played to its end."""
    deal = draw(fresh_deals())
    for pick in draw(choices):
        if not deal.is_over:
            deal.push(picked(deal, pick))
    return deal


def picked(deal: Deal, pick: int) -> int:
    """Return the legal action that a byte picks.

    A third of the bytes pick the first, which is a pass: else auctions all end at the top.
    """
    legal = deal.legal_actions()
    return legal[0] if pick % 3 == 0 else legal[pick // 3 % len(legal)]


def copy_of(deal: Deal) -> Deal:
    """Return the same deal again."""
    return Deal.replay(deal.ruleset, deal.dealer, deal.hands, deal.actions)


def state_of(deal: Deal) -> dict[str, object]:
    """Return everything that a deal remembers."""
    values = {slot: getattr(deal, slot) for slot in Deal.__slots__}
    return {
        slot: list(value) if isinstance(value, list) else value for slot, value in values.items()
    }


def names_of(mask: int) -> set[str]:
    """Return the cards of a mask as texts."""
    return {card.name for card in cards_of(mask)}


@st.composite
def twins(draw: st.DrawFn) -> tuple[Deal, Deal]:
    """Two different worlds that the seat in turn cannot tell apart.

    The hidden cards of the second are dealt anew, so that all that was played could still have
    been played: cards change hands one pair at a time, and a pair stays where it was when the
    actions so far would not have been legal.
    """
    deal = draw(positions())
    seat = deal.turn
    held = list(deal.holding)
    played = [hand & ~left for hand, left in zip(deal.hands, deal.holding, strict=True)]
    others = [other for other in range(4) if other != seat]
    twin = deal
    for first, pick in zip(draw(choices), draw(choices), strict=True):
        giver, taker = others[first % 3], others[(first + 1 + first // 3 % 2) % 3]
        given, taken = cards_of(held[giver]), cards_of(held[taker])
        if not given or not taken:
            continue
        swap = given[pick % len(given)].mask | taken[pick // 8 % len(taken)].mask
        tried = list(held)
        tried[giver] ^= swap
        tried[taker] ^= swap
        hands = [left | gone for left, gone in zip(tried, played, strict=True)]
        try:
            twin = Deal.replay(deal.ruleset, deal.dealer, hands, deal.actions)
        except IllegalAction:
            continue
        held = tried
    assume(twin.hands != deal.hands)
    return deal, twin
