"""`arena replay`: recorded deals in the terminal, trick by trick."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli import console, output, runs
from arena.cli.options import Format, FormatOption
from arena.cli.replay_text import deal_lines, require_form, trick_rows
from arena.cli.text import examples
from arena.errors import ConfigError
from arena.printable import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.league.record import DealLine, Tally
    from arena.rules.ruleset import Ruleset

EXAMPLES = examples(
    "arena replay runs/autumn-1:12",
    "arena replay runs/autumn-1/deals.jsonl:12/1",
    "arena replay runs/autumn-1 --bot mine",
)
_LOST_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Place:
    """Which deals of a record are meant; `None` is all."""

    record: Path
    board: int | None = None
    leg: int | None = None
    number: int | None = None

    def has(self, deal: DealLine | Tally) -> bool:
        """Return whether a deal is meant."""
        return (
            self.board in {None, deal.board}
            and self.leg in {None, deal.leg}
            and self.number in {None, deal.number}
        )


def parse_place(text: str) -> Place:
    """Return the place that `RECORD[:BOARD[/LEG[/NUMBER]]]` names; a run's folder is its record.

    Raises `ConfigError` when the part after the colon is no board.
    """
    if Path(text).exists():
        return Place(Path(text))
    path, colon, where = text.rpartition(":")
    if not colon:
        return Place(Path(text))
    found = re.fullmatch(r"(\d{1,18})(?:/(\d{1,3})(?:/(\d{1,9}))?)?", where)
    if found is None:
        raise ConfigError(
            f"expected RECORD:BOARD/LEG/NUMBER, got {quoted(text)}",
            hint="arena replay runs/autumn-1:12/1",
        )
    board, leg, number = (int(part) if part else None for part in found.groups())
    return Place(Path(path), board, leg, number)


def replay(
    what: Annotated[
        str,
        typer.Argument(
            metavar="RECORD[:BOARD[/LEG[/NUMBER]]]", help="A record or a run's folder, and which."
        ),
    ],
    bot: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="List the deals in which a bot lost most instead."),
    ] = None,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show recorded deals: hands, calls, every trick with its winner, points, faults.

    With --bot, list the deals in which that bot scored least beside the others.
    """
    from arena.league.record_reader import find_deals

    place = parse_place(what)
    runs.check_record(place.record)
    if bot is not None:
        _show_lost(place, bot, form)
        return
    ruleset = _ruleset(place.record)
    deals = find_deals(place.record, place.board, place.leg, place.number)
    if form is Format.TABLE:
        number = 0
        for number, deal in enumerate(deals, 1):
            if number > 1:
                print()
            require_form(deal, place.record)
            console.lines(deal_lines(deal, ruleset))
        if not number:
            raise _no_such_deal(what, place)
        return
    found = list(deals)
    if not found:
        raise _no_such_deal(what, place)
    for deal in found:
        require_form(deal, place.record)
    if form is Format.JSON:
        import msgspec

        output.show_json("arena.replay/1", {"deals": [msgspec.to_builtins(deal) for deal in found]})
    else:
        output.show(_tricks(found, ruleset), form)


def _ruleset(path: Path) -> Ruleset:
    """Return a record's ruleset. Raises `RecordError` when it is none."""
    from arena.league.record_reader import bad_line, read_header, record_path

    try:
        return read_header(path).ruleset.rules()
    except ConfigError as error:
        raise bad_line(record_path(path), 1, str(error)) from error


def _tricks(deals: Sequence[DealLine], ruleset: Ruleset) -> output.Listing:
    """Return a row for each trick."""
    keys = ("board", "leg", "number", "contract", "trump", "declarer", "trick", "leader")
    rows = [row for deal in deals for row in trick_rows(deal, ruleset)]
    numbers = {"board", "leg", "number", "trick"}
    columns = [
        *(output.Column(key, key, numeric=key in numbers) for key in keys),
        output.Column("cards", "cards", lambda cards: " ".join(map(str, cards))),
        output.Column("winner", "winner"),
    ]
    return output.Listing("arena.replay/1", columns, rows, {})


def _no_such_deal(what: str, place: Place) -> ConfigError:
    from arena.league.record_reader import tallies

    deals = [line.deal.key for line in tallies(place.record) if line.deal is not None]
    if not deals:
        return ConfigError(f"{what}: the record has no deal yet")
    boards, legs, numbers = (sorted(set(part)) for part in zip(*deals, strict=True))
    spans = [f"boards {_span(boards)}", f"legs {_span(legs)}"]
    if numbers[-1] > 1:
        spans.append(f"deals {_span(numbers)}")
    return ConfigError(f"{what}: the record has no such deal", why=f"it has {', '.join(spans)}")


def _span(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _show_lost(place: Place, bot: str, form: Format) -> None:
    """List the deals in which a bot scored least beside the mean of the others."""
    from arena.league.reading import did_you_mean
    from arena.league.record_reader import read_header, tallies

    names = [entrant.name for entrant in read_header(place.record).entrants]
    if bot not in names:
        raise ConfigError(f"--bot: no bot {quoted(bot)}", why=did_you_mean(bot, names))
    rows = [
        _lost(place, bot, line.deal)
        for line in tallies(place.record)
        if line.deal is not None and bot in line.deal.seats and place.has(line.deal)
    ]
    lost = [row for row in rows if row["net"] < 0]
    lost.sort(key=lambda row: row["net"])
    columns = [
        output.Column("net", "net", lambda net: f"{net:+.1f}", numeric=True),
        output.Column(
            "points", "points", lambda points: f"{points:+d}" if points else "0", numeric=True
        ),
        output.Column("role", "role"),
        output.Column("command", "to see it"),
    ]
    notes = [
        f"{bot} lost in {len(lost):,} of {len(rows):,} deals"
        + (f"; the {_LOST_SHOWN} worst are shown" if len(lost) > _LOST_SHOWN else ""),
        "net: points less the mean of the other seats' in that deal",
    ]
    listing = output.Listing(
        "arena.lost/1", columns, lost[:_LOST_SHOWN], {"bot": bot}, rows_key="deals", notes=notes
    )
    output.show(listing, form)


def _lost(place: Place, bot: str, deal: Tally) -> dict[str, Any]:
    mine = [deal.points[seat] for seat in range(4) if deal.seats[seat] == bot]
    others = [deal.points[seat] for seat in range(4) if deal.seats[seat] != bot]
    is_declarer = deal.declarer >= 0 and deal.seats[deal.declarer] == bot
    record = shlex.quote(str(place.record))
    return {
        "board": deal.board,
        "leg": deal.leg,
        "number": deal.number,
        "net": round(sum(mine) / len(mine) - sum(others) / len(others), 4),
        "points": sum(mine),
        "role": "passed out" if deal.declarer < 0 else "declarer" if is_declarer else "defender",
        "command": f"arena replay {record}:{deal.board}/{deal.leg}/{deal.number}",
    }
