"""The referee's own slowness is never a bot's fault (FAULTS, The clock)."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from pathlib import Path
from time import monotonic_ns

from arena.referee.values import Clock
from arena.server.clockwork import TICK_NS, Clockwork
from tests.server.serving import NAMES, Serving, on_a_loop, token_of

BOTS = Path(__file__).with_name("instant_bots.py")
STALL_S = 0.3
STALLS = 4
IMPATIENT = Clock(move_ms=200, bank_ms=0, start_ms=20_000)


class Stalls:
    """Holds up the loop while decisions are out, some times in a run."""

    def __init__(self, serving: Serving) -> None:
        self.left = STALLS
        self._serving = serving
        self._answers = 0

    def __call__(self) -> None:
        referee = self._serving.referee
        if self.left and referee.flow.in_flight and referee.answers > self._answers:
            self.left -= 1
            self._answers = referee.answers + 20
            time.sleep(STALL_S)  # the shell's loop does nothing meanwhile; the bots' goes on


async def play_with_stalls(clockwork: type[Clockwork] | None = None) -> Counter[str]:
    """Play boards with instant bots while the loop is held up; return the faults by kind.

    All tables ask at once and the stalls come from a tick, so decisions that were just written
    are answered by the bots in the meantime and read after their time is up.
    """
    serving = Serving(boards=24, clock=IMPATIENT, tables=8)
    if clockwork:
        serving.server.clockwork = clockwork(
            serving.referee, judge=serving.server._judge, after_tick=serving.server._after_tick
        )
    stalls = Stalls(serving)
    serving.host.tick = stalls
    async with serving:
        tokens = [word for name in NAMES for word in (name, token_of(name))]
        command = (sys.executable, str(BOTS), serving.address, *tokens)
        bots = await asyncio.create_subprocess_exec(*command, env={"PYTHONPATH": ROOT})
        try:
            await serving.finished()
            await serving.close()
            await bots.wait()
        finally:
            if bots.returncode is None:
                bots.kill()
                await bots.wait()
        assert stalls.left == 0
        return Counter(fault.kind.value for _, fault in serving.faults)


ROOT = str(Path(__file__).parent.parent.parent)


@on_a_loop
async def test_a_stall_of_the_referee_charges_nobody() -> None:
    assert await play_with_stalls() == {}


class JudgesAtOnce(Clockwork):
    """Judges when a timer fires, and knows nothing of blocks of its own loop."""

    def now(self) -> int:
        return monotonic_ns()

    def _tick(self) -> None:
        now = self.now()
        self._due = now + TICK_NS
        self._handle = self._loop.call_later(TICK_NS / 1e9, self._tick)
        if self._referee.next_due() <= now:
            self._referee.tick(now)
        self._after_tick()


@on_a_loop
async def test_control_judging_at_once_makes_false_forfeits() -> None:
    """Without the second look and without the credit for blocks, instant bots are charged."""
    faults = await play_with_stalls(JudgesAtOnce)
    assert faults["TIMEOUT"] > 0


class LooksAgain(JudgesAtOnce):
    """Looks again before it judges, without a credit for blocks."""

    def _tick(self) -> None:
        Clockwork._tick(self)


@on_a_loop
async def test_the_second_look_alone_charges_nobody_who_has_answered() -> None:
    assert await play_with_stalls(LooksAgain) == {}


class Credits(JudgesAtOnce):
    """Credits blocks, but judges at once."""

    def now(self) -> int:
        return Clockwork.now(self)


@on_a_loop
async def test_the_credit_for_blocks_alone_charges_nobody() -> None:
    assert await play_with_stalls(Credits) == {}
