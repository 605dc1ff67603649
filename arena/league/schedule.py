"""Who plays whom, on which board, in which seat: a pure, lazy iterator over boards (SCHEDULE).

A schedule is a function of the play, the entrants and the league's key. Nothing is remembered
anywhere: resuming a league is building its schedule again and leaving out what is recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, count, islice
from typing import TYPE_CHECKING, Final

from arena.errors import ConfigError
from arena.rules.deck import entrants_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

HOUSE: Final = "house"
"""The name of the bot that makes a fourth beside three entrants."""
MAX_ENTRANTS: Final = 256
"""As many as one shuffle of DECK 5 can order."""


class Play(StrEnum):
    """How a league is played; the value is its name in the league file and the record."""

    BOARDS = "boards"
    INDEPENDENT = "independent"
    POINTS = "points"
    GAUNTLET = "gauntlet"
    DUEL = "duel"
    PAIRED = "paired"

    @property
    def legs(self) -> int:
        """The number of legs of each board."""
        return _LEGS[self]

    @property
    def has_field(self) -> bool:
        """Whether some of the entrants are a field that the others are measured against."""
        return self in {Play.GAUNTLET, Play.PAIRED}


_LEGS: Final = {
    Play.BOARDS: 4,
    Play.INDEPENDENT: 1,
    Play.POINTS: 4,
    Play.GAUNTLET: 4,
    Play.DUEL: 2,
    Play.PAIRED: 8,
}

Seats = tuple[str, str, str, str]
"""Four entrants' names by seat; in a duel each name stands twice."""


@dataclass(frozen=True, slots=True)
class Board:
    """One board: its number in the league, from 1, and who sits where in each of its legs."""

    number: int
    legs: tuple[int, ...]
    """The numbers of its legs, ascending: 0, 1, … but in `independent` play, where the one leg
    keeps the number of the rotation it is. They are not played in this order (DECK 9)."""
    seats: tuple[Seats, ...]
    """Who sits where, leg by leg, beside `legs`."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a number of passes amounts to, for people who plan a league."""

    boards: int
    legs: int
    """All legs; each is one deal, or one game in play to points."""
    boards_per_entrant: dict[str, int]
    meetings_min: int
    """Boards that the pair which meets least often shares (in a gauntlet and in paired play:
    of the pairs of one candidate and one of the field)."""
    meetings_max: int


def boards(
    play: str,
    entrants: Sequence[str],
    key: bytes,
    *,
    field: Sequence[str] = (),
    passes: int | None = None,
) -> Iterator[Board]:
    """Return the boards of a league, in order and lazily; without end when `passes` is `None`.

    `entrants` are the names in the order of the league file, `key` is the league's (DECK 4),
    `field` names those of the field. Raises `ConfigError` at once when the numbers do not fit
    the play. Source: SCHEDULE.
    """
    kind = Play(play)
    names = seated(kind, entrants, field)
    endless = _GENERATORS[kind](kind, names, key, tuple(field))
    return endless if passes is None else islice(endless, passes * _pass_length(kind, names, field))


def boards_per_pass(play: str, entrants: Sequence[str], field: Sequence[str] = ()) -> int:
    """Return how many boards a pass has. Raises `ConfigError` as `boards` does."""
    return _pass_length(Play(play), seated(Play(play), entrants, field), field)


