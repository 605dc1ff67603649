"""Small leagues of every play, run in a world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from arena.league import schedule
from arena.league.schedule import boards_per_pass
from arena.referee.values import Game, Policy
from tests.sim.invariants import at_every_moment, at_the_end
from tests.sim.world import KEY, Bot, World, plans

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.v1 import referee_pb2
    from tests.sim.world import Reply

NO_BENCH: Final = Policy(crashes=10_000, share=1.0)
"""For leagues whose offender is to go on offending."""


@dataclass(frozen=True, slots=True)
class Play:
    """How a small league is played."""

    name: str
    names: str
    passes: int
    game: Game
    field: str = ""

    @property
    def legs(self) -> int:
        """All legs of the league."""
        boards = self.passes * boards_per_pass(self.name, self.names, self.field)
        return boards * schedule.Play(self.name).legs


PLAYS: Final = {
    "boards": Play("boards", "abcd", 7, Game(KEY)),
    "duel": Play("duel", "ab", 12, Game(KEY, shows_names=False)),
    "points": Play("points", "abcd", 2, Game(KEY, target=3, max_deals=5)),
}
LARGER: Final = {
    "five": Play("boards", "abcde", 2, Game(KEY)),
    "independent": Play("independent", "abcdef", 4, Game(KEY, shows_names=False)),
    "gauntlet": Play("gauntlet", "abcde", 3, Game(KEY), "bcd"),
    "paired": Play("paired", "abcde", 3, Game(KEY, shows_names=False), "bcd"),
}


def run(
    play: Play,
    script: Callable[[referee_pb2.Decision], Reply] | None = None,
    *,
    max_in_flight: int = 128,
    **options: Any,
) -> World:
    """Run a league to its end; `a` is played by a script. What must always hold is checked."""
    bots = {name: Bot() for name in play.names}
    if script:
        bots["a"] = Bot(script, max_in_flight=max_in_flight)
    boards = plans(play.name, play.names, play.passes, field=play.field)
    options.setdefault("check", at_every_moment)
    world = World(bots, boards, game=play.game, **options).run()
    at_the_end(world)
    assert len({(result.board, result.leg) for result in world.deals}) == play.legs
    return world
