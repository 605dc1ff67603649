"""Greedy bids as soon as a deal promises more than it risks.

It counts the tricks that its hand is worth with each trump suit, turns the count into a chance
for each contract, and so knows what every declaration is worth on average. The weights were
fitted to ten thousand deals of its own play. It keeps nothing between decisions.

BOLDNESS (in the environment; points, 0 when unset): how much a bid may be expected to lose.
0.3 bids more, -0.3 bids less.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import exp, prod

from arena.bot import Action, Card, Contract, Phase, Rank, Suit, Trick, View, run

BOLDNESS = float(os.environ.get("BOLDNESS") or 0)

TRUMP_WORTH = (0.0, 0.70, 0.72, 0.78, 0.87, 1.03, 1.30, 1.93)
"""Tricks that each trump adds, by rank from the seven to the ace."""
BASE, ACE, KING, ACE_KING, VOID = -1.2, 0.86, 0.22, 0.3, 0.45
"""Tricks of any hand; of a side suit's ace, guarded king, both of them; of having none of it."""
STEEPNESS, MARGIN = 3.0, 0.4
"""How fast the chance grows with the count, and how far below the target it is even."""
NULL_BASE, NULL_TOTAL, NULL_WORST = 2.85, 0.22, 0.28
"""The same for no trick at all: a good hand, and what the risks of all and of one suit take off."""
FALLS = {(2, 1): 0.67, (3, 1): 0.22, (3, 2): 0.89, (4, 2): 0.67}
"""The chance that all cards others hold of a suit fall, by their number and the rounds played."""


DECLARATIONS = [(action, action.contract, action.trump) for action in Action if action.contract]


def choose(view: View) -> Action | Card:
    if view.phase is Phase.PLAY:
        cards, trick = view.legal_cards, view.trick
        if view.contract is Contract.NULL:
            play = avoid_tricks if view.is_declarer else force_tricks
            return play(view, cards, trick)
        return follow(view, cards, trick) if trick else lead(view, cards)
    worth = prospects(view.hand)
    if view.phase is Phase.DECLARATION:
        return max(view.legal_actions, key=worth.__getitem__)
    # The lowest bid will do: who wins the auction may declare more.
    bid = view.legal_actions[1]
    playable = [action for action, contract, _ in DECLARATIONS if allows(view, bid, contract)]
    return bid if max(worth[action] for action in playable) > -BOLDNESS else Action.PASS


def allows(view: View, bid: Action, contract: Contract) -> bool:
    """Whether a declarer who has won the auction with a bid may declare a contract."""
    lowest = bid.bid or contract
    return contract is lowest or (contract > lowest and view.ruleset.declare_above_bid)


# What a hand is worth.


def prospects(hand: Sequence[Card]) -> dict[Action, float]:
    """Points to expect of each declaration."""
    suits = {suit: [card for card in hand if card.suit is suit] for suit in Suit}
    risks = [risk(held) for held in suits.values()]
    danger = NULL_TOTAL * sum(risks) + NULL_WORST * max(risks) - NULL_BASE
    tricks = {
        trump: BASE
        + sum(TRUMP_WORTH[card.rank] for card in suits[trump])
        + sum(side_tricks(held) for suit, held in suits.items() if suit is not trump)
        for trump in Suit
    }
    worth = {}
    for action, contract, trump in DECLARATIONS:
        if trump:
            surplus = tricks[trump] - contract.tricks + MARGIN
            chance = 1 / (1 + exp(-STEEPNESS * surplus))
        elif contract is Contract.NULL:
            chance = 1 / (1 + exp(danger))
        else:
            chance = prod(running(held) for held in suits.values())
        worth[action] = contract.points * (2 * chance - 1)
    return worth


def side_tricks(held: Sequence[Card]) -> float:
    """Tricks to expect of a suit that is not trumps."""
    if not held:
        return VOID
    ranks = {card.rank for card in held}
    if Rank.ACE in ranks:
        return ACE + (ACE_KING if Rank.KING in ranks else 0)
    return KING if Rank.KING in ranks and len(held) > 1 else 0


