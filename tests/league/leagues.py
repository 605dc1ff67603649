"""Whole leagues played by chance, as the referee would hand them over: material for the tests."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from arena.league import schedule
from arena.league.record import FORMAT, Clock, Entrant, EventLine, Footer, Header, RulesetKnobs
from arena.league.record_lines import deal_line, encode_line, event_line, header_line
from arena.rules.deal import Deal
from arena.rules.deck import board_start, commitment, deal_hands, deck, league_key, parse_seed
from arena.rules.ruleset import BRANDELN, Ruleset
from arena.rules.safe import safe_action

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SEED = parse_seed("a league of chance")


@dataclass
class PlayedFault:
    seat: int
    action: int
    kind: str
    detail: str
    incident: int = 0


@dataclass
class Played:
    """A finished deal in the shape of `referee.DealResult`."""

    board: int
    leg: int
    number: int
    seats: tuple[str, str, str, str]
    deal: Deal
    think_us: list[int] = field(default_factory=lambda: [40, 30, 20, 10])
    slowest_us: list[int] = field(default_factory=lambda: [4, 3, 2, 1])
    faults: list[PlayedFault] = field(default_factory=list)


def header(
    play: str = "boards",
    names: Sequence[str] = ("ada", "bob", "cyd", "dan"),
    *,
    passes: int = 3,
    ruleset: Ruleset = BRANDELN,
    **more: Any,
) -> Header:
    values: dict[str, Any] = {
        "format": FORMAT,
        "producer": "arena tests",
        "league": "chance",
        "play": play,
        "ruleset": RulesetKnobs.of(ruleset),
        "clock": Clock(1000, 2000),
        "fault_points": 1,
        "fault_crashes": 3,
        "fault_share": 0.1,
        "fault_after": 20,
        "isolation": "none",
        "sandbox": "rlimits",
        "passes": passes,
        "seed_commitment": commitment(SEED),
        "public": "",
        "config_sha256": "0" * 64,
        "entrants": tuple(
            Entrant(name, "1", "ab" * 32, f"python {name}.py", name == schedule.HOUSE)
            for name in names
        ),
        "target": 5 if play == "points" else None,
        "max_deals": 12 if play == "points" else None,
    }
    return Header(**(values | more))


def play_deal(
    ruleset: Ruleset,
    dealer: int,
    hands: Sequence[int],
    chance: random.Random,
    *,
    bold: float = 0.3,
    safe_seats: Sequence[int] = (),
) -> Deal:
    """Play a deal to its end by chance; `bold` is how readily seats bid."""
    deal = Deal(ruleset, dealer, hands)
    while deal.turn >= 0:
        legal = deal.legal_actions()
        if deal.turn in safe_seats:
            deal.push(safe_action(deal))
        elif legal[0] == 1 and chance.random() > bold:
            deal.push(1)
        else:
            deal.push(chance.choice(legal))
    return deal


def league(
    of: Header, *, seed: bytes = SEED, safe: Callable[[int, str], bool] = lambda _b, _n: False
) -> Iterator[Played]:
    """Yield all deals of a league in order; `safe(board, name)` says who plays safe actions."""
    key = league_key(seed, of.public)
    ruleset = of.ruleset.rules()
    boards = schedule.boards(of.play, of.names, key, field=of.field, passes=of.passes)
    for board in boards:
        for leg, seats in zip(board.legs, board.seats, strict=True):
            chance = random.Random(f"{board.number} {leg}")
            calm = [seat for seat in range(4) if safe(board.number, seats[seat])]
            for number, deal in _leg(of, key, ruleset, board.number, chance, calm):
                yield Played(board.number, leg, number, seats, deal)


def _leg(
    of: Header,
    key: bytes,
    ruleset: Ruleset,
    board: int,
    chance: random.Random,
    calm: Sequence[int],
) -> Iterator[tuple[int, Deal]]:
    _, first_dealer = board_start(key, board)
    totals = [0, 0, 0, 0]
    number = 0
    while True:
        number += 1
        dealer = (first_dealer + number - 1) % 4
        hands = deal_hands(deck(key, board, number), dealer)
        deal = play_deal(ruleset, dealer, hands, chance, safe_seats=calm)
        yield number, deal
        totals = [total + won for total, won in zip(totals, deal.points or (), strict=True)]
        if of.target is None or max(totals) >= of.target or number == of.max_deals:
            return


def record_bytes(
    of: Header, deals: Sequence[Played] | None = None, events: Sequence[EventLine] = ()
) -> bytes:
    """Return a finished record, in order."""
    played = list(league(of)) if deals is None else deals
    body = header_line(of)
    body += b"".join(map(deal_line, played))
    body += b"".join(map(event_line, events))
    return body + encode_line(
        "footer",
        Footer(len(played), len(events), 900, hashlib.sha256(body).hexdigest(), SEED.hex()),
    )
