"""Checking one recorded deal against the rules and against what faults say (RECORD, FAULTS)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.errors import IllegalAction
from arena.league.record import (
    DETAIL_LENGTH,
    FAULT_KINDS,
    INCIDENT_OF_FAULT,
    PASSED_OUT,
    PLAYED,
    DealLine,
    FaultLine,
)
from arena.league.verify_values import DiffersError, expect, require
from arena.rules.actions import ACTION_TEXTS, DECLARATIONS, Contract, Phase, action_from_text
from arena.rules.cards import SUIT_LETTERS, hand_from_pbn
from arena.rules.deal import Deal, is_whole_deck
from arena.rules.safe import safe_action

if TYPE_CHECKING:
    from collections.abc import Collection

    from arena.rules.ruleset import Ruleset

_LIMIT: Final = 2**32 - 1
"""The largest number that a record's whole numbers can say."""
_SEATS: Final = {"0": 0, "1": 1, "2": 2, "3": 3}


def check_ranges(deal: DealLine) -> None:
    """Raise `DiffersError` when a number or text of a deal is out of its range."""
    require("board", "1 or more", deal.board, holds=1 <= deal.board <= _LIMIT)
    require("number", "1 or more", deal.number, holds=1 <= deal.number <= _LIMIT)
    require("dealer", "a seat, 0 to 3", deal.dealer, holds=0 <= deal.dealer <= 3)
    expect("end", PLAYED, deal.end)
    for what, times in (("think_us", deal.think_us), ("slowest_us", deal.slowest_us)):
        require(what, "microseconds", times, holds=all(0 <= time <= _LIMIT for time in times))
    for longest, total in zip(deal.slowest_us, deal.think_us, strict=True):
        require("slowest_us", "at most think_us", deal.slowest_us, holds=longest <= total)


def hands_of(deal: DealLine) -> tuple[int, ...]:
    """Return the four hands as masks. Raises `DiffersError` when they are no dealt deck."""
    masks = []
    for seat, text in enumerate(deal.hands):
        try:
            masks.append(hand_from_pbn(text))
        except ValueError as error:
            what = f"hand of seat {seat}"
            raise DiffersError(what, "the form AKJ.9.T7.Q, ranks high to low", text) from error
    whole = is_whole_deck(masks)
    require("hands", "the whole deck, seven cards each", deal.hands, holds=whole)
    return tuple(masks)


def replay(deal: DealLine, ruleset: Ruleset) -> Deal:
    """Return a recorded deal, played again under the rules.

    Raises `DiffersError` at the first call, declaration, leader or card that is not in turn or
    not legal, or when declarer, contract, tricks taken or points are not what follows.
    """
    game = Deal(ruleset, deal.dealer, hands_of(deal))
    _replay_calls(deal, game)
    _replay_declaration(deal, game)
    _replay_tricks(deal, game)
    expect("taken", tuple(game.taken), deal.taken)
    expect("points", game.points, deal.points)
    return game


def _replay_calls(deal: DealLine, game: Deal) -> None:
    for place, text in enumerate(deal.calls):
        if game.phase != Phase.AUCTION:
            raise DiffersError("calls", f"{place}, which end the auction", len(deal.calls))
        seat, _, word = text.partition(":")
        what = f"call {place + 1}"
        try:
            action = action_from_text(word, Phase.AUCTION)
        except ValueError as error:
            raise DiffersError(what, "a seat and its call, such as 2:PASS", text) from error
        if seat not in _SEATS:
            raise DiffersError(what, "a seat and its call, such as 2:PASS", text)
        _apply(game, action, what, text, seat=_SEATS[seat])
    if game.phase == Phase.AUCTION:
        raise DiffersError("calls", f"another, by seat {game.turn}", f"{len(deal.calls)} in all")


def _replay_declaration(deal: DealLine, game: Deal) -> None:
    if game.phase != Phase.DECLARATION:
        expect("contract", PASSED_OUT, deal.contract)
        expect("declarer", None, deal.declarer)
        expect("trump", None, deal.trump)
        return
    expect("declarer", game.turn, deal.declarer)
    if deal.contract not in Contract.__members__:
        raise DiffersError("contract", "the name of a contract", deal.contract)
    contract = Contract[deal.contract]
    if contract.has_trump:
        suit = deal.trump or ""
        is_suit = len(suit) == 1 and suit in SUIT_LETTERS
        require("trump", "a suit, C D H or S", deal.trump, holds=is_suit)
        trump = SUIT_LETTERS.index(suit) + 1
    else:
        expect("trump", None, deal.trump)
        trump = 0
    action = DECLARATIONS[int(contract), trump]
    _apply(game, action, "contract", ACTION_TEXTS[action])


