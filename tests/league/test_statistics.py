"""Intervals and ratings agree with the vectors and with scipy, and are never infinite."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from arena.league.record_reader import read_record
from arena.league.statistics import ratings, t_interval, t_quantile
from tests.league.edits import VECTORS

RATINGS: list[dict[str, Any]] = json.loads((VECTORS / "ratings.json").read_text())


def boards_of(path: Path) -> tuple[list[str], list[list[int]], list[list[float]]]:
    """Return the entrants, the line-up of each board, and their mean points at it."""
    record = read_record(path)
    names = list(record.header.names)
    boards: dict[int, dict[int, list[int]]] = {}
    for deal in record.deals:
        for seat, name in enumerate(deal.seats):
            scores = boards.setdefault(deal.board, {})
            scores.setdefault(names.index(name), []).append(deal.points[seat])
    means = [[sum(won) / len(won) for won in board.values()] for board in boards.values()]
    return names, [list(board) for board in boards.values()], means


@pytest.mark.parametrize("case", RATINGS, ids=lambda case: Path(case["record"]).stem)
def test_theta_and_its_error_agree_with_the_vectors(case: dict[str, Any]) -> None:
    names, lineups, means = boards_of(VECTORS / case["record"])
    found = ratings(len(names), lineups, means)
    assert sum(found.theta) == pytest.approx(0, abs=1e-12)
    assert found.errors is not None
    assert found.degrees == case["boards"] - len(names)
    for entrant in case["entrants"]:
        place = names.index(entrant["name"])
        assert 100 * found.theta[place] == pytest.approx(entrant["theta_per_100"], abs=5e-5)
        assert 100 * found.errors[place] == pytest.approx(entrant["theta_se_per_100"], abs=5e-5)


def test_no_error_is_shown_for_few_boards() -> None:
    lineups = [[0, 1, 2, 3]] * 6
    means = [[1.0, 0.0, 0.0, -1.0]] * 6
    assert ratings(4, lineups, means).errors is None
    assert ratings(4, [*lineups, lineups[0]], [*means, means[0]]).errors is not None


@settings(deadline=None)
@given(st.lists(st.floats(-300, 300), min_size=3, max_size=50))
def test_the_interval_is_that_of_scipy(values: list[float]) -> None:
    found = t_interval(len(values), sum(values), sum(value * value for value in values))
    assert found is not None
    assert math.isfinite(found.low)
    assert math.isfinite(found.high)
    assert found.low <= found.high
    mean = sum(values) / len(values)
    half = float(t_quantile(len(values) - 1)) * float(stats.sem(values))
    assert found.low == pytest.approx(mean - half, abs=1e-3)
    assert found.high == pytest.approx(mean + half, abs=1e-3)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_fewer_than_three_boards_have_no_interval(number: int) -> None:
    assert t_interval(number, 1.0 * number, 1.0 * number) is None


@pytest.mark.parametrize("degrees", [1, 2, 5, 30, 1000, 10**6])
def test_the_quantile_is_students(degrees: int) -> None:
    assert t_quantile(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-9)
