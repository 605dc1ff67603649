"""The game as messages: rulesets, decisions, tables that ended, and a bot's answers.

Everything a bot needs of the wire, and what the referee shares with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, Final

from arena.errors import MalformedFrame
from arena.rules.actions import FIRST_BID, LAST_BID, Contract, Phase
from arena.rules.cards import Suit, cards_of, mask_of
from arena.rules.ruleset import CHOICES, Ruleset
from arena.rules.view import View
from arena.v1 import game_pb2, referee_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arena.rules.deal import Deal
    from arena.rules.score import Points

_KNOBS: Final = ("opening", "void", "trump_order", "passed_out_winner", "passed_out_tie")
"""The knobs that are enums on the wire; a value's number is its place in `CHOICES` plus one."""


def ruleset_to_message(ruleset: Ruleset) -> game_pb2.Ruleset:
    """Return a ruleset as a message.

    >>> ruleset_to_message(Ruleset(void="any")).void == game_pb2.Ruleset.VOID_ANY
    True
    """
    message = game_pb2.Ruleset(
        name=ruleset.name,
        declare_above_bid=ruleset.declare_above_bid,
        passed_out_points=ruleset.passed_out_points,
        passed_out_all_tricks=ruleset.passed_out_all_tricks,
    )
    for knob in _KNOBS:
        setattr(message, knob, CHOICES[knob].index(getattr(ruleset, knob)) + 1)
    return message


def ruleset_from_message(message: game_pb2.Ruleset) -> Ruleset:
    """Return the ruleset that a message describes.

    Raises `MalformedFrame` for a knob that is unset or has a value this version does not know.

    >>> ruleset_from_message(ruleset_to_message(Ruleset(opening="any"))).opening
    'any'
    """
    knobs: dict[str, object] = {
        "name": message.name,
        "declare_above_bid": message.declare_above_bid,
        "passed_out_points": message.passed_out_points,
        "passed_out_all_tricks": message.passed_out_all_tricks,
    }
    for knob in _KNOBS:
        number = getattr(message, knob)
        if not 1 <= number <= len(CHOICES[knob]):
            msg = f"ruleset.{knob}: expected 1 to {len(CHOICES[knob])}, got {number}"
            raise MalformedFrame(msg, hint="a newer version of arena may know it")
        knobs[knob] = CHOICES[knob][number - 1]
    return Ruleset.from_dict(knobs)


def decision_to_message(
    view: View, *, decision_id: int = 0, table: int = 0, move_ms: int = 0, bank_ms: int = 0
) -> referee_pb2.Decision:
    """Return the question to the seat of a view, in the order of the wire's fields.

    >>> from arena.rules.ruleset import BRANDELN
    >>> from arena.rules.deal import Deal
    >>> from arena.rules.view import view_of
    >>> deal = Deal(BRANDELN, 3, [127, 127 << 7, 127 << 14, 127 << 21])
    >>> list(decision_to_message(view_of(deal, 0)).legal)
    [1, 2]
    """
    message = referee_pb2.Decision(
        id=decision_id,
        table=table,
        seat=view.seat,
        dealer=view.dealer,
        random_seed=view.random_seed,
        number=view.number or 0,
        move_ms=move_ms,
        bank_ms=bank_ms,
    )
    _extend(message.scores, view.scores)
    message.phase = view.phase.value  # type: ignore[assignment]
    _extend(message.hand, cards_of(view.hand_mask))
    _extend(message.actions, view.actions)
    message.actors.extend(view.actors)
    message.contract = view.contract or 0  # type: ignore[assignment]
    message.trump = view.trump or 0  # type: ignore[assignment]
    if view.declarer is not None:
        message.declarer = view.declarer
    if view.phase == Phase.PLAY:
        message.tricks_taken.extend(view.taken)
    _extend(message.legal, view.legal)
    return message


def _extend(field: object, numbers: Iterable[int]) -> None:
    """Append to a repeated enum field, which the stubs let take only their own enum type."""
    field.extend(numbers)  # type: ignore[attr-defined]


def view_from_message(
    message: referee_pb2.Decision, ruleset: Ruleset, target: int | None = None
) -> View:
    """Return what the seat of a decision sees, under the ruleset and target of its table.

    >>> from arena.rules.ruleset import BRANDELN
    >>> from arena.rules.deal import Deal
    >>> from arena.rules.view import view_of
    >>> view = view_of(Deal(BRANDELN, 3, [127, 127 << 7, 127 << 14, 127 << 21]), 0)
    >>> view_from_message(decision_to_message(view), BRANDELN) == view
    True
    """
    actions = bytes(message.actions)
    contract = message.contract
    trump = message.trump
    taken = message.tricks_taken
    return View(
        ruleset=ruleset,
        seat=message.seat,
        dealer=message.dealer,
        phase=Phase(message.phase),
        hand_mask=mask_of(message.hand),
        actions=actions,
        actors=bytes(message.actors),
        legal=bytes(message.legal),
        bid=_standing_bid(actions),
        contract=Contract(contract) if contract else None,
        trump=Suit(trump) if trump else None,
        declarer=message.declarer if message.HasField("declarer") else None,
        taken=(taken[0], taken[1], taken[2], taken[3]) if taken else (0, 0, 0, 0),
        random_seed=message.random_seed,
        number=message.number or None,
        target=target,
        scores=tuple(message.scores),
    )


