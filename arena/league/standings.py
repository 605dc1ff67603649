"""Standings: who stands where and how sure that is, a pure function of records (STATISTICS)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from arena.errors import ConfigError, RecordError
from arena.league.record import FAULT_KINDS, INCIDENT_EVENTS
from arena.league.record_reader import RawLines, bad_line, checked, decode_tally
from arena.league.schedule import Play
from arena.league.standings_fold import UNIT, Account, StandingsFold
from arena.league.statistics import Interval, t_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

SCHEMA: Final = "arena.standings/1"
_DIGITS: Final = 4
"""Decimals of what is printed as JSON: beyond them is noise."""
BOARDS_FOR_CERTAINTY: Final = 30
"""A few boards that are all equal, such as three games with the same winner, have no spread to
tell from: "± 0.0" would be wrong. As many as these are equal for a reason."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One entrant's line. `None` stands where there is too little to say."""

    rank: int | None
    """From 1; equal scores share it. `None` for a house bot and before the first board."""
    name: str
    version: str
    digest: str
    is_house: bool
    is_benched: bool
    is_withdrawn: bool
    score: float | None
    """What ranks: net - 100 x penalties / legs."""
    net: float | None
    """Own points less the mean of the other three, per 100 deals (games in play to points)."""
    interval: Interval | None
    """The 95 % t interval of net over boards, from 3 boards on; 30 while all are equal."""
    penalties: int
    """Points of penalty."""
    points_per_deal: float | None
    boards: int
    """Complete boards; all that follows is of these."""
    legs: int
    deals: int
    declared: int
    """Contracts declared."""
    made: int
    faults: dict[str, int]
    """Faulty decisions by kind; all kinds are there."""
    incidents: dict[str, int]
    """Incidents by kind of event, of incomplete boards too; all kinds are there."""
    think_ms_per_deal: float | None
    """Mean think time of a deal, all its decisions together."""
    slowest_ms: float
    """Think time of the slowest decision."""

    @property
    def failed(self) -> int:
        """Contracts declared and set."""
        return self.declared - self.made

    def to_json_dict(self) -> dict[str, Any]:
        """Return the line as plain data with stable keys."""
        interval = self.interval
        return {
            "rank": self.rank,
            "name": self.name,
            "version": self.version,
            "digest": self.digest,
            "house": self.is_house,
            "benched": self.is_benched,
            "withdrawn": self.is_withdrawn,
            "score": _rounded(self.score),
            "net": _rounded(self.net),
            "net_low": _rounded(interval.low if interval else None),
            "net_high": _rounded(interval.high if interval else None),
            "penalties": self.penalties,
            "points_per_deal": _rounded(self.points_per_deal),
            "boards": self.boards,
            "legs": self.legs,
            "deals": self.deals,
            "declared": self.declared,
            "made": self.made,
            "set": self.failed,
            "faults": self.faults,
            "incidents": self.incidents,
            "think_ms_per_deal": _rounded(self.think_ms_per_deal),
            "slowest_ms": _rounded(self.slowest_ms),
        }


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a league, or of several that belong together."""

    leagues: tuple[str, ...]
    play: str
    ruleset: str
    per: str
    """What net and score are per 100 of: `deals`, or `games` in play to points."""
    boards: int
    """Complete boards."""
    deals: int
    """Deals of complete boards."""
    waiting: int = field(compare=False)
    """Deals of boards that lack a leg: they count nowhere yet."""
    is_provisional: bool
    """Whether a record is unfinished: intervals of a league that runs are provisional."""
    is_combined: bool
    """Whether several records are folded, which makes fixed-size intervals optimistic."""
    rows: tuple[Standing, ...]
    """By rank; who has none stands where its score would put it, or last."""

    def to_json_dict(self) -> dict[str, Any]:
        """Return everything as plain data under the schema `arena.standings/1`."""
        return {
            "schema": SCHEMA,
            "leagues": list(self.leagues),
            "play": self.play,
            "ruleset": self.ruleset,
            "per": f"100 {self.per}",
            "confidence": 0.95,
            "boards": self.boards,
            "deals": self.deals,
            "provisional": self.is_provisional,
            "combined": self.is_combined,
            "standings": [row.to_json_dict() for row in self.rows],
        }

    def to_rows(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return flat columns and rows, for CSV and for tables; faults and incidents by kind."""
        flat = [_flattened(row.to_json_dict()) for row in self.rows]
        columns = tuple(flat[0]) if flat else ()
        return columns, [tuple(row.values()) for row in flat]


