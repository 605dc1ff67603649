"""`arena replay`: recorded deals in the terminal, trick by trick."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli import console, output
from arena.cli.options import Format, FormatOption
from arena.cli.text import examples
from arena.errors import ConfigError

if TYPE_CHECKING:
    from arena.league.record import DealLine
    from arena.rules.ruleset import Ruleset

EXAMPLES = examples("arena replay runs/autumn-1:12", "arena replay runs/autumn-1/deals.jsonl:12/1")

Piece = tuple[str, str]
"""A text and its style; the letter of a suit is a style."""

_SYMBOLS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_SUIT_ORDER: Final = "SHDC"
"""The order of suits in a recorded hand."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which deals of a record are meant; `None` is all."""

    record: Path
    board: int | None = None
    leg: int | None = None
    number: int | None = None


def parse_place(text: str) -> Place:
    """Return the place that `RECORD[:BOARD[/LEG[/NUMBER]]]` names; a run's folder is its record.

    Raises `ConfigError` when the part after the colon is no board.
    """
    if Path(text).exists():
        return Place(Path(text))
    path, colon, where = text.rpartition(":")
    if not colon:
        return Place(Path(text))
    found = re.fullmatch(r"(\d{1,18})(?:/(\d{1,3})(?:/(\d{1,9}))?)?", where)
    if found is None:
        raise ConfigError(
            f"expected RECORD:BOARD/LEG/NUMBER, got {text!r}",
            hint="arena replay runs/autumn-1:12/1",
        )
    board, leg, number = (int(part) if part else None for part in found.groups())
    return Place(Path(path), board, leg, number)


def replay(
    what: Annotated[
        str,
        typer.Argument(
            metavar="RECORD[:BOARD[/LEG[/NUMBER]]]", help="A record or a run's folder, and which."
        ),
    ],
    form: FormatOption = Format.TABLE,
) -> None:
    """Show recorded deals: hands, calls, every trick with its winner, points, faults."""
    from arena.league.record_reader import find_deals, read_header

    if form not in {Format.TABLE, Format.JSON}:
        raise ConfigError(f"a replay has no format {form.value}", hint="--format json")
    place = parse_place(what)
    ruleset = read_header(place.record).ruleset.rules()
    deals = find_deals(place.record, place.board, place.leg, place.number)
    if form is Format.JSON:
        import msgspec

        found = [msgspec.to_builtins(deal) for deal in deals]
        output.show_json("arena.replay/1", {"deals": found})
    else:
        found = []
        for deal in deals:
            if found:
                print()
            found = [deal]
            console.lines(deal_lines(deal, ruleset))
    if not found:
        raise ConfigError(f"{what}: the record has no such deal")


def deal_lines(deal: DealLine, ruleset: Ruleset) -> list[list[Piece]]:
    """Return what is shown of a deal, line by line."""
    width = max(len(name) for name in deal.seats)
    title = f"board {deal.board}, leg {deal.leg}, deal {deal.number}"
    lines: list[list[Piece]] = [[(title, "bold"), (f"   dealer {deal.dealer}", "")]]
    lines += [
        [(f"  {seat} {name:<{width}}  ", ""), *_hand(hand)]
        for seat, (name, hand) in enumerate(zip(deal.seats, deal.hands, strict=True))
    ]
    lines.append([("calls    ", "dim"), (_calls(deal), "")])
    lines.append([("contract ", "dim"), *_contract(deal)])
    for number, trick in enumerate(deal.tricks, start=1):
        lines.append(_trick(deal, number, trick, width, ruleset))
    taken = " ".join(str(count) for count in deal.taken)
    points = " ".join(f"{point:+d}" if point else "0" for point in deal.points)
    lines.append([("taken    ", "dim"), (taken, ""), ("   points ", "dim"), (points, "bold")])
    lines.append([("result   ", "dim"), (_result(deal), "")])
    for fault in deal.faults:
        incident = f" (incident {fault.incident})" if fault.incident else ""
        what = f"{fault.kind} by {deal.seats[fault.seat]} at action {fault.action}{incident}"
        lines.append([("fault    ", "bold red"), (f"{what}: {fault.detail}", "")])
    return lines


def _hand(hand: str) -> list[Piece]:
    pieces: list[Piece] = []
    for suit, ranks in zip(_SUIT_ORDER, hand.split("."), strict=True):
        pieces.append((f"{_SYMBOLS[suit]}{ranks or '–':<8}", suit))
    return pieces


def _calls(deal: DealLine) -> str:
    spoken = []
    for call in deal.calls:
        seat, _, action = call.partition(":")
        spoken.append(f"{deal.seats[int(seat)]}({seat}) {_word(action)}")
    return ", ".join(spoken)


def _contract(deal: DealLine) -> list[Piece]:
    name = _word(deal.contract)
    if deal.declarer is None:
        return [(name, "bold")]
    trump: list[Piece] = [(f" {_SYMBOLS[deal.trump]}", deal.trump)] if deal.trump else []
    return [(name, "bold"), *trump, (f" by {deal.seats[deal.declarer]}({deal.declarer})", "")]


def _trick(deal: DealLine, number: int, trick: str, width: int, ruleset: Ruleset) -> list[Piece]:
    from arena.rules.cards import SUIT_LETTERS, Suit, card_from_text
    from arena.rules.view import trick_winner

    leader = int(trick[0])
    cards = tuple(card_from_text(text) for text in trick[2:].split())
    trump = Suit(SUIT_LETTERS.index(deal.trump) + 1) if deal.trump else None
    winner = trick_winner(ruleset, trump, leader, cards)
    pieces: list[Piece] = [(f"  {number}  {deal.seats[leader]:>{width}}({leader}) ", "")]
    for place, card in enumerate(cards):
        mark = "*" if (leader + place) % 4 == winner else " "
        pieces.append((f" {card.symbol}{mark}", card.suit.letter))
    style = "bold" if winner == deal.declarer else ""
    return [*pieces, (f"  {deal.seats[winner]}({winner})", style)]


def _result(deal: DealLine) -> str:
    if deal.declarer is None:
        scorers = [f"{deal.seats[seat]}({seat})" for seat in range(4) if deal.points[seat]]
        return f"passed out, {' and '.join(scorers) or 'nobody'} scores"
    made = deal.points[deal.declarer] > 0
    done = "made" if made else "was set in"
    return f"{deal.seats[deal.declarer]}({deal.declarer}) {done} {_word(deal.contract)}"


def _word(name: str) -> str:
    return name.lower().replace("_", " ")