def _standing_bid(actions: bytes) -> Contract | None:
    """Return the highest bid of an auction: each bid is above the one before."""
    for action in reversed(actions):
        if FIRST_BID <= action <= LAST_BID:
            return Contract(action - 1)
    return None


@dataclass(frozen=True, slots=True)
class FinishedDeal:
    """A deal that is over, with everything that all may know now."""

    dealer: int
    hands: tuple[int, int, int, int]
    """The hands as dealt, masks by seat."""
    actions: bytes
    actors: bytes
    contract: Contract | None
    """The declared contract; `None` when the deal was passed out."""
    trump: Suit | None
    declarer: int | None
    taken: tuple[int, int, int, int]
    """Tricks by seat."""
    points: Points
    """Points of the deal by seat."""


def deal_to_end(deal: Deal, message: referee_pb2.TableEnd) -> None:
    """Write a finished deal into the message that ends its table.

    >>> from arena.rules.ruleset import BRANDELN
    >>> from arena.rules.deal import Deal
    >>> from arena.rules.safe import safe_action
    >>> deal = Deal(BRANDELN, 3, [127, 127 << 7, 127 << 14, 127 << 21])
    >>> while not deal.is_over:
    ...     deal.push(safe_action(deal))
    >>> message = referee_pb2.TableEnd()
    >>> deal_to_end(deal, message)
    >>> len(message.actions), len(message.hands), sum(message.tricks_taken)
    (32, 28, 7)
    """
    message.dealer = deal.dealer
    for hand in deal.hands:
        _extend(message.hands, cards_of(hand))
    _extend(message.actions, deal.actions)
    message.actors.extend(deal.actors)
    message.contract = deal.contract  # type: ignore[assignment]
    message.trump = deal.trump  # type: ignore[assignment]
    if deal.declarer >= 0:
        message.declarer = deal.declarer
    message.tricks_taken.extend(deal.taken)
    message.points.extend(deal.points or ())


def deal_from_end(message: referee_pb2.TableEnd) -> FinishedDeal | None:
    """Return the deal that a table ended with; `None` when the table is void.

    Raises `MalformedFrame` when the hands are not 28 cards or there are not four points.

    >>> deal_from_end(referee_pb2.TableEnd(is_void=True)) is None
    True
    """
    if message.is_void:
        return None
    cards, taken, points = message.hands, message.tricks_taken, message.points
    if (len(cards), len(taken), len(points)) != (28, 4, 4):
        msg = (
            "table end: expected 28 cards, 4 counts of tricks and 4 points,"
            f" got {len(cards)}, {len(taken)} and {len(points)}"
        )
        raise MalformedFrame(msg)
    return FinishedDeal(
        dealer=message.dealer,
        hands=(
            mask_of(cards[0:7]),
            mask_of(cards[7:14]),
            mask_of(cards[14:21]),
            mask_of(cards[21:28]),
        ),
        actions=bytes(message.actions),
        actors=bytes(message.actors),
        contract=Contract(message.contract) if message.contract else None,
        trump=Suit(message.trump) if message.trump else None,
        declarer=message.declarer if message.HasField("declarer") else None,
        taken=(taken[0], taken[1], taken[2], taken[3]),
        points=(points[0], points[1], points[2], points[3]),
    )


_ANSWER: Final = Struct("<BBBIBB").pack
_SHORT_VARINT: Final = 128
"""Numbers below this take one byte, and so do all 58 actions."""


def encode_answer(decision_id: int, action: int) -> bytes:
    """Return the bytes of a PlayRequest with one answer; joined, several are one request.

    By hand, since a bot does it for every decision. An id or a number that does not have the
    usual width takes the generated encoder; one over 31 bits raises `ValueError`.

    >>> encode_answer(7, 58).hex()
    '12070d07000000103a'
    """
    if 0 < action < _SHORT_VARINT and decision_id:
        # Field 2 (answers), 7 bytes long: field 1 fixed32 (the id), field 2 varint (the action).
        return _ANSWER(0x12, 7, 0x0D, decision_id, 0x10, action)
    request = referee_pb2.PlayRequest()
    answer = request.answers.add()
    answer.decision_id = decision_id
    answer.action = action  # type: ignore[assignment]
    return request.SerializeToString()
