"""One deal: auction, declaration and play as a state machine over integers.

This is the hot path of the referee, so `Deal` is a mutable object with slots, its sets are
bit masks and its history is two byte strings, which are also what the wire carries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.errors import IllegalAction, Reason
from arena.rules.actions import (
    ACTION_TEXTS,
    ACTIONS,
    CONTRACT_POINTS,
    DECLARATIONS,
    DECLARED,
    FIRST_BID,
    FIRST_CARD,
    FIRST_DECLARATION,
    LAST_ACTION,
    LAST_BID,
    LAST_DECLARATION,
    Action,
    Contract,
    Phase,
)
from arena.rules.cards import ALL_CARDS, CARDS, Suit, hand_to_pbn
from arena.rules.score import Points, declared_points, passed_out_points

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.rules.ruleset import Ruleset

HAND_SIZE: Final = 7
_PASS_BIT: Final = 1 << Action.PASS
_ALL_BIDS: Final = ((1 << (LAST_BID + 1)) - 1) ^ ((1 << FIRST_BID) - 1)
_AUCTION_LEGAL: Final = tuple(
    _PASS_BIT | (_ALL_BIDS & ~((1 << (bid + 2)) - 1)) for bid in range(len(CONTRACT_POINTS))
)
"""Legal calls by standing bid; place 0 is the opening under `opening = any`."""
_OPENING_BRANDELN: Final = _PASS_BIT | 1 << Action.BID_BRANDELN


def _declarations(bid: int, *, above: bool) -> int:
    mask = 0
    for (contract, _), action in DECLARATIONS.items():
        if contract == bid or (above and contract > bid):
            mask |= 1 << action
    return mask


_DECLARATION_LEGAL: Final = {
    above: tuple(_declarations(bid, above=above) for bid in range(len(CONTRACT_POINTS)))
    for above in (True, False)
}
_SUIT_MASKS: Final = (0, *(suit.mask for suit in Suit))
"""The cards of a suit by its number; place 0 is no trump."""
_SUIT_OF: Final = bytes((*(0 for _ in range(FIRST_CARD)), *(card.suit for card in CARDS)))
"""The suit of the card an action plays, by action number."""
_CARD_BITS: Final = (*(0 for _ in range(FIRST_CARD)), *(1 << n for n in range(len(CARDS))))
"""The mask of the card an action plays, by action number."""
_JACK_SEVEN: Final = (9, 2, 3, 10, 5, 6, 7)
"""Strength of 7 9 T J Q K A in trumps under `jack_seven`: jack, seven, ace, king, …"""


def _powers(trump: int, led: int, order: str) -> bytes:
    """Return, by action number, how strong a card is in a trick with this trump and lead.

    0 is a card that cannot win; any trump is stronger than any other card.
    """
    powers = bytearray(LAST_ACTION + 1)
    for action in range(FIRST_CARD, LAST_ACTION + 1):
        rank = (action - FIRST_CARD) % HAND_SIZE
        if trump and _SUIT_OF[action] == trump:
            powers[action] = 20 + (_JACK_SEVEN[rank] if order == "jack_seven" else rank)
        elif _SUIT_OF[action] == led:
            powers[action] = 1 + rank
    return bytes(powers)


_POWERS: Final = {
    order: tuple(
        tuple(_powers(trump, led, order) if led else b"" for led in range(5)) for trump in range(5)
    )
    for order in ("plain", "jack_seven")
}
"""`_powers` by trump order, trump suit (0 for none) and led suit."""


class Deal:
    """A deal in progress, from the first call to the last trick.

    `hands` are four masks by seat. A deal is its ruleset, hands, dealer and list of actions;
    everything else follows from them.

    >>> from arena.rules.deck import board_start, deal_hands, league_key, parse_seed
    >>> from arena.rules.ruleset import BRANDELN
    >>> cards, dealer = board_start(league_key(parse_seed("demo")), 1)
    >>> deal = Deal(BRANDELN, dealer, deal_hands(cards, dealer))
    >>> deal.turn, [str(Action(number)) for number in deal.legal_actions()]
    (2, ['PASS', 'BRANDELN'])
    """

    __slots__ = (
        "_best",
        "_best_seat",
        "_entered",
        "_in_trick",
        "_led",
        "_must_trump",
        "_play_start",
        "_power",
        "_powers",
        "_trump_mask",
        "actions",
        "actors",
        "bid",
        "bidder",
        "contract",
        "dealer",
        "declarer",
        "hands",
        "holding",
        "leaders",
        "legal",
        "phase",
        "points",
        "ruleset",
        "taken",
        "trump",
        "turn",
    )

    def __init__(self, ruleset: Ruleset, dealer: int, hands: Sequence[int]) -> None:
        self.ruleset = ruleset
        self.dealer = dealer
        self.hands: tuple[int, ...] = tuple(hands)
        """The four hands as dealt, masks by seat."""
        self.holding: list[int] = list(hands)
        """The cards still held, masks by seat."""
        self.actions = bytearray()
        """All actions so far, by number."""
        self.actors = bytearray()
        """The seat of each action."""
        self.leaders = bytearray()
        """The leader of each trick begun; once a trick is full, its winner follows."""
        self.phase: int = Phase.AUCTION
        self.turn: int = (dealer + 1) % 4
        """The seat that acts next; -1 when the deal is over."""
        self.legal: int = _OPENING_BRANDELN if ruleset.opening == "brandeln" else _AUCTION_LEGAL[0]
        """The legal actions: bit `a` is set when action `a` is legal. 0 when the deal is over."""
        self.bid: int = 0
        """The contract number of the standing bid, 0 while nobody has bid."""
        self.bidder: int = -1
        """The seat that holds the standing bid, -1 while nobody has bid."""
        self.contract: int = 0
        """The declared contract's number, 0 before the declaration and in a passed-out deal."""
        self.trump: int = 0
        """The trump suit's number, 0 without one."""
        self.declarer: int = -1
        """The seat that won the auction, -1 before and in a passed-out deal."""
        self.taken: list[int] = [0, 0, 0, 0]
        """Tricks taken so far, by seat."""
        self.points: Points | None = None
        """The points by seat, once the deal is over."""
        self._entered = 1
        self._play_start = 0
        self._in_trick = 0
        self._led = 0
        self._best = 0
        self._best_seat = 0
        self._power = b""
        self._powers = _POWERS["plain"][0]
        self._trump_mask = 0
        self._must_trump = ruleset.void == "must_trump"

    @property
    def is_over(self) -> bool:
        """Whether all seven tricks have been played."""
        return self.phase == Phase.OVER

    @property
    def is_passed_out(self) -> bool:
        """Whether all four have passed."""
        return self.phase >= Phase.PLAY and not self.contract

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the seat in turn, ascending; empty when it is over."""
        legal, found = self.legal, []
        while legal:
            low = legal & -legal
            found.append(low.bit_length() - 1)
            legal ^= low
        return found

    def apply_action(self, action: int, seat: int | None = None) -> None:
        """Play an action for the seat in turn, or for `seat` if it is that seat's turn.

        Raises `IllegalAction`, with the reason, and changes nothing when it is not legal.
        """
        self.check(action, seat)
        self.push(action)

    def check(self, action: int, seat: int | None = None) -> None:
        """Raise `IllegalAction` with the reason when an action is not legal here."""
        reason = self._reason(action, seat)
        if reason:
            turn = f"seat {self.turn}" if self.turn >= 0 else "nobody"
            legal = " ".join(ACTION_TEXTS[number] for number in self.legal_actions()) or "nothing"
            name = ACTION_TEXTS[action] if 1 <= action <= LAST_ACTION else f"action {action}"
            msg = f"{name}: {reason.value}; {turn} is to act, legal: {legal}"
            raise IllegalAction(reason, msg)

    def illegal_reason(self, action: int) -> str:
        """Return in words why an action of the seat in turn is illegal, "" when it is legal."""
        reason = self._reason(action, None)
        return reason.value if reason else ""

    def _reason(self, action: int, seat: int | None) -> Reason | None:
        """Return why an action is illegal, or `None` when it is legal."""
        if not 1 <= action <= LAST_ACTION:
            return Reason.UNKNOWN_ACTION
        if self.phase == Phase.OVER:
            return Reason.DEAL_OVER
        if seat is not None and seat != self.turn:
            return Reason.NOT_YOUR_TURN
        if self.legal >> action & 1:
            return None
        if self.phase == Phase.AUCTION:
            if not FIRST_BID <= action <= LAST_BID:
                return Reason.WRONG_PHASE
            return Reason.MUST_RAISE if self.bid else Reason.OPENING_MUST_BE_BRANDELN
        if self.phase == Phase.DECLARATION:
            if FIRST_BID <= action <= LAST_BID and Contract(action - 1).has_trump:
                return Reason.TRUMP_MISSING
            if not FIRST_DECLARATION <= action <= LAST_DECLARATION:
                return Reason.WRONG_PHASE
            below = DECLARED[action][0] < self.bid
            return Reason.CONTRACT_BELOW_BID if below else Reason.CONTRACT_NOT_BID
        if action < FIRST_CARD:
            return Reason.WRONG_PHASE
        if not self.holding[self.turn] & _CARD_BITS[action]:
            return Reason.NOT_IN_YOUR_HAND
        can_follow = self.holding[self.turn] & _SUIT_MASKS[self._led]
        return Reason.MUST_FOLLOW if can_follow else Reason.MUST_TRUMP

    def push(self, action: int) -> None:
        """Play an action that is known to be legal; nothing is checked.

        One long function on purpose: it runs 35 times a deal, and calls cost more than it does.
        """
        seat = self.turn
        self.actions.append(action)
        self.actors.append(seat)
        if action < FIRST_CARD:
            self._push_call(action, seat)
            return
        holding = self.holding
        holding[seat] ^= _CARD_BITS[action]
        in_trick = self._in_trick
        if in_trick == 0:
            led = self._led = _SUIT_OF[action]
            power = self._power = self._powers[led]
            self._best = power[action]
            self._best_seat = seat
        else:
            strength = self._power[action]
            if strength > self._best:
                self._best = strength
                self._best_seat = seat
            if in_trick == 3:
                winner = self._best_seat
                self.taken[winner] += 1
                self.leaders.append(winner)
                self._in_trick = 0
                self.turn = winner
                self.legal = holding[winner] << FIRST_CARD
                if not holding[winner]:
                    self._finish()
                return
            led = self._led
        self._in_trick = in_trick + 1
        seat = self.turn = (seat + 1) & 3
        hand = holding[seat]
        cards = hand & _SUIT_MASKS[led]
        if not cards:
            cards = (hand & self._trump_mask if self._must_trump else 0) or hand
        self.legal = cards << FIRST_CARD

    def _push_call(self, action: int, seat: int) -> None:
        if action >= FIRST_DECLARATION:
            self.contract, self.trump = DECLARED[action]
            self._start_play(seat)
        elif action != Action.PASS:
            # A raise passes the word to the other of the two; an opening lets the next one in.
            opening = not self.bid
            self.bid = action - 1
            self.turn, self.bidder = self.bidder, seat
            if opening:
                self._enter()
            else:
                self.legal = _AUCTION_LEGAL[self.bid]
        else:
            self._enter()

    def _enter(self) -> None:
        """Let the next player into the auction, or end it when nobody is left."""
        if self._entered < len(self.hands):
            self._entered += 1
            self.turn = (self.dealer + self._entered) & 3
            if self.bid:
                self.legal = _AUCTION_LEGAL[self.bid]
        elif self.bid:
            self.phase = Phase.DECLARATION
            self.turn = self.declarer = self.bidder
            self.legal = _DECLARATION_LEGAL[self.ruleset.declare_above_bid][self.bid]
        else:
            self._start_play((self.dealer + 1) & 3)

    def _start_play(self, leader: int) -> None:
        self.phase = Phase.PLAY
        self.turn = leader
        self.leaders.append(leader)
        self.legal = self.holding[leader] << FIRST_CARD
        self._play_start = len(self.actions)
        self._powers = _POWERS[self.ruleset.trump_order][self.trump]
        self._trump_mask = _SUIT_MASKS[self.trump]

    def _finish(self) -> None:
        self.phase = Phase.OVER
        self.turn = -1
        self.legal = 0
        if self.contract:
            self.points = declared_points(self.contract, self.declarer, self.taken)
        else:
            self.points = passed_out_points(self.ruleset, self.taken)

    @property
    def play_start(self) -> int:
        """The index of the first card among the actions, 0 before the play."""
        return self._play_start

    @classmethod
    def replay(
        cls, ruleset: Ruleset, dealer: int, hands: Sequence[int], actions: Iterable[int]
    ) -> Deal:
        """Return the deal after some actions.

        Raises `IllegalAction` at the first that is not legal.
        """
        deal = cls(ruleset, dealer, hands)
        for action in actions:
            deal.apply_action(action)
        return deal

    def __repr__(self) -> str:
        texts = " ".join(str(ACTIONS[action]) for action in self.actions)
        hands = " ".join(hand_to_pbn(hand) for hand in self.hands)
        return f"Deal(dealer={self.dealer}, hands={hands!r}, actions={texts!r})"


def is_whole_deck(hands: Sequence[int]) -> bool:
    """Return whether four masks are seven cards each and together the deck.

    >>> is_whole_deck([127, 127 << 7, 127 << 14, 127 << 21]), is_whole_deck([127] * 4)
    (True, False)
    """
    union = 0
    for hand in hands:
        union |= hand
    sizes = all(hand.bit_count() == HAND_SIZE for hand in hands)
    return len(hands) == 4 and sizes and union == ALL_CARDS
