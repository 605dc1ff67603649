"""Leagues in which anything may happen at any time, drawn by Hypothesis."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from hypothesis import strategies as st

from arena.referee.values import Clock, Policy
from arena.rules.actions import LAST_ACTION
from tests.sim.invariants import at_every_moment
from tests.sim.leagues import LARGER, PLAYS, Play
from tests.sim.offenders import place_of
from tests.sim.world import Bot, Reply, World, chosen, plans

if TYPE_CHECKING:
    from arena.league.legs import DoneLegs
    from arena.referee.values import History
    from arena.v1 import referee_pb2

WAYS: Final = (
    "illegal",
    "malformed",
    "garbage",
    "stall",
    "late",
    "slow",
    "crash",
    "cut",
    "leave",
    "replace",
    "twice",
    "repeat",
)
OPS: Final = ("cut", "leave", "crash", "garbage", "stray", "hello", "freeze")
IN_FLIGHT: Final = (1, 2, 5, 128)
_MIXED: Final = 2654435761


@dataclass(frozen=True, slots=True)
class Character:
    """How a bot behaves: mostly well, else in one of its ways."""

    ways: tuple[str, ...] = ()
    one_in: int = 10
    salt: int = 0
    max_in_flight: int = 128
    start_ms: float = 1
    restart_ms: float = 1
    pace_ms: float = 1
    dials_in: bool = False

    def script(self, decision: referee_pb2.Decision) -> Reply:
        seed, seat, index = place_of(decision)
        mixed = (seed ^ seat * 97 ^ index * 8191 ^ self.salt) * _MIXED & 0xFFFFFFFF
        calm = Reply(chosen(decision), after_ms=self.pace_ms)
        if not self.ways or (mixed >> 8) % self.one_in:
            return calm
        way = self.ways[(mixed >> 20) % len(self.ways)]
        return self._misbehave(way, decision, mixed)

    def _misbehave(self, way: str, decision: referee_pb2.Decision, mixed: int) -> Reply:
        action, pace = chosen(decision), self.pace_ms
        legal = set(decision.legal)
        illegal = next(a for a in range(LAST_ACTION, 0, -1) if a not in legal)
        return {
            "illegal": Reply(illegal, pace),
            "malformed": Reply(mixed % 3 * 100, pace),
            "garbage": Reply(garbage=True, after_ms=pace),
            "stall": Reply(),
            "late": Reply(action, after_ms=mixed % 9000),
            "slow": Reply(action, after_ms=mixed % 2500),
            "crash": Reply(crash=True, after_ms=pace),
            "cut": Reply(cut_ms=mixed % 15_000, after_ms=pace),
            "leave": Reply(cut_ms=-1, after_ms=pace),
            # Only when it is asked the first time, else it would do nothing but reconnect.
            "replace": Reply(action, max(pace, 1), replace=decision.move_ms % 100 == 0),
            "twice": Reply(action, pace, again=illegal),
            "repeat": Reply(action, pace, again=action),
        }[way]


@dataclass(frozen=True, slots=True)
class Op:
    """Something that happens to a bot from outside."""

    at_ms: int
    name: str
    what: str
    arg: int


@dataclass(frozen=True, slots=True)
class Chaos:
    """A small league and all that happens in it."""

    play: Play
    characters: dict[str, Character]
    ops: tuple[Op, ...] = ()
    tables: int = 1
    thinking: int = 0
    clock: Clock = field(default_factory=Clock)
    policy: Policy = field(default_factory=Policy)
    service_us: int = 20

    def world(self, history: History | None = None, done: DoneLegs | None = None) -> World:
        """Return a world that has not begun; what must always hold is checked all along."""
        names = self.play.names
        world = World(
            {
                name: Bot(one.script, one.max_in_flight, one.start_ms, one.restart_ms)
                for name, one in self.characters.items()
            },
            plans(self.play.name, names, self.play.passes, done, field=self.play.field),
            game=self.play.game,
            clock=self.clock,
            policy=self.policy,
            tables=self.tables,
            thinking=self.thinking,
            dials_in=[name for name in names if self.characters[name].dials_in],
            history=history,
            check=at_every_moment,
        )
        world.referee.flow.service_ns = self.service_us * 1000
        for op in self.ops:
            world.at(op.at_ms, partial(happen, world, op))
        return world

    def at_peace(self) -> Chaos:
        """Return the same league with bots that do no wrong."""
        calm = {name: Character() for name in self.characters}
        return Chaos(self.play, calm, (), self.tables, 0, self.clock, self.policy)


def happen(world: World, op: Op) -> None:
    """Let something happen to a bot."""
    session = world.referee.by_name[op.name]
    if op.what == "cut":
        world.cut(op.name, back_ms=op.arg)
    elif op.what == "leave":
        world.cut(op.name)
    elif op.what == "crash":
        world.crash(op.name)
    elif op.what == "garbage":
        for _ in range(op.arg % 60):
            world.garbage(op.name)
    elif op.what == "stray":
        for number in range(op.arg % 60):
            world.answer(op.name, 0, (op.arg * 257 + (number << 8), op.arg % 60))
    elif op.what == "freeze":
        begin = world.now
        world.now += op.arg * 1_000_000 // 10
        world.referee.block(begin, world.now)
    elif not session.stream or op.arg % 2:
        world.bots[op.name].max_in_flight = IN_FLIGHT[op.arg // 2 % len(IN_FLIGHT)]
        world.hello_again(op.name)


def _characters() -> st.SearchStrategy[Character]:
    return st.builds(
        Character,
        ways=st.lists(st.sampled_from(WAYS), max_size=4, unique=True).map(tuple),
        one_in=st.sampled_from([2, 5, 10, 30, 100]),
        salt=st.integers(0, 1000),
        max_in_flight=st.sampled_from(IN_FLIGHT),
        start_ms=st.sampled_from([1] * 8 + [300] * 4 + [6000]),
        restart_ms=st.sampled_from([1, 300, 6000, 12_000, -1]),
        pace_ms=st.sampled_from([0, 1, 1, 7, 40]),
        dials_in=st.sampled_from([False, False, False, True]),
    )


@st.composite
def chaoses(draw: st.DrawFn) -> Chaos:
    """Draw a league."""
    plays = PLAYS | LARGER
    whole = plays[draw(st.sampled_from(sorted(plays)))]
    passes = draw(st.integers(1, whole.passes))
    play = Play(whole.name, whole.names, passes, whole.game, whole.field)
    names = st.sampled_from(whole.names)
    times = st.one_of(st.integers(0, 400), st.integers(0, 30_000))
    ops = st.builds(Op, times, names, st.sampled_from(OPS), st.integers(0, 15_000))
    return Chaos(
        play,
        {name: draw(_characters()) for name in whole.names},
        tuple(draw(st.lists(ops, max_size=12))),
        tables=draw(st.sampled_from([1, 2, 5, 30])),
        thinking=draw(st.sampled_from([0, 0, 1, 2])),
        clock=draw(
            st.sampled_from([Clock(), Clock(), Clock(100, 200, 1000), Clock(5000, 0, 3000)])
        ),
        policy=draw(st.sampled_from([Policy(), Policy(1, 1, 0.3, 4), Policy(2, 50, 1.0, 1)])),
        service_us=draw(st.sampled_from([20, 20, 5000, 1_000_000])),
    )