def _flattened(row: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            flat |= {f"{key}_{kind.lower()}": count for kind, count in value.items()}
        else:
            flat[key] = value
    return flat


def _rounded(value: float | None) -> float | None:
    # Adding 0.0 turns a minus zero into zero.
    return None if value is None else round(value, _DIGITS) + 0.0


# --- from folds to standings --------------------------------------------------------------------


def read_fold(path: Path | str) -> StandingsFold:
    """Fold a record, finished or not. Raises `RecordError` that names the first bad line."""
    fold: StandingsFold | None = None
    raw = RawLines(path)
    for number, line in checked(raw, decode_tally):
        if fold is None:
            assert line.header is not None  # noqa: S101 (the reader has seen to it)
            fold = StandingsFold(line.header)
        elif line.deal is not None:
            try:
                fold.add_deal(line.deal)
            except RecordError as error:
                raise bad_line(raw.path, number, error.message) from error
        elif line.event is not None:
            fold.add_event(line.event)
        elif line.footer is not None:
            fold.is_finished = True
    assert fold is not None  # noqa: S101 (an empty record has raised)
    return fold


def read_standings(paths: Iterable[Path | str]) -> Standings:
    """Return the standings over one or several records.

    Raises `RecordError` for a record that cannot be read and `ConfigError` for records that
    do not belong together.
    """
    return standings([read_fold(path) for path in paths])


def standings(folds: Sequence[StandingsFold]) -> Standings:
    """Return the standings over the folds of one or several records.

    Boards are known by record and number, entrants by name and digest. Raises `ConfigError`
    when the records differ in their rules or in what a net is, or when one is there twice.
    """
    _check_they_combine(folds)
    first = folds[0]
    accounts: dict[tuple[str, str], Account] = {}
    for fold in folds:
        for account in fold.accounts.values():
            key = account.name, account.digest
            accounts[key] = _joined(accounts[key], account) if key in accounts else account
    return Standings(
        leagues=tuple(fold.header.league for fold in folds),
        play=first.header.play,
        ruleset=first.header.ruleset.name,
        per="games" if first.play is Play.POINTS else "deals",
        boards=sum(fold.boards for fold in folds),
        deals=sum(fold.counted_deals for fold in folds),
        waiting=sum(fold.deals - fold.counted_deals for fold in folds),
        is_provisional=not all(fold.is_finished for fold in folds),
        is_combined=len(folds) > 1,
        rows=_ranked(list(accounts.values())),
    )


def leaders(fold: StandingsFold, count: int = 5) -> tuple[Standing, ...]:
    """Return the first few of a league that runs, for its progress."""
    ranked = [account for account in fold.accounts.values() if not account.is_house]
    return _ranked(ranked)[:count]


def _check_they_combine(folds: Sequence[StandingsFold]) -> None:
    if not folds:
        raise ConfigError("expected at least one record")
    first = folds[0]
    for fold in folds[1:]:
        if fold.header.ruleset.rules_only() != first.header.ruleset.rules_only():
            raise ConfigError("the records are of different rulesets and cannot be combined")
        if _kind(fold.play) != _kind(first.play):
            raise ConfigError(
                f"a record of play '{fold.play}' cannot be combined with one of '{first.play}'",
                why="their nets are different things",
            )
    seen = {(fold.header.seed_commitment, fold.header.public, fold.header.league) for fold in folds}
    if len(seen) < len(folds):
        raise ConfigError("the same record is given twice", hint="name each record once")


def _kind(play: Play) -> str:
    """Return what a net means in a play: plays of one kind may be combined."""
    return play.value if play in {Play.DUEL, Play.POINTS} else "net"


def _joined(one: Account, other: Account) -> Account:
    """Return the sum of two accounts of one entrant."""
    return Account(
        name=one.name,
        digest=one.digest,
        version=one.version or other.version,
        is_house=one.is_house and other.is_house,
        boards=one.boards + other.boards,
        legs=one.legs + other.legs,
        deals=one.deals + other.deals,
        seat_deals=one.seat_deals + other.seat_deals,
        net=one.net + other.net,
        net_squares=one.net_squares + other.net_squares,
        points=one.points + other.points,
        declared=one.declared + other.declared,
        made=one.made + other.made,
        think_us=one.think_us + other.think_us,
        slowest_us=max(one.slowest_us, other.slowest_us),
        faults=one.faults + other.faults,
        faulty_deals=one.faulty_deals + other.faulty_deals,
        incidents=one.incidents + other.incidents,
        penalties=one.penalties + other.penalties,
        is_benched=one.is_benched or other.is_benched,
        is_withdrawn=one.is_withdrawn or other.is_withdrawn,
    )


def _ranked(accounts: Sequence[Account]) -> tuple[Standing, ...]:
    """Return the lines by score, then in the order of the accounts."""
    scored = [(_score(account), account) for account in accounts]
    # Exact fractions, so that a tie is a tie.
    scored.sort(key=lambda pair: (pair[0] is None, -(pair[0] or 0)))
    ranking = [score for score, account in scored if not account.is_house and score is not None]
    rows = []
    for score, account in scored:
        rank = None
        if score is not None and not account.is_house:
            rank = 1 + sum(1 for other in ranking if other > score)
        rows.append(_standing(account, score, rank))
    return tuple(rows)


def _score(account: Account) -> Fraction | None:
    """Return net per 100 less 100 x penalties / legs, exactly (STATISTICS, Score)."""
    if not account.boards:
        return None
    net = Fraction(100 * account.net, UNIT * account.boards)
    return net - Fraction(100 * account.penalties, account.legs)


def _interval(account: Account) -> Interval | None:
    """Return the interval of an entrant's net, or `None` where it would say nothing true."""
    boards, net, squares = account.boards, account.net, account.net_squares
    if boards * squares == net * net and boards < BOARDS_FOR_CERTAINTY:
        return None
    scale = 100 / UNIT
    return t_interval(boards, scale * net, scale * scale * squares)


def _standing(account: Account, score: Fraction | None, rank: int | None) -> Standing:
    boards, deals = account.boards, account.deals
    scale = 100 / UNIT
    return Standing(
        rank=rank,
        name=account.name,
        version=account.version,
        digest=account.digest,
        is_house=account.is_house,
        is_benched=account.is_benched,
        is_withdrawn=account.is_withdrawn,
        score=None if score is None else float(score),
        net=scale * account.net / boards if boards else None,
        interval=_interval(account),
        penalties=account.penalties,
        points_per_deal=account.points / account.seat_deals if deals else None,
        boards=boards,
        legs=account.legs,
        deals=deals,
        declared=account.declared,
        made=account.made,
        faults={kind: account.faults[kind] for kind in FAULT_KINDS},
        incidents={kind: account.incidents[kind] for kind in INCIDENT_EVENTS},
        think_ms_per_deal=account.think_us / 1000 / account.seat_deals if deals else None,
        slowest_ms=account.slowest_us / 1000,
    )
