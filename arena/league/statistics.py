"""Intervals and ratings, as pure functions of numbers (STATISTICS).

numpy and scipy take half a second to import, so the functions that need them import them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE: Final = 0.95
BOARDS_FOR_INTERVAL: Final = 3
"""An interval is shown from so many boards on (STATISTICS, Errors)."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval; `low <= high`, both finite."""

    low: float
    high: float


@lru_cache(maxsize=4096)
def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """Return the two-sided quantile of Student's t distribution.

    >>> round(t_quantile(2), 3)
    4.303
    """
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + confidence / 2))


def t_interval(number: int, total: float, squares: float) -> Interval | None:
    """Return the t interval of a mean, or `None` from fewer than three values.

    `total` is the sum of the values, `squares` the sum of their squares.

    >>> t_interval(2, 3.0, 5.0) is None
    True
    >>> t_interval(3, 6.0, 14.0)  # doctest: +ELLIPSIS
    Interval(low=-0.484..., high=4.484...)
    """
    if number < BOARDS_FOR_INTERVAL:
        return None
    mean = total / number
    variance = max(0.0, squares - total * mean) / (number - 1)
    half = t_quantile(number - 1) * math.sqrt(variance / number)
    return Interval(mean - half, mean + half)


@dataclass(frozen=True, slots=True)
class Ratings:
    """The least-squares ratings of all entrants, in points a deal; their sum is 0."""

    theta: tuple[float, ...]
    errors: tuple[float, ...] | None
    """Cluster-robust standard errors, boards as clusters; absent while boards <= N + 2."""
    degrees: int
    """Degrees of freedom of their t intervals."""


def ratings(
    entrants: int, lineups: Sequence[Sequence[int]], means: Sequence[Sequence[float]]
) -> Ratings:
    """Return the ratings theta of the entrants 0 … `entrants` - 1 over complete boards.

    `lineups` are the four entrants of each board, `means` their mean points at it. Source:
    STATISTICS, Rating: for entrant i at a board, (mean of i's points - mean of the four) =
    theta_i - mean(theta of the four) + error.
    """
    import numpy as np

    boards = len(lineups)
    seats = np.asarray(lineups, dtype=np.intp).reshape(boards, 4)
    points = np.asarray(means, dtype=np.float64).reshape(boards, 4)
    target = points - points.mean(axis=1, keepdims=True)
    # Each board's four rows of the design are C P: C takes off the mean of four, P picks four.
    normal = np.zeros((entrants, entrants))
    right = np.zeros(entrants)
    center = np.eye(4) - 0.25
    for row in range(4):
        np.add.at(right, seats[:, row], target[:, row])
        for column in range(4):
            np.add.at(normal, (seats[:, row], seats[:, column]), center[row, column])
    inverse: NDArray[np.float64] = np.linalg.pinv(normal, hermitian=True).astype(np.float64)
    theta: NDArray[np.float64] = inverse @ right
    degrees = boards - entrants
    if boards <= entrants + 2:
        return Ratings(tuple(map(float, theta)), None, max(degrees, 0))
    errors = _sandwich(inverse, seats, target, theta)
    return Ratings(tuple(map(float, theta)), tuple(map(float, errors)), degrees)


def _sandwich(
    inverse: NDArray[np.float64],
    seats: NDArray[np.intp],
    target: NDArray[np.float64],
    theta: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the cluster-robust errors: A^-1 (sum of u_b u_b') A^-1 G / (G - N)."""
    import numpy as np

    boards, entrants = len(seats), len(theta)
    fitted = theta[seats]
    residuals = target - (fitted - fitted.mean(axis=1, keepdims=True))
    # u_b = (C P)' e_b, and C leaves e_b as it is, since a board's residuals add up to 0.
    scores = np.zeros((boards, entrants))
    scores[np.arange(boards)[:, None], seats] = residuals
    meat = scores.T @ scores
    covariance = inverse @ meat @ inverse * boards / (boards - entrants)
    diagonal: NDArray[np.float64] = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return diagonal