def risk(held: Sequence[Card]) -> int:
    """How far a suit's cards stand above 7 T Q A, which can always stay below what others play."""
    return sum(max(0, card.rank - Rank.SEVEN - 2 * n) for n, card in enumerate(held))


def running(held: Sequence[Card]) -> float:
    """The chance that a suit takes all its tricks when it is led from the top."""
    tops = 0
    while tops < len(held) and held[-1 - tops].rank == Rank.ACE - tops:
        tops += 1
    others = 7 - len(held)
    return 1.0 if tops == len(held) or tops >= others else FALLS.get((others, tops), 0.0)


# Tricks to take, or to keep from the declarer.


def lead(view: View, cards: Sequence[Card]) -> Card:
    sure = [card for card in cards if not above(view.unseen, card)]
    trumps = [card for card in cards if card.suit is view.trump]
    sides = [card for card in cards if card.suit is not view.trump]
    if view.is_declarer:
        # Draw the trumps of the others while mine are higher.
        if trumps and trumps[-1] in sure and below(view.unseen, trumps[-1]):
            return trumps[-1]
    elif len(trumps) == 1 and view.declarer is not None:
        return trumps[0]  # it costs the declarer a trump and frees me to discard
    best = [card for card in sides if card in sure] or sure
    if best:
        return max(best, key=by_rank)
    if view.is_declarer:
        return min(sides or cards, key=lambda card: (length(cards, card), card.rank))
    return min(sides or cards, key=by_rank)


def follow(view: View, cards: Sequence[Card], trick: Trick) -> Card:
    sure = [card for card in cards if not above(view.unseen, card)]
    winning = [card for card in cards if view.beats(card)]
    if view.declarer is not None and not view.is_declarer:
        if trick.card_of(view.declarer) is None:
            # The declarer is still to play: a card he cannot beat, or the best there is.
            safe = [card for card in winning if card in sure]
            if winning and not safe:
                return max(winning)
            winning = safe
        elif view.winning_seat != view.declarer:
            winning = []  # another defender has it
    return min(winning or [card for card in cards if card not in sure] or cards, key=by_rank)


# No trick to take, or one to force on the declarer.


def avoid_tricks(view: View, cards: Sequence[Card], trick: Trick | None) -> Card:
    if trick is None:
        return min(cards, key=lambda card: (length(cards, card) > 1, card.rank))
    if cards[0].suit is not trick.cards[0].suit:
        # Out of the suit: away with the card that is hardest to keep below the others.
        return max(
            cards, key=lambda card: (below(view.unseen, card) - below(cards, card), card.rank)
        )
    losers = [card for card in cards if not view.beats(card)]
    if losers:
        return max(losers)
    return max(cards) if len(trick.cards) == 3 else min(cards)


def force_tricks(view: View, cards: Sequence[Card], trick: Trick | None) -> Card:
    if trick is None:
        # A suit the declarer may have, in which most of what is out is higher than mine.
        useful = [card for card in cards if (view.declarer, card.suit) not in view.voids]
        return min(useful or cards, key=lambda card: (safety(view, cards, card), card.rank))
    if cards[0].suit is not trick.cards[0].suit:
        return max(cards, key=lambda card: card.rank - length(cards, card))
    if view.declarer is None or trick.card_of(view.declarer) is None:
        return min(cards)
    if view.winning_seat == view.declarer:
        return max([card for card in cards if not view.beats(card)] or cards[:1])
    return max(cards)


def safety(view: View, cards: Sequence[Card], card: Card) -> float:
    lower, higher = below(view.unseen, card), above(view.unseen, card)
    return lower / (lower + higher + 0.5) + 0.1 * length(cards, card)


# Counting. Cards of a suit compare by rank.


def by_rank(card: Card) -> int:
    return card.rank


def length(cards: Sequence[Card], card: Card) -> int:
    return sum(other.suit is card.suit for other in cards)


def above(cards: Sequence[Card], card: Card) -> int:
    return sum(other.suit is card.suit and other > card for other in cards)


def below(cards: Sequence[Card], card: Card) -> int:
    return sum(other.suit is card.suit and other < card for other in cards)


if __name__ == "__main__":
    run(choose, name="greedy", max_in_flight=128)
