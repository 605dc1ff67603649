"""Standings as a listing: a table for people, stable keys for tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from arena.cli import output
from arena.cli.options import Format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.league.standings import Standing, Standings

_FAULT_LETTERS: Final = {
    "ILLEGAL": "I",
    "MALFORMED": "M",
    "TIMEOUT": "T",
    "DISCONNECT": "D",
    "CRASH": "C",
}

_NETS: Final = {
    "duel": "points a seat, less those of the other's seats",
    "points": "(opponents beaten - ahead) / 3 in a game, less the mean of the other three's",
}
"""What a net is, where it is not points less the mean of the other three's (SCHEDULE)."""


def show(runs: Sequence[Path], form: Format) -> None:
    """Print the standings of one record, or of several together."""
    from arena.cli.runs import check_record
    from arena.league.standings import read_standings

    for path in runs:
        check_record(path)
    show_standings(read_standings(runs), form)


def show_standings(standings: Standings, form: Format) -> None:
    """Print standings on stdout."""
    if form is Format.JSON:
        value = standings.to_json_dict()
        output.show_json(value.pop("schema"), value)
    elif form is Format.CSV:
        keys, values = standings.to_rows()
        rows = [dict(zip(keys, row, strict=True)) for row in values]
        columns = [output.Column(key, key) for key in keys]
        output.show(output.Listing("arena.standings/1", columns, rows, {}), form)
    else:
        output.show(_listing(standings), form)


def _listing(standings: Standings) -> output.Listing:
    columns = [
        output.Column("rank", "#", _rank, numeric=True),
        output.Column("name", "name"),
        output.Column("net", f"net per\n100 {standings.per}", numeric=True),
        output.Column("penalties", "penal-\nties", numeric=True),
        output.Column("score", "score", _signed, numeric=True),
        output.Column("points", "points\n/deal", _points, numeric=True, spare=4),
        output.Column("deals", "deals", _thousands, numeric=True),
        output.Column("made", "made", _thousands, numeric=True, spare=2),
        output.Column("set", "set", _thousands, numeric=True, spare=1),
        output.Column("faults", "faults", numeric=True),
        output.Column("think", "ms\n/deal", _ms, numeric=True, spare=3),
        output.Column("slowest", "slowest\nms", _ms, numeric=True, spare=5),
    ]
    rows = [_row(row) for row in standings.rows]
    return output.Listing(
        "arena.standings/1",
        columns,
        rows,
        {},
        title=f"{' + '.join(standings.leagues)}: {_count(standings.boards, 'board')},"
        f" {_count(standings.deals, 'deal')}",
        notes=_notes(standings),
    )


def _row(row: Standing) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "name": row.name + _marks(row),
        "net": _net(row),
        "penalties": row.penalties,
        "score": row.score,
        "points": row.points_per_deal,
        "deals": row.deals,
        "made": row.made,
        "set": row.failed,
        "faults": _faults(row),
        "think": row.think_ms_per_deal,
        "slowest": row.slowest_ms,
    }


def _marks(row: Standing) -> str:
    marks = (("house", row.is_house), ("benched", row.is_benched), ("withdrawn", row.is_withdrawn))
    said = ", ".join(word for word, is_so in marks if is_so)
    return f" ({said})" if said else ""


def _net(row: Standing) -> str:
    """Return net with half its interval; a dash where there are too few boards."""
    if row.net is None:
        return "–"
    interval = row.interval
    half = "–" if interval is None else f"{(interval.high - interval.low) / 2:.1f}"
    return f"{_signed(row.net)} ± {half}"


def _faults(row: Standing) -> str:
    return (
        " ".join(f"{_FAULT_LETTERS[kind]}{count}" for kind, count in row.faults.items() if count)
        or "0"
    )


def _notes(standings: Standings) -> list[str]:
    kinds = sorted({kind for row in standings.rows for kind in row.faults if row.faults[kind]})
    boards = _count(standings.boards, "board")
    net = _NETS.get(standings.play, "points less the mean of the other three's")
    notes = [f"net: {net}, with its 95 % interval over {boards}"]
    if any(row.penalties for row in standings.rows):
        notes.append(f"score: net less 100 x penalties / {standings.per}")
    if kinds:
        notes.append(
            "faults: " + ", ".join(f"{_FAULT_LETTERS[kind]} {kind.lower()}" for kind in kinds)
        )
    if standings.is_provisional:
        notes.append("provisional: the league is not finished, its intervals may still change")
        if standings.waiting:
            waiting = _count(standings.waiting, "deal")
            notes.append(f"{waiting} of unfinished boards not counted")
    if standings.is_combined:
        notes.append("combined: boards added after a look make intervals too narrow")
    return notes


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _rank(value: Any) -> str:
    return "" if value is None else str(value)


def _signed(value: Any) -> str:
    return "–" if value is None else f"{value:+.1f}"


def _points(value: Any) -> str:
    return "–" if value is None else f"{value:+.3f}"


def _thousands(value: Any) -> str:
    return f"{value:,}"


def _ms(value: Any) -> str:
    return "–" if value is None else f"{value:.1f}"
