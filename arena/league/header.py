"""The first line of a record, from a league that is about to be played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.league.lock import config_sha256
from arena.league.record import FORMAT, Clock, Entrant, Header, RulesetKnobs
from arena.league.schedule import Play
from arena.printable import printable
from arena.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.league.config import League


def header_of(league: League, seed_commitment: str, hello_versions: Mapping[str, str]) -> Header:
    """Return the header of a league's record.

    `hello_versions` are what bots said of their versions; a `bot.toml` prevails (RECORD).
    """
    is_games = league.play is Play.POINTS
    return Header(
        format=FORMAT,
        producer=f"arena {__version__}",
        league=league.name,
        play=str(league.play),
        ruleset=RulesetKnobs.of(league.ruleset),
        clock=Clock(league.clock.move_ms, league.clock.bank_ms),
        fault_points=league.faults.points,
        fault_crashes=league.faults.crashes,
        fault_share=league.faults.share,
        fault_after=league.faults.after,
        isolation=league.isolation,
        sandbox=league.sandbox,
        passes=league.passes,
        seed_commitment=seed_commitment,
        public=league.public,
        config_sha256=config_sha256(league),
        entrants=tuple(
            Entrant(
                name=bot.name,
                version=bot.version or printable(hello_versions.get(bot.name, "")),
                digest=bot.digest,
                command=bot.shown,
                house=bot is league.house,
            )
            for bot in league.entrants
        ),
        target=league.target if is_games else None,
        max_deals=league.max_deals if is_games else None,
        field=league.field,
    )
