"""The record of a world, written as a league writes it, and what is found in it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from arena.league.record import Clock, Footer, Header
from arena.league.record_lines import (
    deal_line,
    encode_line,
    event_line,
    event_of,
    header_line,
)
from arena.league.standings import Standing, standings
from arena.league.standings_fold import StandingsFold
from arena.league.verify import Verdict, verify_record
from arena.referee.values import DealResult, Event, Policy
from arena.rules.deck import commitment
from tests.league.leagues import header
from tests.sim.world import SEED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tests.sim.world import World

Entry = DealResult | Event


def header_for(
    world: World,
    play: str,
    passes: int,
    policy: Policy | None = None,
    *,
    field: Sequence[str] = (),
) -> Header:
    """Return the header of a world's record."""
    policy = policy or Policy()
    more: dict[str, Any] = {"target": None, "max_deals": None}
    if world.game.target:
        more = {"target": world.game.target, "max_deals": world.game.max_deals}
    return header(
        play,
        list(world.bots),
        passes=passes,
        field=tuple(field),
        ruleset=world.game.ruleset,
        seed_commitment=commitment(SEED),
        clock=Clock(world.clock.move_ms, world.clock.bank_ms),
        fault_points=policy.points,
        fault_crashes=policy.crashes,
        fault_share=policy.share,
        fault_after=policy.after,
        **more,
    )


def lines_of(journal: Iterable[Entry]) -> list[bytes]:
    """Return the lines of a journal, in its order."""
    return [
        deal_line(entry) if isinstance(entry, DealResult) else event_line(event_of(entry))
        for entry in journal
    ]


def write_unfinished(path: Path, of: Header, journal: Iterable[Entry]) -> None:
    """Write a record as it stands while a league runs."""
    path.write_bytes(header_line(of) + b"".join(lines_of(journal)))


def write_finished(path: Path, of: Header, journal: Iterable[Entry]) -> None:
    """Write a finished record: deals in order, then events as they came."""
    entries = list(journal)
    deals = [entry for entry in entries if isinstance(entry, DealResult)]
    deals.sort(key=lambda result: (result.board, result.leg, result.number))
    events = [entry for entry in entries if not isinstance(entry, DealResult)]
    body = header_line(of) + b"".join(lines_of(deals)) + b"".join(lines_of(events))
    digest = hashlib.sha256(body).hexdigest()
    footer = Footer(len(deals), len(events), 0, digest, SEED.hex())
    path.write_bytes(body + encode_line("footer", footer))


def verify(path: Path, of: Header, journal: list[Entry], *, finished: bool = True) -> Verdict:
    """Write a journal down, unfinished and (unless told) finished, and check both."""
    check_order(journal)
    write_unfinished(path, of, journal)
    verdict = verify_record(path, seed=SEED)
    assert verdict.ok, str(verdict.difference)
    if finished:
        write_finished(path, of, journal)
        verdict = verify_record(path)
        assert verdict.ok, str(verdict.difference)
        assert verdict.is_finished
    return verdict


def check_order(journal: Iterable[Entry]) -> None:
    """Check that each incident stands before the deals that it hits, counted from 1."""
    seen: dict[int, tuple[str, str]] = {}
    kinds = {"CRASH": "CRASHED", "DISCONNECT": "DISCONNECTED"}
    for entry in journal:
        if isinstance(entry, DealResult):
            for fault in entry.faults:
                if fault.incident:
                    name = entry.seats[fault.seat]
                    assert seen[fault.incident] == (kinds[fault.kind], name)
        elif entry.incident:
            assert entry.incident == len(seen) + 1
            seen[entry.incident] = (entry.kind.value, entry.entrant)


def rows(of: Header, journal: Iterable[Entry]) -> dict[str, Standing]:
    """Return the standings by entrant."""
    fold = StandingsFold(of)
    for entry in journal:
        if isinstance(entry, DealResult):
            fold.add_result(entry)
        else:
            fold.add_event(event_of(entry))
    return {row.name: row for row in standings([fold]).rows}