def _replay_tricks(deal: DealLine, game: Deal) -> None:
    expect("number of tricks", 7, len(deal.tricks))
    for place, text in enumerate(deal.tricks):
        what = f"trick {place + 1}"
        leader, _, cards = text.partition(":")
        words = cards.split(" ")
        if leader not in _SEATS or len(words) != 4:
            raise DiffersError(what, "a leader and four cards, such as 0:SA S9 H7 ST", text)
        expect(f"leader of {what}", game.turn, _SEATS[leader])
        for word in words:
            try:
                action = action_from_text(word, Phase.PLAY)
            except ValueError as error:
                raise DiffersError(what, "a card such as SA", word) from error
            _apply(game, action, f"{what}, seat {game.turn}", word)


def _apply(game: Deal, action: int, what: str, text: str, seat: int | None = None) -> None:
    """Play a recorded action. Raises `DiffersError` when it is illegal."""
    try:
        game.apply_action(action, seat)
    except IllegalAction as error:
        legal = " ".join(ACTION_TEXTS[number] for number in game.legal_actions())
        expected = f"seat {game.turn} to act with one of {legal}"
        raise DiffersError(what, expected, f"{text} ({error.reason.value})") from error


# --- faults -------------------------------------------------------------------------------------


class _Retold:
    """A deal told again, action by action: who acted, had he a choice, was it the safe one."""

    __slots__ = ("actors", "is_choice", "is_safe", "texts")

    def __init__(self, game: Deal) -> None:
        self.actors = bytes(game.actors)
        self.texts = [ACTION_TEXTS[action] for action in game.actions]
        self.is_choice: list[bool] = []
        self.is_safe: list[bool] = []
        again = Deal(game.ruleset, game.dealer, game.hands)
        for action in game.actions:
            self.is_choice.append(again.legal.bit_count() > 1)
            self.is_safe.append(action == safe_action(again))
            again.push(action)


def check_faults(deal: DealLine, game: Deal, benched: Collection[int]) -> None:
    """Raise `DiffersError` when the faults of a deal do not fit its actions.

    `benched` are the seats that were benched or withdrawn before the deal's board began.
    """
    if not deal.faults and not benched:
        return
    retold = _Retold(game)
    autopilot: dict[int, tuple[int, str]] = {}
    timeouts = [0, 0, 0, 0]
    places: set[int] = set()
    for fault in sorted(deal.faults, key=lambda one: one.action):
        _check_fault(fault, retold)
        if fault.action in places:
            raise DiffersError("faults", "one for an action", f"two for action {fault.action}")
        places.add(fault.action)
        if fault.seat in autopilot:
            since, why = autopilot[fault.seat]
            expected = f"none of seat {fault.seat} after its {why} at action {since}"
            raise DiffersError("faults", expected, f"{fault.kind} at action {fault.action}")
        timeouts[fault.seat] += fault.kind == "TIMEOUT"
        if fault.kind in INCIDENT_OF_FAULT:
            autopilot[fault.seat] = fault.action, fault.kind
        elif timeouts[fault.seat] == 2:
            autopilot[fault.seat] = fault.action, "second TIMEOUT"
    for seat in benched:
        if any(fault.seat == seat for fault in deal.faults):
            raise DiffersError("faults", f"none of seat {seat}, which is benched", "one")
        autopilot[seat] = -1, "bench"
    _check_autopilot(retold, autopilot)


def _check_fault(fault: FaultLine, retold: _Retold) -> None:
    """Raise `DiffersError` when a fault is not at a real choice that became a safe action."""
    require("fault, kind", " ".join(FAULT_KINDS), fault.kind, holds=fault.kind in FAULT_KINDS)
    if fault.kind in INCIDENT_OF_FAULT:
        require(
            "fault, incident",
            f"a number from 1 with {fault.kind}",
            fault.incident,
            holds=fault.incident is not None and fault.incident >= 1,
        )
    else:
        expect(f"fault, incident with {fault.kind}", None, fault.incident)
    length = len(fault.detail)
    require("fault, detail", f"at most {DETAIL_LENGTH} characters", length, holds=length <= 500)
    last = len(retold.actors) - 1
    action = fault.action
    require("fault, action", f"an index from 0 to {last}", action, holds=0 <= action <= last)
    expect(f"fault, seat that acts at action {action}", retold.actors[action], fault.seat)
    if not retold.is_choice[action]:
        raise DiffersError(f"fault, action {action}", "a real choice", "the only legal action")
    if not retold.is_safe[action]:
        raise DiffersError(f"fault, action {action}", "the safe action", retold.texts[action])


def _check_autopilot(retold: _Retold, autopilot: dict[int, tuple[int, str]]) -> None:
    """Raise `DiffersError` when a seat on autopilot plays anything but safe actions."""
    for action, seat in enumerate(retold.actors):
        if seat in autopilot and not retold.is_safe[action]:
            since, why = autopilot[seat]
            if action > since:
                where = f"action {action}, seat {seat} after its {why}"
                raise DiffersError(where, "the safe action", retold.texts[action])
