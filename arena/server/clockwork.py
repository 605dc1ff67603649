"""The shell's sense of time: now, blocks of the loop, lag, and when the referee is to judge."""

from __future__ import annotations

import asyncio
from collections import Counter
from time import monotonic_ns
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.referee.referee import Referee

TICK_NS: Final = 5_000_000
"""Between two ticks."""
BLOCK_NS: Final = 20_000_000
"""When the loop shows no sign of life for longer than this, that is a block, and it is credited,
whole (FAULTS, Clock). The loop may have been idle for up to a tick before it."""
SECOND_LOOK_S: Final = 0.020
"""How long what has arrived may take to be read before anybody is judged late."""


class Clockwork:
    """Ticks beside the streams and tells the referee what time does to it."""

    def __init__(
        self,
        referee: Referee,
        *,
        judge: Callable[[int, int], None],
        after_tick: Callable[[], None],
    ) -> None:
        """Take what to call when it is time to judge (with now and the time of the first look)
        and what to call after each tick.
        """
        self._referee = referee
        self._judge_now = judge
        self._after_tick = after_tick
        self._loop = asyncio.get_running_loop()
        self._due = 0
        """When the next tick is due."""
        self._alive = 0
        """The loop's last sign of life."""
        self._handle: asyncio.TimerHandle | None = None
        self._is_looking = False
        self._lags_us: Counter[int] = Counter()
        self._served_ns = 0
        self._served = 0

    def start(self) -> None:
        """Begin to tick."""
        self._alive = monotonic_ns()
        self._due = self._alive + TICK_NS
        self._handle = self._loop.call_later(TICK_NS / 1e9, self._tick)

    def stop(self) -> None:
        """Tick no more."""
        if self._handle:
            self._handle.cancel()
            self._handle = None

    def now(self) -> int:
        """Return the time in ns; a block that has just ended is credited first."""
        now = monotonic_ns()
        if now - self._alive > BLOCK_NS and self._handle:
            self._referee.block(self._alive, now)
        self._alive = now
        return now

    def served(self, since: int, decisions: int) -> None:
        """Note that serving some decisions has taken from `since` to now."""
        self._served_ns += monotonic_ns() - since
        self._served += decisions

    @property
    def lag_p99_us(self) -> int:
        """How late the 99th of 100 ticks came, in microseconds."""
        left = sum(self._lags_us.values()) // 100
        for lag, times in sorted(self._lags_us.items(), reverse=True):
            left -= times
            if left < 0:
                return lag
        return 0

    def _tick(self) -> None:
        now = self.now()
        self._lags_us[_rounded(max(now - self._due, 0) // 1000)] += 1
        self._due = now + TICK_NS
        self._handle = self._loop.call_later(TICK_NS / 1e9, self._tick)
        if self._served:
            flow = self._referee.flow
            flow.service_ns = (3 * flow.service_ns + self._served_ns // self._served) // 4
            self._served_ns = self._served = 0
        if not self._is_looking and self._referee.next_due() <= now:
            self._is_looking = True
            # The second look: two turns of the loop, then a while more, then judge.
            self._loop.call_soon(self._loop.call_soon, self._look, now)
        self._after_tick()

    def _look(self, looked: int) -> None:
        self._loop.call_later(SECOND_LOOK_S, self._judge, looked)

    def _judge(self, looked: int) -> None:
        self._is_looking = False
        self._judge_now(self.now(), looked)
        self._after_tick()


def _rounded(lag_us: int) -> int:
    """Return a lag with two significant digits, so that few different ones are counted."""
    step = 1
    while lag_us >= 100 * step:
        step *= 10
    return lag_us // step * step
