"""A recorded deal in words and signs: hands, calls, every trick with its winner, points, faults."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from arena.errors import RecordError
from arena.printable import visible

if TYPE_CHECKING:
    from pathlib import Path

    from arena.league.record import DealLine, FaultLine
    from arena.rules.cards import Card
    from arena.rules.ruleset import Ruleset

Piece = tuple[str, str]
"""A text and its style; the letter of a suit is a style."""

_SYMBOLS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_HAND: Final = re.compile(r"[AKQJT97]{0,7}(\.[AKQJT97]{0,7}){3}")
_CALL: Final = re.compile(r"[0-3]:[A-Z_]{1,20}")
_TRICK: Final = re.compile(r"[0-3]:[CDHS][79TJQKA]( [CDHS][79TJQKA]){3}")
_SUIT_ORDER: Final = "SHDC"
"""The order of suits in a recorded hand."""
_DETAIL_SHOWN: Final = 200
"""Characters of a fault's detail that are shown; its end says most, as that of a traceback."""


def require_form(deal: DealLine, path: Path) -> None:
    """Raise `RecordError` unless a deal can be shown; whether it is right, `verify` tells."""
    seats = (deal.dealer, deal.declarer or 0, *(fault.seat for fault in deal.faults))
    for what, is_so in (
        ("dealer, declarer or a fault's seat", all(0 <= seat <= 3 for seat in seats)),
        ("hands", all(_HAND.fullmatch(hand) for hand in deal.hands)),
        ("calls", all(_CALL.fullmatch(call) for call in deal.calls)),
        ("tricks", all(_TRICK.fullmatch(trick) for trick in deal.tricks)),
        ("trump", deal.trump is None or deal.trump in _SYMBOLS),
    ):
        if not is_so:
            place = f"board {deal.board} leg {deal.leg} deal {deal.number}"
            raise RecordError(
                f"{path}: {place} cannot be shown",
                path=path,
                why=f"its {what} are not as a record has them",
                hint=f"arena verify {shlex.quote(str(path))}",
            )


def deal_lines(deal: DealLine, ruleset: Ruleset) -> list[list[Piece]]:
    """Return what is shown of a deal, line by line.

    The deal has the form of one (`require_form`); its other texts may hold anything.
    """
    return [[(visible(text), style) for text, style in line] for line in _deal_lines(deal, ruleset)]


def _deal_lines(deal: DealLine, ruleset: Ruleset) -> list[list[Piece]]:
    width = max(len(name) for name in deal.seats)
    title = f"board {deal.board}, leg {deal.leg}, deal {deal.number}"
    lines: list[list[Piece]] = [[(title, "bold"), (f"   dealer {deal.dealer}", "")]]
    lines += [
        [(f"  {seat} {name:<{width}}  ", ""), *_hand(hand)]
        for seat, (name, hand) in enumerate(zip(deal.seats, deal.hands, strict=True))
    ]
    faulty = {fault.action for fault in deal.faults}
    lines.append([("calls    ", "dim"), (_calls(deal, faulty), "")])
    lines.append([("contract ", "dim"), *_contract(deal, faulty)])
    for number, row in enumerate(trick_rows(deal, ruleset)):
        lines.append(_trick(deal, number, row, width, faulty))
    taken = " ".join(str(count) for count in deal.taken)
    points = " ".join(f"{point:+d}" if point else "0" for point in deal.points)
    lines.append([("taken    ", "dim"), (taken, ""), ("   points ", "dim"), (points, "bold")])
    lines.append([("result   ", "dim"), (_result(deal), "")])
    lines += [[("fault    ", "bold red"), (text, "")] for text in _faults(deal)]
    if faulty:
        lines.append([("         ! a safe action in the place of what came", "dim")])
    return lines


