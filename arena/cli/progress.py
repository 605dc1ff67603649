"""The progress of a league on stderr: a live display, or a plain line every ten seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Final, Protocol

from arena.cli import console
from arena.league.progress import Progress, Snapshot, TopRow

REDRAW_NS: Final = 250_000_000
"""At most four redraws a second."""
PLAIN_NS: Final = 10_000_000_000
BAR_WIDTH: Final = 24


class ProgressMode(StrEnum):
    """How progress is shown."""

    AUTO = "auto"
    BAR = "bar"
    PLAIN = "plain"
    NONE = "none"


def deals_per_second(snapshot: Snapshot) -> float:
    """Return the rate of this run."""
    played = snapshot.deals_done - snapshot.deals_before
    return played * 1000 / snapshot.elapsed_ms if snapshot.elapsed_ms else 0.0


def time_left(snapshot: Snapshot) -> str:
    """Return the estimated time left as `1:02:03` or `2:03`; a dash while it is unknown."""
    rate = deals_per_second(snapshot)
    if rate <= 0:
        return "–:–"
    seconds = round((snapshot.deals_total - snapshot.deals_done) / rate)
    minutes, seconds = divmod(max(seconds, 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def plain_line(snapshot: Snapshot) -> str:
    """Return one line that says it all."""
    share = snapshot.deals_done / snapshot.deals_total if snapshot.deals_total else 1.0
    parts = [
        f"{snapshot.deals_done:,} of {snapshot.deals_total:,} deals ({share:.0%})",
        f"{deals_per_second(snapshot):,.0f} deals/s",
        f"{time_left(snapshot)} left",
        _count(snapshot.faults, "fault"),
    ]
    if snapshot.state:
        parts.insert(0, snapshot.state)
    line = ", ".join(parts)
    top = ", ".join(f"{row.name} {_interval(row)}" for row in snapshot.top)
    return f"{snapshot.name}: {line}" + (f"; provisional: {top}" if top else "")


def bar_text(snapshot: Snapshot, columns: int = 120) -> str:
    """Return the lines of the live display; on a narrow terminal the bar and the rate give way."""
    line = _bar_line(snapshot, BAR_WIDTH, has_rate=True)
    if len(line) > columns:
        line = _bar_line(snapshot, max(BAR_WIDTH - (len(line) - columns), 0), has_rate=True)
    if len(line) > columns:
        line = _bar_line(snapshot, 0, has_rate=False)
    width = max((len(row.name) for row in snapshot.top), default=0)
    rows = [
        f"  {place} {row.name:<{width}}  {_interval(row)}"
        for place, row in enumerate(snapshot.top, start=1)
    ]
    head = ["  provisional, per 100:"] if rows else []
    return "\n".join([line, *head, *rows])


def _bar_line(snapshot: Snapshot, width: int, *, has_rate: bool) -> str:
    share = snapshot.deals_done / snapshot.deals_total if snapshot.deals_total else 1.0
    full = min(int(share * width), width)
    bar = " " + "█" * full + "░" * (width - full) if width else ""
    rate = f"  {deals_per_second(snapshot):,.0f} deals/s" if has_rate else ""
    state = f"  {snapshot.state}" if snapshot.state else ""
    return (
        f"{snapshot.name}{bar} {snapshot.deals_done:,}/{snapshot.deals_total:,} deals{rate}"
        f"  {time_left(snapshot)} left  {_count(snapshot.faults, 'fault')}{state}"
    )


def _interval(row: TopRow) -> str:
    half = "" if row.half_width is None else f" ± {row.half_width:.1f}"
    return f"{row.score:+.1f}{half}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


class Silent:
    """No progress; what is said is said, unless only errors are wanted."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say

    def update(self, snapshot: Snapshot) -> None:
        """Ignore it."""

    def close(self) -> None:
        """Do nothing."""


class _Paced:
    """Shows the newest snapshot, no more often than every so many nanoseconds."""

    def __init__(self, now: Callable[[], int], every_ns: int, first_ns: int) -> None:
        self._now = now
        self._every_ns = every_ns
        self._due = now() + first_ns
        self._last: Snapshot | None = None

    def update(self, snapshot: Snapshot) -> None:
        """Show it if it is time."""
        self._last = snapshot
        if self._now() >= self._due:
            self._due = self._now() + self._every_ns
            self._show(snapshot)

    def _show(self, snapshot: Snapshot) -> None:
        raise NotImplementedError

    def _last_word(self) -> str:
        """Return the line for the end, once; without leaders, since the standings follow.

        It is empty if nothing was played.
        """
        last, self._last = self._last, None
        if last is None or last.deals_done == last.deals_before:
            return ""
        return plain_line(replace(last, top=()))


class PlainProgress(_Paced):
    """A line every ten seconds, and one at the end."""

    def __init__(self, now: Callable[[], int], write: Callable[[str], None]) -> None:
        super().__init__(now, PLAIN_NS, PLAIN_NS)
        self._write = write

    def _show(self, snapshot: Snapshot) -> None:
        self._write(plain_line(snapshot))

    def say(self, line: str) -> None:
        """Print a line."""
        self._write(line)

    def close(self) -> None:
        """Print the last word."""
        if line := self._last_word():
            self._write(line)


class Drawing(Protocol):
    """A few lines on a terminal that are drawn over each other."""

    def draw(self, text: str) -> None:
        """Replace what is drawn."""

    def print_above(self, line: str) -> None:
        """Print a line that stays."""

    def stop(self) -> None:
        """Remove what is drawn."""


class BarProgress(_Paced):
    """A live display of at most four redraws a second."""

    def __init__(
        self, now: Callable[[], int], lines: Drawing, columns: Callable[[], int] = lambda: 120
    ) -> None:
        super().__init__(now, REDRAW_NS, 0)
        self._lines = lines
        self._columns = columns

    def _show(self, snapshot: Snapshot) -> None:
        self._lines.draw(bar_text(snapshot, self._columns()))

    def say(self, line: str) -> None:
        """Print a line above the display."""
        self._lines.print_above(line)

    def close(self) -> None:
        """Remove the display and leave one line in its place."""
        self._lines.stop()
        if line := self._last_word():
            console.note(line)


def make_progress(mode: ProgressMode, now: Callable[[], int], *, quiet: bool = False) -> Progress:
    """Return the display that a mode asks for; `auto` is a bar on a terminal, else plain lines.

    `now` returns nanoseconds of a monotonic clock.
    """
    if mode is ProgressMode.AUTO:
        if quiet:
            return Silent(lambda _line: None)
        mode = ProgressMode.BAR if console.is_terminal(sys.stderr) else ProgressMode.PLAIN
    match mode:
        case ProgressMode.BAR:
            lines = console.LiveLines()
            return BarProgress(now, lines, lambda: lines.columns)
        case ProgressMode.PLAIN:
            return PlainProgress(now, console.note)
        case _:
            return Silent((lambda _line: None) if quiet else console.note)
