"""What a check finds: a difference, with what was expected and what came."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place at which a record is not what it says."""

    line: int
    """From 1; 0 when it is the file as a whole."""
    where: str
    """What the line is, such as `board 3 leg 1` or `header`."""
    what: str
    """What of it differs, such as `points`."""
    expected: str
    """Empty when `came` says it all."""
    came: str

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line else ""
        found = f"expected {self.expected}, got {self.came}" if self.expected else self.came
        return f"{place}{self.where}: {self.what}: {found}"


class DiffersError(Exception):
    """Raised inside a check and turned into a `Difference` with its place."""

    def __init__(self, what: str, expected: object, came: object) -> None:
        super().__init__(f"{what}: expected {expected}, got {came}")
        self.what = what
        self.expected = str(expected)
        self.came = str(came)


def expect(what: str, expected: object, came: object) -> None:
    """Raise `DiffersError` when two values are not equal."""
    if expected != came:
        raise DiffersError(what, _shown(expected), _shown(came))


def require(what: str, expected: str, came: object, *, holds: bool) -> None:
    """Raise `DiffersError` when something that is said in words does not hold."""
    if not holds:
        raise DiffersError(what, expected, _shown(came))


def _shown(value: object) -> str:
    """Return a value as the record spells it."""
    if value is None:
        return "none"
    if isinstance(value, (tuple, list)):
        return "[" + " ".join(str(item) for item in value) + "]"
    return str(value) if value != "" else "an empty text"