def trick_rows(deal: DealLine, ruleset: Ruleset) -> list[dict[str, Any]]:
    """Return the tricks of a deal as rows, the seats and cards in them as numbers and texts."""
    from arena.rules.cards import SUIT_LETTERS, Suit, card_from_text
    from arena.rules.view import trick_winner

    trump = Suit(SUIT_LETTERS.index(deal.trump) + 1) if deal.trump else None
    rows = []
    for number, trick in enumerate(deal.tricks, start=1):
        leader = int(trick[0])
        cards: tuple[Card, ...] = tuple(card_from_text(text) for text in trick[2:].split())
        winner = trick_winner(ruleset, trump, leader, cards)
        rows.append(
            {
                "board": deal.board,
                "leg": deal.leg,
                "number": deal.number,
                "contract": deal.contract,
                "trump": deal.trump,
                "declarer": None if deal.declarer is None else deal.seats[deal.declarer],
                "trick": number,
                "leader": deal.seats[leader],
                "leader_seat": leader,
                "cards": cards,
                "winner": deal.seats[winner],
                "winner_seat": winner,
            }
        )
    return rows


def _hand(hand: str) -> list[Piece]:
    pieces: list[Piece] = []
    for suit, ranks in zip(_SUIT_ORDER, hand.split("."), strict=True):
        pieces.append((f"{_SYMBOLS[suit]}{ranks or '–':<8}", suit))
    return pieces


def _calls(deal: DealLine, faulty: set[int]) -> str:
    spoken = []
    for index, call in enumerate(deal.calls):
        seat, _, action = call.partition(":")
        spoken.append(f"{_who(deal, int(seat))} {_word(action)}{'!' if index in faulty else ''}")
    return ", ".join(spoken)


def _contract(deal: DealLine, faulty: set[int]) -> list[Piece]:
    name = _word(deal.contract)
    if deal.declarer is None:
        return [(name, "bold")]
    trump: list[Piece] = [(f" {_SYMBOLS[deal.trump]}", deal.trump)] if deal.trump else []
    mark = "!" if len(deal.calls) in faulty else ""
    return [(name, "bold"), *trump, (f"{mark} by {_who(deal, deal.declarer)}", "")]


def _trick(
    deal: DealLine, number: int, row: Mapping[str, Any], width: int, faulty: set[int]
) -> list[Piece]:
    leader, winner = row["leader_seat"], row["winner_seat"]
    pieces: list[Piece] = [(f"  {number + 1}  {row['leader']:>{width}}({leader}) ", "")]
    first = len(deal.calls) + (deal.declarer is not None) + 4 * number
    for place, card in enumerate(row["cards"]):
        mark = "*" if (leader + place) % 4 == winner else ""
        mark += "!" if first + place in faulty else ""
        pieces.append((f" {card.symbol}{mark:<{2 if faulty else 1}}", card.suit.letter))
    style = "bold" if winner == deal.declarer else ""
    return [*pieces, (f"  {_who(deal, winner)}", style)]


def _result(deal: DealLine) -> str:
    if deal.declarer is None:
        scorers = [_who(deal, seat) for seat in range(4) if deal.points[seat]]
        return f"passed out, {' and '.join(scorers) or 'nobody'} scores"
    made = deal.points[deal.declarer] > 0
    done = "made" if made else "was set in"
    return f"{_who(deal, deal.declarer)} {done} {_word(deal.contract)}"


def _faults(deal: DealLine) -> list[str]:
    """Return a text for each fault; those of one incident, or told alike, are one."""
    groups: dict[tuple[int, str, int, str], list[FaultLine]] = {}
    for fault in deal.faults:
        incident = fault.incident or 0
        key = fault.seat, fault.kind, incident, "" if incident else fault.detail
        groups.setdefault(key, []).append(fault)
    texts = []
    for (seat, kind, incident, _), faults in groups.items():
        where = _when(deal, faults[0].action)
        if len(faults) > 1:
            where += f" to {_when(deal, faults[-1].action)} ({len(faults)} actions)"
        charged = f" (incident {incident})" if incident else ""
        detail = faults[0].detail
        if len(detail) > _DETAIL_SHOWN:
            detail = f"…{detail[1 - _DETAIL_SHOWN :]}"
        texts.append(f"{kind} by {_who(deal, seat)}, {where}{charged}: {detail}")
    return texts


def _when(deal: DealLine, action: int) -> str:
    """Return where in a deal an action is, counted as people do."""
    cards = len(deal.calls) + (deal.declarer is not None)
    if action < len(deal.calls):
        return f"call {action + 1}"
    return "declaration" if action < cards else f"trick {(action - cards) // 4 + 1}"


def _who(deal: DealLine, seat: int) -> str:
    return f"{deal.seats[seat]}({seat})"


def _word(name: str) -> str:
    return name.lower().replace("_", " ")
