"""Durations and sizes as league files spell them: a number with a unit."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from arena.printable import quoted

_NUMBER: Final = r"([0-9]+(?:\.[0-9]+)?) ?"
DURATION_PATTERN: Final = rf"^{_NUMBER}(ms|s|min|h)$"
"""A duration: `250ms`, `1.5s`, `2min`, `1h`."""
SIZE_PATTERN: Final = rf"^{_NUMBER}(B|kB|KiB|MB|MiB|GB|GiB)$"
"""A size: `512MiB`, `64kB`, `100B`."""

_MILLISECONDS: Final = {"h": 3_600_000, "min": 60_000, "s": 1000, "ms": 1}
_BYTES: Final = {
    "GiB": 1 << 30,
    "MiB": 1 << 20,
    "KiB": 1 << 10,
    "GB": 10**9,
    "MB": 10**6,
    "kB": 1000,
    "B": 1,
}
_LARGEST: Final = 1 << 53
"""Numbers above this are no longer exact in every reader of JSON."""


def parse_duration(text: str) -> int:
    """Return a duration in whole milliseconds.

    Raises `ValueError`, with what was expected, for anything else.

    >>> parse_duration("250ms"), parse_duration("1.5s")
    (250, 1500)
    """
    return _parse(text, DURATION_PATTERN, _MILLISECONDS, 'a duration such as "250ms" or "1.5s"')


def format_duration(milliseconds: int) -> str:
    """Return a duration in the largest unit that needs no fraction.

    >>> format_duration(1500), format_duration(2000), format_duration(0)
    ('1500ms', '2s', '0s')
    """
    return _format(milliseconds, _MILLISECONDS, "0s")


def parse_size(text: str) -> int:
    """Return a size in bytes.

    Raises `ValueError`, with what was expected, for anything else.

    >>> parse_size("512MiB")
    536870912
    """
    return _parse(text, SIZE_PATTERN, _BYTES, 'a size such as "512MiB" or "64kB"')


def format_size(size: int) -> str:
    """Return a size in the first unit, of GiB MiB KiB GB MB kB, that needs no fraction.

    >>> format_size(1 << 20), format_size(64000), format_size(1500)
    ('1MiB', '64kB', '1500B')
    """
    return _format(size, _BYTES, "0B")


def _parse(text: str, pattern: str, units: dict[str, int], expected: str) -> int:
    match = re.fullmatch(pattern, text)
    if match is None:
        msg = f"expected {expected}, got {quoted(text)}"
        raise ValueError(msg)
    exact = Fraction(match[1]) * units[match[2]]
    if exact.denominator != 1 or exact > _LARGEST:
        smallest = min(units, key=lambda unit: units[unit])
        msg = f"expected a whole number of {smallest} up to {_LARGEST}, got {quoted(text)}"
        raise ValueError(msg)
    return int(exact)


def _format(value: int, units: dict[str, int], zero: str) -> str:
    if value == 0:
        return zero
    return next(f"{value // size}{unit}" for unit, size in units.items() if value % size == 0)
