"""Cautious bids only as far as the tricks reach that it can hardly lose.

Its play is simple: it leads winners, takes a trick as cheaply as it can, and otherwise throws its
lowest card. It keeps nothing between decisions.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.bot import Action, Card, Contract, Phase, Rank, Suit, View, run


def choose(view: View) -> Action | Card:
    if view.phase is Phase.PLAY:
        cards = view.legal_cards
        if view.contract is not Contract.NULL:
            return take(view, cards)
        return stay_below(view, cards) if view.is_declarer else force(view, cards)
    if view.phase is Phase.AUCTION:
        for action in view.legal_actions:
            if action.bid and any(is_safe(view.hand, action.bid, trump) for trump in Suit):
                return action
        return Action.PASS
    # Of the safe declarations the one worth most. If none is safe, which an auction under other
    # rules may bring about, the first contract with the best trump suit.
    return max(
        view.legal_actions,
        key=lambda action: (
            (
                action.contract.points if is_safe(view.hand, action.contract, action.trump) else 0,
                -action.contract,
                sure_tricks(view.hand, action.trump),
            )
            if action.contract
            else (0, 0, 0)
        ),
    )


# What a hand is worth.


def is_safe(hand: Sequence[Card], contract: Contract, trump: Suit | None) -> bool:
    """Whether the hand can hardly lose a contract with this trump suit."""
    if contract is Contract.NULL:
        return all(card.rank <= 1 + 2 * below(hand, card) for card in hand)
    if contract is Contract.ALL_NO_TRUMP:
        return all(card.rank + above(hand, card) == Rank.ACE for card in hand)
    return sure_tricks(hand, trump) >= contract.tricks


def sure_tricks(hand: Sequence[Card], trump: Suit | None) -> int:
    """Count the honours and the long cards of the trump suit, and the aces beside it."""
    tricks = 0
    for card in hand:
        if card.suit is not trump:
            tricks += card.rank is Rank.ACE
        elif card.rank >= Rank.QUEEN:
            # An honour is a trick if the higher ones that others hold can be spared a low trump.
            tricks += Rank.ACE - card.rank - above(hand, card) <= below(hand, card)
        else:
            tricks += above(hand, card) >= 3
    return tricks


def above(cards: Sequence[Card], card: Card) -> int:
    return sum(other.suit is card.suit and other > card for other in cards)


def below(cards: Sequence[Card], card: Card) -> int:
    return sum(other.suit is card.suit and other < card for other in cards)


# The play.


def by_rank(card: Card) -> int:
    return card.rank


def take(view: View, cards: Sequence[Card]) -> Card:
    """Win what can be won cheaply."""
    trick, declarer = view.trick, view.declarer
    if trick is None:
        sure = [card for card in cards if not above(view.unseen, card)]
        if sure and view.is_declarer:
            # Trumps first, so that nobody is left to trump the other winners.
            return max(sure, key=lambda card: (card.suit is view.trump, card))
        return max(sure or cards, key=by_rank)
    winners = [card for card in cards if view.beats(card)]
    if view.is_declarer or declarer in {None, view.winning_seat}:
        return min(winners or cards, key=by_rank)
    if declarer is not None and trick.card_of(declarer):
        return min(cards, key=by_rank)  # another defender has it: no need to spend a winner
    return min(winners or cards, key=by_rank)


def stay_below(view: View, cards: Sequence[Card]) -> Card:
    """Play the highest card that does not take the trick."""
    if view.trick is None:
        return min(cards, key=by_rank)
    losers = [card for card in cards if not view.beats(card)]
    return max(losers, key=by_rank) if losers else min(cards, key=by_rank)


def force(view: View, cards: Sequence[Card]) -> Card:
    """Go under a declarer who must take no trick, and get rid of high cards otherwise."""
    if view.winning_seat == view.declarer:
        return stay_below(view, cards)
    trick, declarer = view.trick, view.declarer
    if trick and declarer is not None and trick.card_of(declarer):
        return max(cards, key=by_rank)
    return min(cards, key=by_rank)


if __name__ == "__main__":
    run(choose, name="cautious", max_in_flight=128)
