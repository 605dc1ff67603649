"""What a seat may know of a deal, as a type that holds nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from arena.rules.actions import ACTIONS, FIRST_CARD, Action, Contract, Phase
from arena.rules.cards import CARDS, Card, Suit, cards_of

if TYPE_CHECKING:
    from arena.rules.deal import Deal
    from arena.rules.ruleset import Ruleset


class Call(NamedTuple):
    """A pass or a bid, and who made it."""

    seat: int
    action: Action


class Trick(NamedTuple):
    """A trick, full or in progress.

    `cards` are in the order played, from the leader on clockwise; `winner` is `None` until
    the fourth card.
    """

    leader: int
    cards: tuple[Card, ...]
    winner: int | None

    def card_of(self, seat: int) -> Card | None:
        """Return the card that a seat has played to this trick, if it has."""
        place = (seat - self.leader) % 4
        return self.cards[place] if place < len(self.cards) else None


@dataclass(frozen=True, slots=True)
class View:
    """A deal as one seat sees it when it is to act.

    Two deals that this seat cannot tell apart have equal views.
    """

    ruleset: Ruleset
    seat: int
    """The seat that sees this, 0 to 3 clockwise."""
    dealer: int
    phase: Phase
    hand_mask: int
    """The cards still held, as a mask."""
    actions: bytes
    """All actions of the deal so far, one byte each."""
    actors: bytes
    """The seat of each action."""
    legal: bytes
    """The legal actions, ascending; empty when this seat is not in turn."""
    bid: Contract | None
    """The standing bid."""
    contract: Contract | None
    """The declared contract; `None` before the declaration and in a passed-out deal."""
    trump: Suit | None
    declarer: int | None
    """The seat that won the auction, once it is won."""
    taken: tuple[int, int, int, int]
    """Tricks taken so far, by seat."""
    random_seed: int = 0
    """The seat's seed in this deal, 32 bits (DECK 8)."""
    number: int | None = None
    """The number of the deal in a game to points, else `None`."""
    target: int | None = None
    """The score that ends a game to points, else `None`."""
    scores: tuple[int, ...] = ()
    """Scores before this deal by seat in a game to points, else empty."""

    @property
    def hand(self) -> tuple[Card, ...]:
        """The cards still held, ascending."""
        return cards_of(self.hand_mask)

    @property
    def legal_actions(self) -> tuple[Action, ...]:
        """The legal actions, ascending."""
        return tuple(ACTIONS[number] for number in self.legal)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls of the auction so far, in order."""
        return calls_of(self.actions, self.actors)

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks begun so far, the one in progress last."""
        return tricks_of(self.ruleset, self.trump, self.actions, self.actors)


def calls_of(actions: bytes, actors: bytes) -> tuple[Call, ...]:
    """Return the calls among the actions of a deal, in order.

    >>> calls_of(bytes([1, 2]), bytes([3, 0]))[1]
    Call(seat=0, action=<Action.BID_BRANDELN: 2>)
    """
    return tuple(
        Call(seat, ACTIONS[action])
        for action, seat in zip(actions, actors, strict=True)
        if action <= Action.BID_ALL_NO_TRUMP
    )


def trick_winner(ruleset: Ruleset, trump: Suit | None, leader: int, cards: tuple[Card, ...]) -> int:
    """Return the seat that wins a trick of one to four cards. Source: RULES, Play.

    >>> from arena.rules.ruleset import BRANDELN
    >>> trick_winner(BRANDELN, Suit.HEARTS, 2, (Card.SA, Card.S7, Card.H7, Card.SK))
    0
    """
    best = max(range(len(cards)), key=lambda place: card_power(ruleset, trump, cards, place))
    return (leader + best) % 4


def card_power(
    ruleset: Ruleset, trump: Suit | None, cards: tuple[Card, ...], place: int
) -> tuple[bool, bool, int]:
    """Return what orders the cards of a trick: the strongest wins.

    >>> from arena.rules.ruleset import BRANDELN
    >>> trick = (Card.SA, Card.S7, Card.H7, Card.CK)
    >>> [card_power(BRANDELN, Suit.HEARTS, trick, place) for place in range(4)]
    [(False, True, 7), (False, True, 1), (True, False, 1), (False, False, 6)]
    """
    card = cards[place]
    is_trump = card.suit is trump
    rank = int(card.rank)
    if is_trump and ruleset.trump_order == "jack_seven":
        # RULES, Play: in trumps jack, then seven, stand above the ace.
        rank = {4: 9, 1: 8}.get(rank, rank)
    return is_trump, card.suit is cards[0].suit, rank


def tricks_of(
    ruleset: Ruleset, trump: Suit | None, actions: bytes, actors: bytes
) -> tuple[Trick, ...]:
    """Return the tricks among the actions of a deal, the one in progress last.

    >>> from arena.rules.actions import play_of
    >>> from arena.rules.ruleset import BRANDELN
    >>> plays = bytes(play_of(card) for card in (Card.SA, Card.S7, Card.SK))
    >>> tricks_of(BRANDELN, None, plays, bytes((2, 3, 0)))[0].winner is None
    True
    """
    plays = [
        (seat, CARDS[action - FIRST_CARD])
        for action, seat in zip(actions, actors, strict=True)
        if action >= FIRST_CARD
    ]
    tricks = []
    for start in range(0, len(plays), 4):
        leader = plays[start][0]
        cards = tuple(card for _, card in plays[start : start + 4])
        full = len(cards) == 4
        winner = trick_winner(ruleset, trump, leader, cards) if full else None
        tricks.append(Trick(leader, cards, winner))
    return tuple(tricks)


def view_of(
    deal: Deal,
    seat: int,
    *,
    random_seed: int = 0,
    number: int | None = None,
    target: int | None = None,
    scores: tuple[int, ...] = (),
) -> View:
    """Return what a seat may know of a deal now.

    The legal actions are there only for the seat in turn: who is not asked sees none.

    >>> from arena.rules.deal import Deal
    >>> from arena.rules.ruleset import BRANDELN
    >>> deal = Deal(BRANDELN, 3, [127, 127 << 7, 127 << 14, 127 << 21])
    >>> [len(view_of(deal, seat).legal_actions) for seat in range(4)]
    [2, 0, 0, 0]
    """
    return View(
        ruleset=deal.ruleset,
        seat=seat,
        dealer=deal.dealer,
        phase=Phase(deal.phase),
        hand_mask=deal.holding[seat],
        actions=bytes(deal.actions),
        actors=bytes(deal.actors),
        legal=bytes(deal.legal_actions()) if deal.turn == seat else b"",
        bid=Contract(deal.bid) if deal.bid else None,
        contract=Contract(deal.contract) if deal.contract else None,
        trump=Suit(deal.trump) if deal.trump else None,
        declarer=deal.declarer if deal.declarer >= 0 else None,
        taken=(deal.taken[0], deal.taken[1], deal.taken[2], deal.taken[3]),
        random_seed=random_seed,
        number=number,
        target=target,
        scores=scores,
    )
