"""What commands that read put on stdout: a table for people, JSON, CSV or Markdown for tools."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.cli import console
from arena.cli.options import Format
from arena.printable import printable, visible

_UNSEEN: Final = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\uf8ff\ufeff\ufff0-\ufffb]"
)
"""Signs that a terminal or an editor obeys, or cannot show."""


def plain(value: Any) -> str:
    """Return a value as a cell's text; nothing is a dash."""
    return "–" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a listing."""

    key: str
    """Its name in JSON and CSV, which is stable."""
    header: str
    """Its name in tables, which is not."""
    text: Callable[[Any], str] = plain
    numeric: bool = False
    spare: int = 0
    """Where the terminal is too narrow, columns go, the highest number first; 0 stays."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows of one kind with what is said about them."""

    schema: str
    """The name of the JSON form, such as `arena.standings/1`."""
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]
    head: Mapping[str, Any]
    """What JSON says beside the rows."""
    rows_key: str = "rows"
    title: str = ""
    notes: Sequence[str] = ()
    """Lines under a table."""


def show(listing: Listing, form: Format) -> None:
    """Print a listing on stdout."""
    match form:
        case Format.JSON:
            show_json(listing.schema, {**listing.head, listing.rows_key: list(listing.rows)})
        case Format.CSV:
            _csv(listing)
        case Format.MD:
            _markdown(listing)
        case Format.TABLE:
            _table(listing)


def _table(listing: Listing) -> None:
    columns = list(listing.columns)
    room = console.width()
    while room and _width(listing, columns) > room and any(column.spare for column in columns):
        columns.remove(max(columns, key=lambda column: column.spare))
    headers = [(column.header, column.numeric) for column in columns]
    console.table(headers, _texts(listing, columns), printable(listing.title))
    left_out = [_one_line(column.header) for column in listing.columns if column not in columns]
    for line in listing.notes:
        print(visible(line))
    if left_out:
        print(f"narrow terminal, without: {', '.join(left_out)}")


def _width(listing: Listing, columns: Sequence[Column]) -> int:
    """Return the characters a table with these columns takes in a line."""
    cells = [column.header.split("\n") for column in columns]
    for row in _texts(listing, columns):
        for words, text in zip(cells, row, strict=True):
            words.append(text)
    return 2 + sum(max(map(len, words)) + 3 for words in cells)


def show_json(schema: str, value: Mapping[str, Any]) -> None:
    """Print an object on stdout as indented JSON that names its schema first."""
    text = json.dumps({"schema": schema, **value}, indent=2, ensure_ascii=False)
    # JSON itself spells out no more than the controls below a blank.
    print(_UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text))


def _texts(listing: Listing, columns: Sequence[Column]) -> list[list[str]]:
    """Return the cells; their texts may be a stranger's, as those of a record are."""
    return [
        [printable(column.text(row.get(column.key))) for column in columns] for row in listing.rows
    ]


def _one_line(header: str) -> str:
    return header.replace("-\n", "").replace("\n", " ").replace(" /", "/")


def _csv(listing: Listing) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(column.key for column in listing.columns)
    for row in listing.rows:
        writer.writerow(_flat(row.get(column.key)) for column in listing.columns)


def _flat(value: Any) -> Any:
    match value:
        case bool():
            return str(value).lower()
        case Mapping():
            return visible(" ".join(f"{key}={item}" for key, item in value.items()))
        case list() | tuple():
            return visible(" ".join(str(item) for item in value))
        case str():
            return visible(value)
        case _:
            return value


def _markdown(listing: Listing) -> None:
    if listing.title:
        print(f"**{printable(listing.title)}**\n")
    print("| " + " | ".join(_one_line(column.header) for column in listing.columns) + " |")
    print("|" + "|".join("---:" if column.numeric else "---" for column in listing.columns) + "|")
    for row in _texts(listing, listing.columns):
        print("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
    for line in listing.notes:
        print(f"\n{visible(line)}")
