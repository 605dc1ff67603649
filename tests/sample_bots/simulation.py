"""Deals, duels and leagues of functions, in process: no clock, no wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, stdev

from scipy.stats import t

from arena.bot import View
from arena.bot.view import action_number
from arena.rules.deal import Deal
from arena.rules.deck import board_start, bot_seed, deal_hands, league_key, parse_seed
from arena.rules.ruleset import BRANDELN, Ruleset
from arena.rules.score import Points
from arena.rules.view import view_of

Choose = Callable[[View], int]

DUEL_PAIRS = ((0, 2), (0, 1), (0, 3))
"""The seats of A's copies in the first leg, board after board (SCHEDULE, duel)."""


def play_deal(
    players: Sequence[Choose],
    dealer: int,
    hands: Sequence[int],
    seeds: Sequence[int],
    ruleset: Ruleset = BRANDELN,
) -> Deal:
    """Play a deal as a referee does: who has no choice is not asked."""
    deal = Deal(ruleset, dealer, hands)
    while not deal.is_over:
        legal = deal.legal_actions()
        seat = deal.turn
        if len(legal) == 1:
            deal.apply_action(legal[0])
        else:
            view = View.of(view_of(deal, seat, random_seed=seeds[seat]))
            deal.apply_action(action_number(players[seat](view)), seat)
    return deal


def starts(seed: str, boards: int) -> Iterator[tuple[int, tuple[int, ...], list[int]]]:
    """Yield the dealer, the hands and the bot seeds of each board."""
    key = league_key(parse_seed(seed))
    for board in range(1, boards + 1):
        cards, dealer = board_start(key, board)
        seeds = [bot_seed(key, board, 1, seat) for seat in range(4)]
        yield dealer, deal_hands(cards, dealer), seeds


def net(points: Points, seat: int) -> float:
    """Return own points less the mean of the other three (STATISTICS, Score)."""
    return points[seat] - (sum(points) - points[seat]) / 3


def play_league(bots: Sequence[Choose], boards: int, seed: str) -> list[list[float]]:
    """Return each of four entrants' net by board: the mean over four legs, each in every seat."""
    nets: list[list[float]] = [[], [], [], []]
    for dealer, hands, seeds in starts(seed, boards):
        totals = [0.0] * 4
        for leg in range(4):
            seats = [bots[(seat - leg) % 4] for seat in range(4)]
            points = play_deal(seats, dealer, hands, seeds).points
            assert points is not None
            for entrant in range(4):
                totals[entrant] += net(points, (entrant + leg) % 4)
        for entrant in range(4):
            nets[entrant].append(totals[entrant] / 4)
    return nets


def play_duel(a: Choose, b: Choose, boards: int, seed: str) -> list[float]:
    """Return the differences of the boards, over both legs and a quarter of them (SCHEDULE)."""
    differences = []
    for index, (dealer, hands, seeds) in enumerate(starts(seed, boards)):
        pair = DUEL_PAIRS[index % 3]
        total = 0
        for leg in range(2):
            is_a = [(seat in pair) == (leg == 0) for seat in range(4)]
            points = play_deal([a if a_here else b for a_here in is_a], dealer, hands, seeds).points
            assert points is not None
            total += sum(p if a_here else -p for p, a_here in zip(points, is_a, strict=True))
        differences.append(total / 4)
    return differences


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % t interval of the mean."""
    half = float(t.ppf(0.975, len(values) - 1)) * stdev(values) / len(values) ** 0.5
    return fmean(values) - half, fmean(values) + half
