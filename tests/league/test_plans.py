"""The boards that the referee is given are those that a record is checked against."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from arena.league.legs import DoneLegs
from arena.league.plans import board_plans
from arena.league.record_reader import read_record
from arena.league.schedule import Play
from arena.rules.deck import league_key, leg_order

RECORDS = sorted((Path(__file__).parent.parent / "vectors" / "records").glob("*.jsonl"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_plans_are_what_was_recorded_in_every_kind_of_play(path: Path) -> None:
    record = read_record(path)
    header, footer = record.header, record.footer
    assert footer is not None
    key = league_key(bytes.fromhex(footer.seed), header.public)
    names = [entrant.name for entrant in header.entrants if not entrant.house]
    deals = list(record.deals)
    last = deals[-1].board
    planned = [
        (plan.board, leg.leg, leg.seats)
        for plan in board_plans(
            Play(header.play), names, key, field=header.field, passes=header.passes
        )
        for leg in plan.legs
        if plan.board <= last
    ]
    recorded = [key for key, _ in groupby((deal.board, deal.leg, deal.seats) for deal in deals)]
    assert sorted(planned) == recorded


def test_legs_are_planned_in_playing_order_without_those_that_are_done() -> None:
    key = league_key(bytes(32))
    done = DoneLegs()
    for leg in (0, 2):
        done.add(1, leg)
    for leg in range(4):
        done.add(2, leg)
    plans = list(board_plans(Play.BOARDS, list("abcd"), key, passes=3, done=done))
    assert [plan.board for plan in plans] == [1, 3]
    assert [leg.leg for leg in plans[0].legs] == [
        leg for leg in leg_order(key, 1, 4) if leg not in (0, 2)
    ]
