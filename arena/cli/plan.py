"""What a league would play: `league run --dry-run`."""

from __future__ import annotations

import math
import shlex
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from arena.cli import output
from arena.cli.options import Format

if TYPE_CHECKING:
    from arena.league.config import League

_RATES: Final = ((1, 150.0), (32, 1500.0), (256, 5000.0))
"""Deals/s with bots that answer at once, by boards in progress. Source: `arena bench league`."""
_DEALS_A_GAME: Final = 40
"""What a game to 20 points takes, about."""


def show(league: League, form: Format) -> None:
    """Print boards, deals, boards per entrant, meetings per pair and the estimated time."""
    from arena.league.schedule import coverage
    from arena.rules.deck import league_key

    names = [bot.name for bot in league.bots]
    # The seed decides who meets whom, not how often: any key will do.
    cover = coverage(
        league.play, names, league_key(bytes(32)), field=league.field, passes=league.passes
    )
    is_games = league.play == "points"
    deals = cover.legs * _DEALS_A_GAME if is_games else cover.legs
    each = cover.boards_per_entrant.values()
    seconds = deals / _rate(min(league.tables, cover.boards))
    facts: dict[str, Any] = {
        "league": league.name,
        "play": str(league.play),
        "entrants": len(league.entrants),
        "passes": league.passes,
        "boards": cover.boards,
        "games" if is_games else "deals": cover.legs,
        "boards_per_entrant": _span(min(each), max(each)),
        "meetings_per_pair": _span(cover.meetings_min, cover.meetings_max),
        "estimated_seconds": math.ceil(seconds),
    }
    rows = [{"key": key, "value": value} for key, value in facts.items()]
    rows += [
        {"key": f"bot {bot.name}", "value": "dials in" if bot.joins else shlex.join(bot.argv)}
        for bot in league.entrants
    ]
    notes = ["The time is for bots that answer at once on two idle cores; slower bots take longer."]
    if league.house:
        notes.append(f"{league.house.name} is the fourth at the table of three; it is not ranked.")
    if form is Format.JSON:
        programs = {bot.name: list(bot.argv) for bot in league.entrants}
        output.show_json("arena.plan/1", {**facts, "bots": programs})
        return
    columns = [
        output.Column("key", "what", lambda key: str(key).replace("_", " ")),
        output.Column("value", "value", _text),
    ]
    output.show(output.Listing("arena.plan/1", columns, rows, {}, notes=notes), form)


def _rate(tables: int) -> float:
    """Return the deals/s to expect, between the points measured."""
    best = _RATES[0][1]
    for (low, rate), (high, faster) in pairwise(_RATES):
        if tables >= low:
            share = min((tables - low) / (high - low), 1.0)
            best = rate + share * (faster - rate)
    return best


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _text(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
