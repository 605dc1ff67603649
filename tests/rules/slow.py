"""A second engine, written straight from RULES with texts and sets, slow and plain.

It shares nothing with `arena.rules`: cards and actions are texts, hands are sets, and the deal
is told as a generator that asks for one action after another.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SUITS = ["C", "D", "H", "S"]
RANKS = ["7", "9", "T", "J", "Q", "K", "A"]
DECK = [suit + rank for suit in SUITS for rank in RANKS]

CONTRACTS = ["BRANDELN", "FOUR", "FIVE", "SIX", "NULL", "ALL_TRUMP", "ALL_NO_TRUMP"]
NEEDS = {"BRANDELN": 3, "FOUR": 4, "FIVE": 5, "SIX": 6, "ALL_TRUMP": 7, "ALL_NO_TRUMP": 7}
VALUE = {
    "BRANDELN": 1,
    "FOUR": 2,
    "FIVE": 3,
    "SIX": 5,
    "NULL": 5,
    "ALL_TRUMP": 6,
    "ALL_NO_TRUMP": 7,
}
WITHOUT_TRUMP = ["NULL", "ALL_NO_TRUMP"]

ALL_ACTIONS = (
    ["PASS"]
    + CONTRACTS
    + [
        declaration
        for contract in CONTRACTS
        for declaration in (
            [contract] if contract in WITHOUT_TRUMP else [f"{contract}:{suit}" for suit in SUITS]
        )
    ]
    + DECK
)
"""The 58 actions as texts, in the order of RULES, Actions; number n is at place n - 1."""

Rules = Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """Who is asked for what."""

    phase: str
    seat: int
    legal: frozenset[str]


@dataclass
class SlowTrick:
    leader: int
    cards: list[str]
    winner: int = -1


@dataclass
class Result:
    """How a deal ended; `contract` is `PASSED_OUT` when all four passed."""

    declarer: int | None
    contract: str
    trump: str | None
    tricks: list[SlowTrick]
    taken: list[int]
    points: list[int]


Asking = Generator[Question, str, Any]


def auction(rules: Rules, dealer: int) -> Generator[Question, str, tuple[int, str] | None]:
    """Tell the chain of duels; return who won it and his bid, `None` when all passed."""
    waiting = [(dealer + 1) % 4, (dealer + 2) % 4, (dealer + 3) % 4, dealer]
    holder = -1
    standing = ""
    while waiting:
        challenger = waiting.pop(0)
        if not standing:
            openings = ["BRANDELN"] if rules["opening"] == "brandeln" else CONTRACTS
            call = yield Question("AUCTION", challenger, frozenset(["PASS", *openings]))
            if call != "PASS":
                holder, standing = challenger, call
            continue
        speaker, other = challenger, holder
        while True:
            higher = CONTRACTS[CONTRACTS.index(standing) + 1 :]
            call = yield Question("AUCTION", speaker, frozenset(["PASS", *higher]))
            if call == "PASS":
                holder = other
                break
            standing = call
            speaker, other = other, speaker
    return (holder, standing) if standing else None


def declarations(rules: Rules, bid: str) -> list[str]:
    """Return what the winner of an auction may name."""
    first = CONTRACTS.index(bid)
    contracts = CONTRACTS[first:] if rules["declare_above_bid"] else [bid]
    return [
        text
        for contract in contracts
        for text in (
            [contract] if contract in WITHOUT_TRUMP else [f"{contract}:{suit}" for suit in SUITS]
        )
    ]


def playable(rules: Rules, hand: set[str], led: str, trump: str | None) -> set[str]:
    """Return the cards that may be played to a trick in which the suit `led` was led."""
    following = {card for card in hand if card[0] == led}
    if following:
        return following
    trumps = {card for card in hand if card[0] == trump}
    if trumps and rules["void"] == "must_trump":
        return trumps
    return hand


def winner_of(rules: Rules, trick: SlowTrick, trump: str | None) -> int:
    """Return the seat of the highest trump, else of the highest card of the led suit."""
    trumps = [card for card in trick.cards if card[0] == trump]
    if trumps:
        order = list(RANKS)
        if rules["trump_order"] == "jack_seven":
            order = ["9", "T", "Q", "K", "A", "7", "J"]
        best = max(trumps, key=lambda card: order.index(card[1]))
    else:
        led = trick.cards[0][0]
        followers = [card for card in trick.cards if card[0] == led]
        best = max(followers, key=lambda card: RANKS.index(card[1]))
    return (trick.leader + trick.cards.index(best)) % 4


def points_of(rules: Rules, declarer: int | None, contract: str, taken: list[int]) -> list[int]:
    """Return the points by seat (RULES, Score of a deal)."""
    points = [0, 0, 0, 0]
    if declarer is not None:
        tricks = taken[declarer]
        made = tricks == 0 if contract == "NULL" else tricks >= NEEDS[contract]
        points[declarer] = VALUE[contract] if made else -VALUE[contract]
    elif 7 in taken:
        points[taken.index(7)] = rules["passed_out_all_tricks"]
    else:
        wanted = max(taken) if rules["passed_out_winner"] == "most" else min(taken)
        winners = [seat for seat in range(4) if taken[seat] == wanted]
        if len(winners) == 1 or rules["passed_out_tie"] == "all":
            for seat in winners:
                points[seat] = rules["passed_out_points"]
    return points


def deal(rules: Rules, dealer: int, hands: Sequence[set[str]]) -> Generator[Question, str, Result]:
    """Tell a whole deal."""
    held = [set(hand) for hand in hands]
    won = yield from auction(rules, dealer)
    declarer, contract, trump = None, "PASSED_OUT", None
    leader = (dealer + 1) % 4
    if won:
        leader = declarer = won[0]
        legal = frozenset(declarations(rules, won[1]))
        named = yield Question("DECLARATION", declarer, legal)
        contract, _, suit = named.partition(":")
        trump = suit or None
    tricks: list[SlowTrick] = []
    taken = [0, 0, 0, 0]
    for _ in range(7):
        trick = SlowTrick(leader, [])
        tricks.append(trick)
        for place in range(4):
            seat = (leader + place) % 4
            cards = held[seat]
            if place:
                cards = playable(rules, held[seat], trick.cards[0][0], trump)
            card = yield Question("PLAY", seat, frozenset(cards))
            held[seat].remove(card)
            trick.cards.append(card)
        leader = trick.winner = winner_of(rules, trick, trump)
        taken[leader] += 1
    points = points_of(rules, declarer, contract, taken)
    return Result(declarer, contract, trump, tricks, taken, points)


class SlowDeal:
    """A deal that is told step by step."""

    def __init__(self, rules: Rules, dealer: int, hands: Sequence[set[str]]) -> None:
        self._story = deal(rules, dealer, hands)
        self.question: Question | None = next(self._story)
        self.result: Result | None = None

    def play(self, action: str) -> None:
        """Play a legal action."""
        assert self.question is not None
        assert action in self.question.legal
        try:
            self.question = self._story.send(action)
        except StopIteration as end:
            self.question, self.result = None, end.value


def after(rules: Rules, dealer: int, hands: Sequence[set[str]], actions: Sequence[str]) -> SlowDeal:
    """Return a deal after some actions, told from its beginning."""
    told = SlowDeal(rules, dealer, hands)
    for action in actions:
        told.play(action)
    return told
