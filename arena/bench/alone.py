"""What runs in one process: the rules alone, the line of a deal, and the reading of records."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from arena.bench.positions import play_randomly
from arena.league.header import header_of
from arena.league.match import match_league
from arena.league.plans import board_plans
from arena.league.record_lines import deal_line, header_line
from arena.league.standings import read_standings
from arena.referee.values import DealResult
from arena.rules.deal import Deal
from arena.rules.deck import board_start, bot_seed, commitment, deal_hands, league_key
from arena.rules.ruleset import BRANDELN
from arena.shipped import sample_bots

if TYPE_CHECKING:
    from pathlib import Path

_SEED: Final = bytes(32)
_TIMES: Final = [1, 2, 3, 4]


def rules(deals: int) -> dict[str, float]:
    """Deal from the seed, play at random and score; return deals/s and decisions a deal."""
    key = league_key(_SEED)
    start = time.perf_counter()
    asked = 0
    for board in range(1, deals + 1):
        cards, dealer = board_start(key, board)
        seeds = [board, board * 7, board * 31, board * 101]
        asked += play_randomly(Deal(BRANDELN, dealer, deal_hands(cards, dealer)), seeds)
    seconds = time.perf_counter() - start
    return {"deals_per_s": deals / seconds, "decisions_per_deal": asked / deals}


def lines(deals: int) -> dict[str, float]:
    """Write the lines of some deals; return the time for one in us."""
    results = _results(deals)
    start = time.perf_counter()
    for result in results:
        deal_line(result)
    return {"line_us": (time.perf_counter() - start) / deals * 1e6}


def write_record(path: Path, deals: int) -> None:
    """Write an unfinished record of so many deals, four a board, of random play."""
    league = match_league(
        ["random"] * 4,
        [f"league.boards={deals // 4}", "league.seed=bench"],
        base=path.parent,
        samples=sample_bots(),
    )
    key = league_key(_SEED)
    with path.open("wb") as file:
        file.write(header_line(header_of(league, commitment(_SEED), {})))
        names = [bot.name for bot in league.bots]
        for plan in board_plans(league.play, names, key, passes=league.passes):
            results = _results(1, plan.board)
            for leg in plan.legs:
                results[0].leg, results[0].seats = leg.leg, leg.seats
                file.write(deal_line(results[0]))


def reading(path: Path) -> dict[str, float]:
    """Read a record and compute its standings; return the seconds."""
    start = time.perf_counter()
    deals = sum(row.deals for row in read_standings([path]).rows) // 4
    return {"read_s": time.perf_counter() - start, "deals": deals}


def _results(deals: int, first: int = 1) -> list[DealResult]:
    key = league_key(_SEED)
    results = []
    for board in range(first, first + deals):
        cards, dealer = board_start(key, board)
        deal = Deal(BRANDELN, dealer, deal_hands(cards, dealer))
        play_randomly(deal, [bot_seed(key, board, 1, seat) for seat in range(4)])
        seats = ("random", "random-2", "random-3", "random-4")
        results.append(DealResult(board, 0, 1, seats, deal, _TIMES, _TIMES, []))
    return results
