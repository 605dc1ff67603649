"""The knobs of the game as one frozen value (RULES, the words in bold)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from arena.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

CHOICES: Final[dict[str, tuple[object, ...]]] = {
    "opening": ("brandeln", "any"),
    "declare_above_bid": (True, False),
    "void": ("must_trump", "any"),
    "trump_order": ("plain", "jack_seven"),
    "passed_out_winner": ("most", "fewest"),
    "passed_out_tie": ("none", "all"),
}
"""What each knob of words may be, its default first."""
POINTS_LIMIT: Final = 100
"""Points of a passed-out deal stay within plus and minus this, so that they fit everywhere."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The rules a deal is played under. Without arguments: Brandeln as handed down.

    Raises `ConfigError` when a knob is given a value it does not have.

    >>> Ruleset(opening="any").opening
    'any'
    """

    name: str = "brandeln"
    """A label; it decides nothing."""
    opening: str = "brandeln"
    """`brandeln`: the first bid is exactly BRANDELN; `any`: any contract."""
    declare_above_bid: bool = True
    """Whether the declarer may name a contract above his bid."""
    void: str = "must_trump"
    """`must_trump`: who cannot follow must trump if he can; `any`: he may discard."""
    trump_order: str = "plain"
    """`plain`: 7 9 T J Q K A; `jack_seven`: in trumps jack, then seven, stand above the ace."""
    passed_out_winner: str = "most"
    """Who scores in a passed-out deal: who took the `most` or the `fewest` tricks."""
    passed_out_tie: str = "none"
    """Whether `none` or `all` of those who tie for it score."""
    passed_out_points: int = 1
    """What the winner of a passed-out deal scores."""
    passed_out_all_tricks: int = -3
    """What a player scores instead who takes all seven tricks of a passed-out deal."""

    def __post_init__(self) -> None:
        for knob, choices in CHOICES.items():
            value = getattr(self, knob)
            if value not in choices or isinstance(value, bool) != isinstance(choices[0], bool):
                expected = " or ".join(_spelling(choice) for choice in choices)
                msg = f"ruleset.{knob}: expected {expected}, got {_spelling(value)}"
                raise ConfigError(msg)
        for knob in ("passed_out_points", "passed_out_all_tricks"):
            value = getattr(self, knob)
            if not isinstance(value, int) or isinstance(value, bool) or abs(value) > POINTS_LIMIT:
                msg = (
                    f"ruleset.{knob}: expected a whole number from -{POINTS_LIMIT} to"
                    f" {POINTS_LIMIT}, got {_spelling(value)}"
                )
                raise ConfigError(msg)
        if not isinstance(self.name, str) or not 1 <= len(self.name) <= 64:
            msg = f"ruleset.name: expected a text of 1 to 64 characters, got {self.name!r}"
            raise ConfigError(msg)

    def to_dict(self) -> dict[str, Any]:
        """Return the knobs by name, in the order of the record's header."""
        return asdict(self)

    @classmethod
    def from_dict(cls, knobs: Mapping[str, Any]) -> Ruleset:
        """Build a ruleset from knobs by name; those left out keep their defaults.

        Raises `ConfigError` for a knob that does not exist or a value it cannot have.
        """
        known = [field.name for field in fields(cls)]
        for knob in knobs:
            if knob not in known:
                near = get_close_matches(knob, known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
                msg = f"ruleset.{knob}: no such knob"
                raise ConfigError(msg, hint=hint)
        return cls(**knobs)


def _spelling(value: object) -> str:
    """Return a value as a league file spells it."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


BRANDELN: Final = Ruleset()
"""The default ruleset."""
