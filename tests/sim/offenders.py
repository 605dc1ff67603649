"""Bots that misbehave on purpose, at places that follow from the decision alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.referee.values import FaultKind
from arena.rules.actions import FIRST_BID, FIRST_CARD, LAST_ACTION, LAST_BID, Action
from arena.rules.deck import bot_seed
from tests.sim.world import KEY, Reply, chosen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arena.referee.values import DealResult
    from arena.v1 import referee_pb2

Place = tuple[int, int, int]
"""Where a decision stands: bot seed (so board and deal), seat (so leg), actions before it."""

KIND_OF: Final = {
    "illegal": FaultKind.ILLEGAL,
    "malformed": FaultKind.MALFORMED,
    "garbage": FaultKind.MALFORMED,
    "stall": FaultKind.TIMEOUT,
    "late": FaultKind.TIMEOUT,
    "crash": FaultKind.CRASH,
    "cut": FaultKind.DISCONNECT,
    "leave": FaultKind.DISCONNECT,
}
"""What each way of misbehaving is called in a record; `heal` has no name, as it costs nothing."""
WAYS: Final = (*KIND_OF, "heal")
WHENS: Final = ("always", "behind", "at random")
_MIXED: Final = 2654435761


def place_of(decision: referee_pb2.Decision) -> Place:
    return decision.random_seed, decision.seat, len(decision.actions)


def place_in(result: DealResult, seat: int, index: int) -> Place:
    """Return the place of a decision of a finished deal."""
    return bot_seed(KEY, result.board, result.number, seat), seat, index


class Offender:
    """Misbehaves in one way, always, when it is behind in tricks, or at random places."""

    def __init__(self, way: str, when: str, one_in: int = 6) -> None:
        self.way = way
        self.when = when
        self.one_in = one_in
        self.tried: list[Place] = []
        """Where it misbehaved; more often than was noticed, if it was out before."""
        self._healed: set[Place] = set()

    def __call__(self, decision: referee_pb2.Decision) -> Reply:
        place = place_of(decision)
        if not self._is_time(decision, place):
            return Reply(chosen(decision))
        self.tried.append(place)
        return self._misbehave(decision, place)

    def _is_time(self, decision: referee_pb2.Decision, place: Place) -> bool:
        if self.when == "always":
            return True
        if self.when == "behind":
            taken = decision.tricks_taken
            return bool(taken) and taken[decision.seat] < max(taken)
        mixed = (place[0] ^ place[1] * 97 ^ place[2] * 8191) * _MIXED & 0xFFFFFFFF
        return (mixed >> 12) % self.one_in == 0

    def _misbehave(self, decision: referee_pb2.Decision, place: Place) -> Reply:
        legal = set(decision.legal)
        replies = {
            "illegal": Reply(next(a for a in range(LAST_ACTION, 0, -1) if a not in legal)),
            "malformed": Reply(0),
            "garbage": Reply(garbage=True),
            "stall": Reply(),
            "late": Reply(chosen(decision), after_ms=6000),
            "crash": Reply(crash=True),
            "cut": Reply(cut_ms=7000),
            "leave": Reply(cut_ms=-1),
        }
        if self.way in replies:
            return replies[self.way]
        if place in self._healed:
            return Reply(chosen(decision))
        self._healed.add(place)
        return Reply(cut_ms=50)


class Twin:
    """Chooses as the offender does at its own places, and the safe action everywhere else."""

    def __init__(self, own: Iterable[Place]) -> None:
        self.own = frozenset(own)

    def __call__(self, decision: referee_pb2.Decision) -> Reply:
        if place_of(decision) in self.own:
            return Reply(chosen(decision))
        return Reply(safe_choice(decision))


def safe_choice(decision: referee_pb2.Decision) -> int:
    """Return the safe action from the message alone (FAULTS, Safe action): a second opinion."""
    legal = [int(action) for action in decision.legal]
    if int(Action.PASS) in legal:
        return int(Action.PASS)
    if legal[0] < FIRST_CARD:
        bids = [a for a in decision.actions if FIRST_BID <= a <= LAST_BID]
        contract = Action(bids[-1]).name.removeprefix("BID_")
        suits = ["CLUBS", "DIAMONDS", "HEARTS", "SPADES"]
        lengths = [sum((card - 1) // 7 == suit for card in decision.hand) for suit in range(4)]
        longest = suits[lengths.index(max(lengths))]
        names = Action.__members__
        name = f"DECLARE_{contract}"
        return int(names[name] if name in names else names[f"{name}_{longest}"])
    return min(legal, key=lambda action: ((action - FIRST_CARD) % 7, (action - FIRST_CARD) // 7))
