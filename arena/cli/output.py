"""What commands that read put on stdout: a table for people, JSON, CSV or Markdown for tools."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.cli import console
from arena.cli.options import Format


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
            headers = [(column.header, column.numeric) for column in listing.columns]
            console.table(headers, _texts(listing), listing.title)
            for line in listing.notes:
                print(line)


def show_json(schema: str, value: Mapping[str, Any]) -> None:
    """Print an object on stdout as indented JSON that names its schema first."""
    json.dump({"schema": schema, **value}, sys.stdout, indent=2, ensure_ascii=False)
    print()


def _texts(listing: Listing) -> list[list[str]]:
    return [
        [column.text(row.get(column.key)) for column in listing.columns] for row in listing.rows
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
            return " ".join(f"{key}={item}" for key, item in value.items())
        case list() | tuple():
            return " ".join(str(item) for item in value)
        case _:
            return value


def _markdown(listing: Listing) -> None:
    if listing.title:
        print(f"**{listing.title}**\n")
    print("| " + " | ".join(_one_line(column.header) for column in listing.columns) + " |")
    print("|" + "|".join("---:" if column.numeric else "---" for column in listing.columns) + "|")
    for row in _texts(listing):
        print("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
    for line in listing.notes:
        print(f"\n{line}")
