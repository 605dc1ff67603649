"""Standings are a pure fold over records and agree with an independent computation."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ConfigError, RecordError
from arena.league.record import EventLine, Header
from arena.league.record_lines import deal_line, event_line, header_line
from arena.league.record_reader import read_record
from arena.league.standings import (
    Standing,
    Standings,
    leaders,
    read_fold,
    read_standings,
    standings,
)
from arena.league.standings_fold import UNIT, StandingsFold
from arena.rules.ruleset import Ruleset
from tests.league.edits import RECORDS, VECTORS
from tests.league.leagues import PlayedFault, header, league, record_bytes

RATINGS: list[dict[str, Any]] = json.loads((VECTORS / "ratings.json").read_text())
ALL = sorted(RECORDS.glob("*.jsonl"))


def by_name(table: Standings) -> dict[str, Standing]:
    return {row.name: row for row in table.rows}


def folded(of: Header) -> StandingsFold:
    fold = StandingsFold(of)
    for deal in league(of):
        fold.add_result(deal)
    return fold


@pytest.mark.parametrize("case", RATINGS, ids=lambda case: Path(case["record"]).stem)
def test_net_agrees_with_the_vectors(case: dict[str, Any]) -> None:
    table = read_standings([VECTORS / case["record"]])
    assert table.boards == case["boards"]
    rows = by_name(table)
    for entrant in case["entrants"]:
        assert rows[entrant["name"]].net == pytest.approx(entrant["net_per_100"], abs=5e-5)


def expected_nets(path: Path) -> dict[str, list[Fraction]]:
    """Compute the nets of all boards the long way, from the words of STATISTICS."""
    record = read_record(path)
    legs: dict[tuple[int, int], list[Any]] = {}
    for deal in record.deals:
        legs.setdefault((deal.board, deal.leg), []).append(deal)
    boards: dict[int, list[dict[str, Fraction]]] = {}
    for (board, _), deals in legs.items():
        points = [Fraction(sum(deal.points[seat] for deal in deals)) for seat in range(4)]
        if record.header.play == "points":
            points = [
                Fraction(sum(p > q for q in points) - sum(p < q for q in points), 3) for p in points
            ]
        net: dict[str, Fraction] = {}
        if record.header.play == "duel":
            names = record.header.names
            mine = sum(
                (p if name == names[0] else -p)
                for p, name in zip(points, deals[0].seats, strict=True)
            )
            # x is over both legs, so a leg counts twice its share in the mean of two.
            net = {names[0]: Fraction(mine) / 2, names[1]: -Fraction(mine) / 2}
        else:
            for seat, name in enumerate(deals[0].seats):
                others = [points[other] for other in range(4) if other != seat]
                net[name] = points[seat] - sum(others, Fraction()) / 3
        boards.setdefault(board, []).append(net)
    found: dict[str, list[Fraction]] = {}
    for nets in boards.values():
        for name in {name for net in nets for name in net}:
            mine_there = [net[name] for net in nets if name in net]
            found.setdefault(name, []).append(sum(mine_there, Fraction()) / len(mine_there))
    return found


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_net_and_interval_are_the_mean_and_t_interval_over_boards(path: Path) -> None:
    from scipy import stats

    rows = by_name(read_standings([path]))
    for name, nets in expected_nets(path).items():
        values = [100 * float(net) for net in nets]
        row = rows[name]
        mean = sum(values) / len(values)
        assert row.boards == len(values)
        assert row.net == pytest.approx(mean, abs=1e-9)
        if len(values) < 3:
            assert row.interval is None
            continue
        half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
        assert row.interval is not None
        assert row.interval.low == pytest.approx(mean - half, abs=1e-9)
        assert row.interval.high == pytest.approx(mean + half, abs=1e-9)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_the_order_of_lines_does_not_matter(path: Path, tmp_path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    middle = lines[1:-1]
    random.Random(7).shuffle(middle)
    shuffled = tmp_path / "deals.jsonl"
    shuffled.write_bytes(b"".join([lines[0], *middle, lines[-1]]))
    assert read_standings([shuffled]) == read_standings([path])


@pytest.mark.parametrize("play", ["boards", "points", "independent"])
def test_nets_of_a_board_add_up_to_zero(play: str) -> None:
    fold = folded(header(play, ["a", "b", "c", "d", "e"], passes=2))
    assert fold.boards == 10
    assert sum(account.net for account in fold.accounts.values()) == 0


def test_a_live_fold_gives_what_reading_gives(tmp_path: Path) -> None:
    of = header("points", ["a", "b", "c", "d", "e"], passes=2)
    path = tmp_path / "deals.jsonl"
    path.write_bytes(record_bytes(of))
    live = folded(of)
    live.is_finished = True
    assert standings([live]) == read_standings([path])
    assert leaders(live, 2) == read_standings([path]).rows[:2]


def test_a_board_that_lacks_a_leg_counts_nowhere(tmp_path: Path) -> None:
    of = header(passes=4)
    deals = list(league(of))
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(header_line(of) + b"".join(map(deal_line, deals[:12])))
    more = tmp_path / "more.jsonl"
    more.write_bytes(header_line(of) + b"".join(map(deal_line, deals[:15])))
    assert read_standings([whole]) == read_standings([more])
    assert read_standings([more]).is_provisional
    assert read_standings([more]).deals == 12


def test_a_game_that_has_not_ended_counts_nowhere() -> None:
    of = header("points", passes=1)
    fold = StandingsFold(of)
    deals = list(league(of))
    for deal in deals[:-1]:
        fold.add_result(deal)
    assert (fold.boards, fold.counted_deals) == (0, 0)
    fold.add_result(deals[-1])
    assert (fold.boards, fold.counted_deals) == (1, len(deals))


def test_penalties_are_once_an_incident_and_once_a_deal_with_other_faults() -> None:
    table = read_standings([RECORDS / "boards4.jsonl"])
    rows = by_name(table)
    # ada: an ILLEGAL and an incident; bob: two TIMEOUTs in one deal; dan: four crashes.
    assert {name: row.penalties for name, row in rows.items()} == {
        "ada": 2,
        "bob": 1,
        "cyd": 2,
        "dan": 4,
    }
    dan = rows["dan"]
    assert dan.is_benched
    assert dan.incidents["CRASHED"] == 4
    assert dan.net is not None
    assert dan.score == pytest.approx(dan.net - 100 * 4 / 48)
    assert rows["bob"].faults["TIMEOUT"] == 2


def test_an_incident_that_hits_many_deals_is_charged_once() -> None:
    of = header(passes=3, fault_points=5)
    fold = StandingsFold(of)
    fold.add_event(EventLine(kind="CRASHED", incident=1, entrant="ada"))
    fold.add_event(EventLine(kind="PROTOCOL", incident=2, entrant="bob"))
    fold.add_event(EventLine(kind="WITHDRAWN", entrant="cyd", board=3))
    for place, deal in enumerate(league(of)):
        if place < 3:
            deal.faults.append(PlayedFault(deal.seats.index("ada"), 0, "CRASH", "", 1))
        fold.add_result(deal)
    rows = by_name(standings([fold]))
    assert rows["ada"].penalties == 5
    assert rows["ada"].faults["CRASH"] == 3
    assert rows["bob"].penalties == 5
    assert rows["cyd"].is_withdrawn
    assert rows["dan"].penalties == 0


def test_counts_of_contracts_and_times() -> None:
    of = header(passes=5)
    rows = by_name(standings([folded(of)]))
    declared = dict.fromkeys(of.names, 0)
    made = dict.fromkeys(of.names, 0)
    points = dict.fromkeys(of.names, 0)
    for deal in league(of):
        won = deal.deal.points
        assert won is not None
        for seat, name in enumerate(deal.seats):
            points[name] += won[seat]
        if deal.deal.declarer >= 0:
            name = deal.seats[deal.deal.declarer]
            declared[name] += 1
            made[name] += won[deal.deal.declarer] > 0
    for name, row in rows.items():
        assert (row.declared, row.made) == (declared[name], made[name])
        assert row.failed == declared[name] - made[name]
        assert row.points_per_deal == points[name] / 20
        assert (row.deals, row.legs, row.boards) == (20, 20, 5)
        # 40, 30, 20 and 10 us by seat, and everybody sits in each seat equally often.
        assert row.think_ms_per_deal == pytest.approx(0.025)
        assert row.slowest_ms == 0.004


def test_a_house_bot_is_outside_the_ranking() -> None:
    table = read_standings([RECORDS / "boards3.jsonl"])
    house = by_name(table)["house"]
    assert house.is_house
    assert house.rank is None
    assert house.net is not None
    assert [row.rank for row in table.rows if not row.is_house] == [1, 2, 3]


def test_equal_scores_share_the_rank() -> None:
    table = read_standings([RECORDS / "rules.jsonl"])
    assert [(row.rank, row.name) for row in table.rows] == [
        (1, "dan"),
        (2, "ada"),
        (2, "bob"),
        (4, "cyd"),
    ]


def test_a_duel_shows_x_for_a_and_minus_x_for_b() -> None:
    rows = by_name(read_standings([RECORDS / "duel.jsonl"]))
    assert rows["new"].net == -(rows["old"].net or 0)
    assert rows["new"].deals == 24
    assert rows["new"].boards == 12


def test_nothing_played_yet_is_dashes_and_never_a_nan() -> None:
    table = standings([StandingsFold(header())])
    assert table.is_provisional
    for row in table.rows:
        nothing = (row.rank, row.score, row.net, row.points_per_deal, row.think_ms_per_deal)
        assert nothing == (None, None, None, None, None)
        assert row.interval is None
    json.dumps(table.to_json_dict(), allow_nan=False)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_json_is_plain_finite_and_names_its_schema(path: Path) -> None:
    table = read_standings([path])
    plain = table.to_json_dict()
    assert plain["schema"] == "arena.standings/1"
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["per"] == ("100 games" if path.stem == "points" else "100 deals")
    for row in plain["standings"]:
        for value in row.values():
            assert not isinstance(value, float) or math.isfinite(value)
    columns, rows = table.to_rows()
    assert len(rows) == len(table.rows)
    assert all(len(row) == len(columns) for row in rows)
    assert "faults_timeout" in columns


def test_two_boards_have_no_interval(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    path.write_bytes(record_bytes(header(passes=2)))
    assert all(row.interval is None for row in read_standings([path]).rows)
    path.write_bytes(record_bytes(header(passes=3)))
    assert all(row.interval is not None for row in read_standings([path]).rows)


@pytest.mark.parametrize("boards, shown", [(3, False), (29, False), (30, True)])
def test_equal_boards_have_an_interval_only_when_they_are_many(boards: int, shown: bool) -> None:
    fold = StandingsFold(header())
    for account in fold.accounts.values():
        account.boards = account.legs = account.deals = account.seat_deals = boards
        account.net = UNIT * boards
        account.net_squares = UNIT * UNIT * boards
    for row in standings([fold]).rows:
        assert row.net == 100
        assert (row.interval is not None) is shown
        if row.interval:
            assert row.interval.low == pytest.approx(100) == row.interval.high


def test_deals_of_boards_that_lack_a_leg_are_counted_apart() -> None:
    assert standings([folded(header())]).waiting == 0
    begun = StandingsFold(header())
    for deal in list(league(header()))[:6]:
        begun.add_result(deal)
    table = standings([begun])
    assert (table.deals, table.waiting) == (4, 2)


# --- several records ----------------------------------------------------------------------------


def test_records_combine_by_name_and_digest() -> None:
    one, other = RECORDS / "boards5.jsonl", RECORDS / "gauntlet.jsonl"
    table = read_standings([one, other])
    assert table.is_combined
    assert table.boards == 20 + 8
    rows = by_name(table)
    assert rows["ada"].boards == 16 + len(expected_nets(other)["ada"])
    nets = expected_nets(one)["ada"] + expected_nets(other)["ada"]
    assert rows["ada"].net == pytest.approx(100 * float(sum(nets, Fraction())) / len(nets))
    assert rows["eve"].boards == 16
    assert not read_standings([one]).is_combined


def test_combining_changes_none_of_its_parts() -> None:
    one, other = read_fold(RECORDS / "boards5.jsonl"), read_fold(RECORDS / "gauntlet.jsonl")
    before = standings([one])
    standings([one, other])
    assert standings([one]) == before


def test_an_entrant_with_other_files_is_another() -> None:
    one = folded(header(passes=3))
    changed = header(passes=3, league="later", seed_commitment="0" * 64)
    entrants = tuple(
        type(entrant)(entrant.name, "2", "cd" * 32, entrant.command)
        if entrant.name == "ada"
        else entrant
        for entrant in changed.entrants
    )
    other = folded(header(passes=3, league="later", entrants=entrants))
    table = standings([one, other])
    assert [row.name for row in table.rows].count("ada") == 2
    assert by_name(table)["bob"].boards == 6


def test_records_that_do_not_belong_together_are_refused() -> None:
    boards = read_fold(RECORDS / "boards5.jsonl")
    for name, words in (
        ("rules", "different rulesets"),
        ("duel", "cannot be combined"),
        ("points", "cannot be combined"),
        ("boards5", "given twice"),
    ):
        with pytest.raises(ConfigError, match=words):
            standings([boards, read_fold(RECORDS / f"{name}.jsonl")])
    with pytest.raises(ConfigError, match="at least one"):
        standings([])
    renamed = folded(header(passes=1, league="x", ruleset=Ruleset(name="ours")))
    assert standings([folded(header(passes=1)), renamed]).is_combined


# --- bad records --------------------------------------------------------------------------------


def test_a_deal_twice_and_a_stranger_are_errors(tmp_path: Path) -> None:
    of = header()
    deals = list(league(of))
    path = tmp_path / "deals.jsonl"
    path.write_bytes(header_line(of) + b"".join(map(deal_line, [*deals, deals[0]])))
    with pytest.raises(RecordError) as caught:
        read_standings([path])
    assert "recorded twice" in caught.value.why
    assert caught.value.line == 14
    deals[3].seats = ("eve", "bob", "cyd", "dan")
    path.write_bytes(header_line(of) + b"".join(map(deal_line, deals)))
    with pytest.raises(RecordError) as caught:
        read_standings([path])
    assert "stranger" in caught.value.why
    assert caught.value.line == 5


def test_events_of_no_entrant_change_nothing(tmp_path: Path) -> None:
    of = header()
    path = tmp_path / "deals.jsonl"
    lines = b"".join(map(deal_line, league(of)))
    path.write_bytes(header_line(of) + lines)
    before = read_standings([path])
    void = event_line(EventLine(kind="VOID", board=1, leg=0))
    path.write_bytes(header_line(of) + void + lines)
    assert read_standings([path]) == before
