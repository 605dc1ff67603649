"""What a bot is asked: the deal as its seat sees it, and how much time is left.

A `View` is made for every decision and most bots look at a few things only, so each
property is worked out when it is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from arena.rules.actions import ACTIONS, CARD_OFFSET, FIRST_CARD, Action, Contract, Phase
from arena.rules.cards import ALL_CARDS, CARDS, Card, Suit, cards_of
from arena.rules.ruleset import BRANDELN, Ruleset
from arena.rules.view import Call, Trick, card_power, trick_winner
from arena.rules.view import View as Position
from arena.wire.game import view_from_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.v1 import referee_pb2

_action: Final[Callable[[int], Action]] = ACTIONS.__getitem__


@dataclass(frozen=True, slots=True)
class Table:
    """One deal, or one game to points, as it was announced when it began."""

    id: int = 0
    """Fresh for each deal (or game); a key for whatever a bot keeps while it lasts."""
    seat: int = 0
    """Your seat, 0 to 3 clockwise."""
    ruleset: Ruleset = BRANDELN
    players: tuple[str, ...] = ()
    """Who sits where, by seat; empty when the league is anonymous."""
    move_ms: int = 0
    """Milliseconds each decision may take; 0 without a clock."""
    bank_ms: int = 0
    """Milliseconds of reserve for each seat and deal."""
    target: int | None = None
    """The score that ends a game to points, else `None`."""


NO_TABLE: Final = Table()


class View:
    """A deal as your seat sees it when it is your turn.

    `View.of` makes one from `arena.rules`, for trying a bot without a referee.

    >>> from arena.rules.deal import Deal
    >>> from arena.rules.deck import board_start, deal_hands, league_key, parse_seed
    >>> from arena.rules.view import view_of
    >>> cards, dealer = board_start(league_key(parse_seed("demo")), 1)
    >>> deal = Deal(BRANDELN, dealer, deal_hands(cards, dealer))
    >>> view = View.of(view_of(deal, deal.turn, random_seed=5))
    >>> [str(action) for action in view.legal_actions], view.random_seed
    (['PASS', 'BRANDELN'], 5)
    """

    __slots__ = ("_decision", "_position", "_tricks", "_unseen", "table")

    def __init__(
        self,
        decision: referee_pb2.Decision | None,
        table: Table,
        position: Position | None = None,
    ) -> None:
        self._decision = decision
        self._position = position
        self._tricks: tuple[Trick, ...] | None = None
        self._unseen: tuple[Card, ...] | None = None
        self.table = table
        """What was announced when the deal began: its id, its ruleset, who sits where."""

    @classmethod
    def of(cls, position: Position, table: Table = NO_TABLE) -> View:
        """Return the view of a position of `arena.rules`; it has no clock."""
        return cls(None, table, position)

    @property
    def position(self) -> Position:
        """The same as a plain frozen value of `arena.rules`, with masks and bytes."""
        position = self._position
        if position is None:
            assert self._decision is not None  # noqa: S101 (one of the two is always there)
            table = self.table
            position = view_from_message(self._decision, table.ruleset, table.target)
            self._position = position
        return position

    # The four that simple bots read are taken straight from the message.

    @property
    def legal_actions(self) -> tuple[Action, ...]:
        """What you may do, by number ascending; never empty."""
        decision = self._decision
        return tuple(map(_action, self.position.legal if decision is None else decision.legal))

    @property
    def legal_cards(self) -> tuple[Card, ...]:
        """The cards you may play, ascending; empty before the play."""
        return tuple(CARDS[n - FIRST_CARD] for n in self.legal_actions if n >= FIRST_CARD)

    @property
    def random_seed(self) -> int:
        """Your seed in this deal, 32 bits: a bot that draws from it alone can be repeated."""
        decision = self._decision
        return self.position.random_seed if decision is None else decision.random_seed

    @property
    def action_count(self) -> int:
        """How many actions the deal has had so far: `len(view.actions)`, but quicker."""
        decision = self._decision
        return len(self.position.actions if decision is None else decision.actions)

    @property
    def seat(self) -> int:
        """Your seat, 0 to 3 clockwise; `(seat + 1) % 4` sits on your left."""
        decision = self._decision
        return self.position.seat if decision is None else decision.seat

    # Time.

    @property
    def move_ms(self) -> int:
        """Milliseconds this decision may take before the bank is drawn on; 0 without a clock."""
        return 0 if self._decision is None else self._decision.move_ms

    @property
    def bank_ms(self) -> int:
        """Milliseconds of reserve that the seat has left in this deal."""
        return 0 if self._decision is None else self._decision.bank_ms

    # The deal.

    @property
    def ruleset(self) -> Ruleset:
        """The rules of this deal."""
        return self.position.ruleset

    @property
    def dealer(self) -> int:
        """The dealer's seat; forehand sits on the dealer's left."""
        return self.position.dealer

    @property
    def phase(self) -> Phase:
        """Whether this is the auction, the declaration or the play."""
        return self.position.phase

    @property
    def hand(self) -> tuple[Card, ...]:
        """The cards you still hold, ascending."""
        return self.position.hand

    @property
    def actions(self) -> tuple[Action, ...]:
        """All actions of the deal so far."""
        return tuple(map(_action, self.position.actions))

    @property
    def actors(self) -> tuple[int, ...]:
        """The seat of each action."""
        return tuple(self.position.actors)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The passes and bids of the auction, each with its seat."""
        return self.position.calls

    @property
    def bid(self) -> Contract | None:
        """The standing bid, `None` while nobody has bid."""
        return self.position.bid

    @property
    def contract(self) -> Contract | None:
        """The declared contract, `None` before the declaration and in a passed-out deal."""
        return self.position.contract

    @property
    def trump(self) -> Suit | None:
        """The trump suit, if there is one."""
        return self.position.trump

    @property
    def declarer(self) -> int | None:
        """The seat that plays alone, `None` in the auction and in a passed-out deal."""
        return self.position.declarer

    @property
    def is_declarer(self) -> bool:
        """Whether you play alone against the other three."""
        return self.position.declarer == self.position.seat

    @property
    def taken(self) -> tuple[int, int, int, int]:
        """Tricks taken so far, by seat."""
        return self.position.taken

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks begun so far, the one in progress last."""
        tricks = self._tricks
        if tricks is None:
            tricks = self._tricks = self.position.tricks
        return tricks

    @property
    def trick(self) -> Trick | None:
        """The trick in progress, `None` when you lead to a new one or nobody plays yet."""
        tricks = self.tricks
        return tricks[-1] if tricks and tricks[-1].winner is None else None

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards that the other three still hold, ascending."""
        unseen = self._unseen
        if unseen is None:
            seen = self.position.hand_mask
            for action in self.position.actions:
                if action >= FIRST_CARD:
                    seen |= 1 << (action - FIRST_CARD)
            unseen = self._unseen = cards_of(ALL_CARDS & ~seen)
        return unseen

    @property
    def voids(self) -> frozenset[tuple[int, Suit]]:
        """Who has shown to be out of what: pairs of a seat and a suit it could not follow."""
        return frozenset(
            ((trick.leader + place) % 4, trick.cards[0].suit)
            for trick in self.tricks
            for place, card in enumerate(trick.cards)
            if card.suit is not trick.cards[0].suit
        )

    @property
    def winning_seat(self) -> int | None:
        """The seat that takes the trick in progress as it stands, `None` when you lead."""
        trick = self.trick
        if trick is None:
            return None
        return trick_winner(self.ruleset, self.trump, trick.leader, trick.cards)

    def beats(self, card: Card) -> bool:
        """Return whether a card would take the trick in progress as it stands.

        A card that is led takes its trick until another beats it.
        """
        trick = self.trick
        if trick is None:
            return True
        cards = (*trick.cards, card)
        powers = [card_power(self.ruleset, self.trump, cards, n) for n in range(len(cards))]
        return powers[-1] == max(powers)

    # Games to points.

    @property
    def number(self) -> int | None:
        """The number of the deal in a game to points, else `None`."""
        return self.position.number

    @property
    def target(self) -> int | None:
        """The score that ends a game to points, else `None`."""
        return self.position.target

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores before this deal, by seat, in a game to points, else empty."""
        return self.position.scores

    def __repr__(self) -> str:
        hand = " ".join(map(str, self.hand))
        legal = " ".join(map(str, self.legal_actions))
        return f"View(seat={self.seat}, phase={self.phase.name}, hand={hand!r}, legal={legal!r})"


def action_number(choice: int) -> int:
    """Return the number of the action that a choice means: an action, its number, or a card.

    Raises `TypeError` when it is none of these.

    >>> action_number(Card.SA) == action_number(Action.PLAY_SPADES_ACE) == 58
    True
    """
    if isinstance(choice, Card):
        return choice + CARD_OFFSET
    if isinstance(choice, int) and not isinstance(choice, bool):
        return int(choice)
    msg = f"choose must return an Action, a Card or a number, got {choice!r}"
    raise TypeError(msg)