def passes_for(play: str, entrants: Sequence[str], wanted: int, field: Sequence[str] = ()) -> int:
    """Return the fewest passes in which each entrant, or candidate, plays `wanted` boards.

    Raises `ConfigError` as `boards` does.
    """
    names = seated(Play(play), entrants, field)
    each = 1 if Play(play).has_field or len(names) <= 4 else 4
    return -(-wanted // each)


def coverage(
    play: str, entrants: Sequence[str], key: bytes, *, field: Sequence[str] = (), passes: int
) -> Coverage:
    """Return how often everybody plays and meets in so many passes.

    It walks through the boards, at about 20 us each. Raises `ConfigError` as `boards` does.
    """
    kind = Play(play)
    names = seated(kind, entrants, field)
    place = {name: number for number, name in enumerate(names)}
    met = [[0] * len(names) for _ in names]
    total = 0
    for board in boards(play, names, key, field=field, passes=passes):
        total += 1
        at_board = {place[name] for name in (*board.seats[0], *board.seats[-1])}
        for one in at_board:
            for other in at_board:
                met[one][other] += 1
    if kind.has_field:
        known = [place[name] for name in field]
        pairs = [(one, other) for one in range(len(names)) if one not in known for other in known]
    else:
        pairs = list(combinations(range(len(names)), 2))
    meetings = [met[one][other] for one, other in pairs]
    return Coverage(
        boards=total,
        legs=total * kind.legs,
        boards_per_entrant={name: met[number][number] for name, number in place.items()},
        meetings_min=min(meetings),
        meetings_max=max(meetings),
    )


def seated(play: Play, entrants: Sequence[str], field: Sequence[str] = ()) -> tuple[str, ...]:
    """Return all who take part, with the house bot last where three need a fourth.

    Raises `ConfigError` when the numbers of entrants and of the field do not fit the play.
    """
    names = tuple(entrants)
    if len(set(names)) != len(names):
        raise ConfigError("two entrants have the same name")
    if len(names) > MAX_ENTRANTS:
        raise ConfigError(f"expected at most {MAX_ENTRANTS} entrants, got {len(names)}")
    if field and not play.has_field:
        raise ConfigError(f"play = '{play}' has no field", hint="leave out league.field")
    if play is Play.DUEL:
        _expect(play, "exactly 2 entrants", len(names), fits=len(names) == 2)
        return names
    if not play.has_field:
        _expect(play, "3 or more entrants", len(names), fits=len(names) >= 3)
        return (*names, HOUSE) if len(names) == 3 else names
    strangers = [name for name in field if name not in names]
    if strangers or len(set(field)) != len(field):
        what = f"'{strangers[0]}' is no entrant" if strangers else "a name stands twice"
        raise ConfigError(f"league.field: {what}")
    _expect(play, "3 or more of a field", len(field), fits=len(field) >= 3)
    candidates = len(names) - len(field)
    if play is Play.PAIRED:
        _expect(play, "exactly 2 entrants that are not in the field", candidates, candidates == 2)
    else:
        _expect(play, "1 or more candidates that are not in the field", candidates, candidates > 0)
    return names


def _expect(play: Play, wanted: str, came: int, fits: bool) -> None:
    if not fits:
        raise ConfigError(f"play = '{play}' needs {wanted}, got {came}")


def _pass_length(play: Play, names: Sequence[str], field: Sequence[str]) -> int:
    if play is Play.GAUNTLET:
        return len(names) - len(field)
    return len(names) if not play.has_field and len(names) > 4 else 1


# --- line-ups and seating -----------------------------------------------------------------------

_ORDERS: Final = tuple(
    (0, *("ABCD".index(letter) for letter in order[1:]))
    for order in ("ABCD", "ABDC", "ACBD", "ACDB", "ADBC", "ADCB")
)
"""The cyclic orders of a line-up, in the order in which they are tried (SCHEDULE, Seating)."""
_FOUR_LEGS: Final = (0, 1, 2, 3)
_SEATED_AT: Final = tuple(tuple((seat - leg) % 4 for seat in range(4)) for leg in range(4))
"""By leg and seat: the place in the cyclic order of the entrant that sits there."""


class _Seating:
    """Chooses cyclic orders so that everybody has everybody on the left equally often."""

    __slots__ = ("_left", "_size")

    def __init__(self, size: int) -> None:
        self._size = size
        self._left = [0] * (size * size)

    def ring(self, lineup: Sequence[int]) -> tuple[int, int, int, int]:
        """Return the cyclic order of a line-up of positions, and count it."""
        left, size = self._left, self._size
        best, best_cost = (0, 0, 0, 0), -1
        for _, i, j, k in _ORDERS:
            a, b, c, d = lineup[0], lineup[i], lineup[j], lineup[k]
            cost = left[a * size + b] + left[b * size + c] + left[c * size + d] + left[d * size + a]
            if best_cost < 0 or cost < best_cost:
                best, best_cost = (a, b, c, d), cost
        a, b, c, d = best
        for one, other in ((a, b), (b, c), (c, d), (d, a)):
            left[one * size + other] += 1
        return best


def _base_blocks(entrants: int) -> Iterator[list[int]]:
    """Yield the base block of pass 0, 1, 2, …, ascending (SCHEDULE, N >= 5)."""
    used = [0] * entrants
    while True:
        block = [0]
        for _ in range(3):
            best, best_cost = 0, -1
            for x in range(1, entrants):
                if x in block:
                    continue
                cost = _cost(used, _differences(x, block, entrants))
                if best_cost < 0 or cost < best_cost:
                    best, best_cost = x, cost
            for difference in _differences(best, block, entrants):
                used[difference] += 1
            block.append(best)
        yield sorted(block)


def _differences(x: int, block: Sequence[int], entrants: int) -> list[int]:
    """Return the differences that `x` adds to a block, a multiset."""
    found: list[int] = []
    for y in block:
        found += ((x - y) % entrants, (y - x) % entrants)
    return found


def _cost(used: Sequence[int], added: Sequence[int]) -> int:
    """Return the sum over all differences of (used + added)² - used²."""
    cost = 0
    for place, difference in enumerate(added):
        # One more of a difference that was used n times adds 2n + 1.
        cost += 2 * (used[difference] + added[:place].count(difference)) + 1
    return cost


def rings(entrants: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the cyclic order of positions of board 1, 2, 3, … without end, for 4 to 256.

    Source: SCHEDULE, boards, independent, points.
    """
    seating = _Seating(entrants)
    if entrants == 4:
        while True:
            yield seating.ring((0, 1, 2, 3))
    for block in _base_blocks(entrants):
        for shift in range(entrants):
            yield seating.ring([(x + shift) % entrants for x in block])


def independent_legs(all_rings: Iterable[Sequence[int]], entrants: int) -> Iterator[int]:
    """Yield the one leg that is played of each board, so that seats are shared out evenly.

    Source: SCHEDULE, independent.
    """
    seat = [[0] * 4 for _ in range(entrants)]
    for ring in all_rings:
        costs = [sum(seat[ring[q]][(q + leg) % 4] for q in range(4)) for leg in range(4)]
        leg = costs.index(min(costs))
        for place, entrant in enumerate(ring):
            seat[entrant][(place + leg) % 4] += 1
        yield leg


def _round_robin(
    play: Play, names: tuple[str, ...], key: bytes, _field: tuple[str, ...]
) -> Iterator[Board]:
    """Yield the boards of plays in which everybody meets everybody."""
    by_position = [names[place] for place in entrants_order(key, len(names))]
    played = independent_legs(rings(len(names)), len(names))
    for number, ring in enumerate(rings(len(names)), 1):
        a, b, c, d = (by_position[position] for position in ring)
        legs = (next(played),) if play is Play.INDEPENDENT else _FOUR_LEGS
        yield Board(number, legs, tuple(_seats((a, b, c, d), leg) for leg in legs))


def _seats(ring: Seats, leg: int) -> Seats:
    """Return who sits where when the entrant at place q sits in seat (q + leg) mod 4."""
    first, second, third, fourth = _SEATED_AT[leg]
    return ring[first], ring[second], ring[third], ring[fourth]


# --- candidates against a field -----------------------------------------------------------------


def _opponents(met: list[int]) -> list[int]:
    """Return the three of the field that are met next, by position, and count them."""
    chosen = sorted(sorted(range(len(met)), key=lambda place: (met[place], place))[:3])
    for place in chosen:
        met[place] += 1
    return chosen


def _field_rings(candidates: int, field: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield candidate and ring of each board; the field's positions follow the candidates'."""
    seating = _Seating(candidates + field)
    met = [[0] * field for _ in range(candidates)]
    while True:
        for candidate in range(candidates):
            others = [candidates + place for place in _opponents(met[candidate])]
            yield candidate, seating.ring([candidate, *others])


def _gauntlet(
    _play: Play, names: tuple[str, ...], _key: bytes, field: tuple[str, ...]
) -> Iterator[Board]:
    candidates = [name for name in names if name not in field]
    everybody = [*candidates, *field]
    for number, (_, ring) in enumerate(_field_rings(len(candidates), len(field)), 1):
        a, b, c, d = (everybody[position] for position in ring)
        yield Board(number, _FOUR_LEGS, tuple(_seats((a, b, c, d), leg) for leg in _FOUR_LEGS))


def _paired(
    _play: Play, names: tuple[str, ...], _key: bytes, field: tuple[str, ...]
) -> Iterator[Board]:
    pair = [name for name in names if name not in field]
    for number, (_, ring) in enumerate(_field_rings(1, len(field)), 1):
        seats: list[Seats] = []
        for candidate in pair:
            everybody = [candidate, *field]
            a, b, c, d = (everybody[position] for position in ring)
            seats += [_seats((a, b, c, d), leg) for leg in _FOUR_LEGS]
        yield Board(number, tuple(range(8)), tuple(seats))


# --- a duel -------------------------------------------------------------------------------------

_FIRST_PAIRS: Final = ((0, 2), (0, 1), (0, 3))
"""The seats of the first pair, by (board - 1) mod 3 (SCHEDULE, duel)."""


def _duel(
    _play: Play, names: tuple[str, ...], _key: bytes, _field: tuple[str, ...]
) -> Iterator[Board]:
    one, other = names
    for number in count(1):
        pair = _FIRST_PAIRS[(number - 1) % 3]
        yield Board(number, (0, 1), (_pairs(pair, one, other), _pairs(pair, other, one)))


def _pairs(first_pair: tuple[int, int], first: str, second: str) -> Seats:
    a, b, c, d = (first if seat in first_pair else second for seat in range(4))
    return a, b, c, d


_GENERATORS: Final[
    dict[Play, Callable[[Play, tuple[str, ...], bytes, tuple[str, ...]], Iterator[Board]]]
] = {
    Play.BOARDS: _round_robin,
    Play.INDEPENDENT: _round_robin,
    Play.POINTS: _round_robin,
    Play.GAUNTLET: _gauntlet,
    Play.DUEL: _duel,
    Play.PAIRED: _paired,
}
