"""The schedule agrees with the vectors, and is as fair as SCHEDULE says."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations, islice, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ConfigError
from arena.league import schedule
from arena.rules.deck import entrants_order, league_key

VECTORS = Path(__file__).parents[1] / "vectors"
CONTRACTS: dict[str, Any] = json.loads((VECTORS / "contracts.json").read_text())
RECORDS = sorted((VECTORS / "records").glob("*.jsonl"))
KEY = bytes(range(32))


def names(n: int) -> list[str]:
    return [f"bot{number}" for number in range(n)]


@pytest.mark.parametrize("case", CONTRACTS["schedules"], ids=lambda case: f"n{case['n']}")
def test_rings_and_legs_agree_with_the_vectors(case: dict[str, Any]) -> None:
    n, rings = case["n"], case["rings"]
    assert [list(ring) for ring in islice(schedule.rings(n), len(rings))] == rings
    assert list(schedule.independent_legs(rings, n)) == case["independent_legs"]
    assert schedule.boards_per_pass("boards", names(n)) * case["passes"] == len(rings)


@pytest.mark.parametrize("case", CONTRACTS["schedules"], ids=lambda case: f"n{case['n']}")
@pytest.mark.parametrize("play", ["boards", "points", "independent"])
def test_boards_seat_the_rings_of_the_vectors(case: dict[str, Any], play: str) -> None:
    n = case["n"]
    entrants = names(n)
    order = entrants_order(KEY, n)
    boards = list(schedule.boards(play, entrants, KEY, passes=case["passes"]))
    assert [board.number for board in boards] == list(range(1, len(case["rings"]) + 1))
    for board, ring, leg in zip(boards, case["rings"], case["independent_legs"], strict=True):
        assert board.legs == ((leg,) if play == "independent" else (0, 1, 2, 3))
        for r, seats in zip(board.legs, board.seats, strict=True):
            for q, position in enumerate(ring):
                assert seats[(q + r) % 4] == entrants[order[position]]


@pytest.mark.parametrize("case", CONTRACTS["gauntlets"], ids=lambda case: len(case["field"]))
def test_a_gauntlet_agrees_with_the_vectors(case: dict[str, Any]) -> None:
    entrants = [*case["candidates"], *case["field"]]
    found = schedule.boards("gauntlet", entrants, KEY, field=case["field"], passes=case["passes"])
    assert [list(board.seats[0]) for board in found] == case["rings"]


def test_a_duel_agrees_with_the_vectors() -> None:
    found = schedule.boards("duel", ["A", "B"], KEY, passes=4)
    assert [[list(seats) for seats in board.seats] for board in found] == CONTRACTS["duel"]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_the_seats_of_recorded_deals_are_those_of_the_schedule(path: Path) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    header, footer = lines[0]["header"], lines[-1]["footer"]
    key = league_key(bytes.fromhex(footer["seed"]), header["public"])
    found = schedule.boards(
        header["play"],
        [entrant["name"] for entrant in header["entrants"]],
        key,
        field=header.get("field", ()),
        passes=header["passes"],
    )
    recorded: dict[int, dict[int, list[str]]] = {}
    for line in lines:
        if "deal" in line:
            deal = line["deal"]
            recorded.setdefault(deal["board"], {})[deal["leg"]] = deal["seats"]
    expected = {
        board.number: {leg: list(seats) for leg, seats in zip(board.legs, board.seats, strict=True)}
        for board in found
    }
    if path.stem == "duel":  # stopped by a test: a prefix
        expected = {number: expected[number] for number in recorded}
    assert recorded == expected


@settings(max_examples=40, deadline=None)
@given(n=st.integers(5, 60), passes=st.integers(1, 10))
def test_every_pass_is_fair(n: int, passes: int) -> None:
    met: Counter[tuple[int, int]] = Counter()
    played: Counter[int] = Counter()
    rings = schedule.rings(n)
    for number in range(1, passes + 1):
        for ring in islice(rings, n):
            played.update(ring)
            met.update(combinations(sorted(ring), 2))
        assert set(played.values()) == {4 * number}
        meetings = [met[pair] for pair in combinations(range(n), 2)]
        assert max(meetings) - min(meetings) <= 2


@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 9, 11, 13, 20, 37, 60])
def test_neighbours_and_seats_are_shared_out(n: int) -> None:
    left: Counter[tuple[int, int]] = Counter()
    seat: Counter[tuple[int, int]] = Counter()
    rings = list(islice(schedule.rings(n), 24 * (1 if n == 4 else n)))
    for ring, leg in zip(rings, schedule.independent_legs(rings, n), strict=True):
        left.update((ring[q], ring[(q + 1) % 4]) for q in range(4))
        seat.update((ring[q], (q + leg) % 4) for q in range(4))
    counts = [left[pair] for pair in permutations(range(n), 2)]
    assert max(counts) - min(counts) <= 4
    for entrant in range(n):
        seats = [seat[entrant, number] for number in range(4)]
        assert max(seats) - min(seats) <= 4


@pytest.mark.parametrize("play", ["boards", "points", "gauntlet", "paired"])
def test_the_legs_give_every_entrant_every_seat(play: str) -> None:
    entrants = names(6)
    field = entrants[2:] if schedule.Play(play).has_field else []
    for board in schedule.boards(play, entrants, KEY, field=field, passes=5):
        for part in (board.seats[:4], board.seats[4:]):
            taken = {(name, seat) for seats in part for seat, name in enumerate(seats)}
            assert len(taken) == 4 * len(part)


def test_three_entrants_and_the_house_make_four() -> None:
    three = list(schedule.boards("boards", ["a", "b", "c"], KEY, passes=3))
    four = list(schedule.boards("boards", ["a", "b", "c", "house"], KEY, passes=3))
    assert three == four
    assert set(three[0].seats[0]) == {"a", "b", "c", "house"}


def test_paired_puts_b_where_a_sat() -> None:
    entrants = ["A", "f0", "f1", "B", "f2", "f3"]
    field = [name for name in entrants if name[0] == "f"]
    for board in schedule.boards("paired", entrants, KEY, field=field, passes=7):
        assert len(board.seats) == 8
        for leg in range(4):
            swapped = tuple("B" if name == "A" else name for name in board.seats[leg])
            assert board.seats[leg + 4] == swapped


@settings(max_examples=30, deadline=None)
@given(n=st.integers(4, 30), skip=st.integers(0, 50))
def test_a_schedule_built_again_is_the_same(n: int, skip: int) -> None:
    once = list(islice(schedule.boards("boards", names(n), KEY), skip + 3))
    again = islice(schedule.boards("boards", names(n), KEY), skip, skip + 3)
    assert list(again) == once[skip:]


def test_the_schedule_is_lazy_and_quick_for_256() -> None:
    boards = schedule.boards("boards", names(256), KEY)
    assert next(boards).number == 1
    assert len(set(next(boards).seats[0])) == 4


@pytest.mark.parametrize(
    "play,n,field,wanted,passes",
    [
        ("boards", 4, 0, 100, 100),
        ("boards", 3, 0, 7, 7),
        ("boards", 5, 0, 100, 25),
        ("independent", 6, 0, 101, 26),
        ("gauntlet", 6, 4, 9, 9),
        ("duel", 2, 0, 40, 40),
        ("paired", 6, 4, 3, 3),
    ],
)
def test_whole_passes_give_each_entrant_the_boards_asked_for(
    play: str, n: int, field: int, wanted: int, passes: int
) -> None:
    entrants = names(n)
    known = entrants[n - field :] if field else []
    assert schedule.passes_for(play, entrants, wanted, known) == passes
    found = schedule.coverage(play, entrants, KEY, field=known, passes=passes)
    asked = [name for name in entrants if name not in known]
    assert min(found.boards_per_entrant[name] for name in asked) >= wanted
    assert found.boards == passes * schedule.boards_per_pass(play, entrants, known)
    assert found.meetings_min <= found.meetings_max


def test_coverage_counts_meetings_of_pairs() -> None:
    found = schedule.coverage("boards", names(5), KEY, passes=1)
    assert (found.boards, found.legs) == (5, 20)
    assert set(found.boards_per_entrant.values()) == {4}
    assert (found.meetings_min, found.meetings_max) == (3, 3)
    duel = schedule.coverage("duel", ["a", "b"], KEY, passes=6)
    assert (duel.boards, duel.legs, duel.meetings_min) == (6, 12, 6)
    paired = schedule.coverage("paired", names(6), KEY, field=names(6)[2:], passes=4)
    assert (paired.legs, paired.meetings_min, paired.meetings_max) == (32, 3, 3)


@pytest.mark.parametrize(
    "play,n,field,message",
    [
        ("boards", 2, [], "needs 3 or more entrants, got 2"),
        ("boards", 257, [], "at most 256 entrants, got 257"),
        ("boards", 5, ["bot1"], "has no field"),
        ("duel", 3, [], "needs exactly 2 entrants, got 3"),
        ("gauntlet", 4, ["bot1", "bot2"], "needs 3 or more of a field, got 2"),
        ("gauntlet", 3, ["bot0", "bot1", "bot2"], "needs 1 or more candidates"),
        ("gauntlet", 4, ["bot1", "bot2", "nobody"], "'nobody' is no entrant"),
        ("gauntlet", 5, ["bot1", "bot2", "bot2"], "a name stands twice"),
        ("paired", 4, ["bot1", "bot2", "bot3"], "needs exactly 2 entrants that are not in the"),
    ],
)
def test_numbers_that_do_not_fit_are_refused_at_once(
    play: str, n: int, field: list[str], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        schedule.boards(play, names(n), KEY, field=field)
