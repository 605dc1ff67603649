"""TOML text into plain tables, whatever it is: what is out of bounds is an error with its key."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

from arena.printable import printable, shortened

_DEEPEST: Final = 16
"""Tables and lists inside each other; no key of ours needs more than four."""
_WHOLE: Final = 1 << 63
"""Whole numbers are below this and not below its negative. Source: TOML 1.0, Integer."""


def shown_key(key: str) -> str:
    r"""Return a key as messages show it: on one line, and not too long.

    >>> shown_key("move"), shown_key("a\x1b[2J"), len(shown_key("a" * 5000))
    ('move', 'a', 80)
    """
    return shortened(printable(key))


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises `tomllib.TOMLDecodeError`, too for numbers of more than 64 bits and for tables too
    deep inside each other.

    >>> parse_toml("a.b = 1")
    {'a': {'b': 1}}
    """
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        place = re.search(r"[\[{](\s*[\[{]|[^\n=]*=\s*[\[{]){50}", text)
        raise _error(text, place, "tables or lists too deep inside each other") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # Python reads no number of over 4,300 digits
        place = re.search(r"\d[\d_]{4000}", text)
        raise _error(text, place, "a number of more than 64 bits") from None
    _check_bounds(tables)
    return tables


def _error(text: str, place: re.Match[str] | None, what: str) -> tomllib.TOMLDecodeError:
    """Return an error with the line of a place, and with the key that stands before it there."""
    if place is None:
        return tomllib.TOMLDecodeError(what)
    line = text.count("\n", 0, place.start()) + 1
    before = text[text.rfind("\n", 0, place.start()) + 1 : place.start()]
    key, equals, _ = before.partition("=")
    of = f"{shown_key(key)}: " if equals else ""
    return tomllib.TOMLDecodeError(f"{of}{what} (at line {line})")


def _check_bounds(tables: dict[str, Any]) -> None:
    """Raise `TOMLDecodeError` for a number that TOML does not have, and for what lies too deep."""
    open_values: list[tuple[tuple[str, ...], Any]] = [((), tables)]
    while open_values:
        keys, value = open_values.pop()
        if isinstance(value, (dict, list)):
            if len(keys) > _DEEPEST:
                raise _out_of_bounds(keys, "tables or lists too deep inside each other")
            items = value.items() if isinstance(value, dict) else enumerate(value, 1)
            open_values += [((*keys, str(key)), each) for key, each in items]
        elif isinstance(value, int) and not -_WHOLE <= value < _WHOLE:
            raise _out_of_bounds(keys, "a number of more than 64 bits")


def _out_of_bounds(keys: tuple[str, ...], what: str) -> tomllib.TOMLDecodeError:
    return tomllib.TOMLDecodeError(f"{shown_key('.'.join(keys[:4]))}: {what}")
