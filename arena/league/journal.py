"""From the referee's journal to the record on the disk, without holding up the event loop.

Lines are made on the loop as deals complete and written and synced by a thread. What is told to
anybody (progress, live standings) is counted only once it is on the disk (RECORD).
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

from arena.league.record_lines import deal_line, event_line, event_of
from arena.referee.values import DealResult, Event

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arena.league.record_writer import RecordWriter
    from arena.league.standings_fold import StandingsFold

FOLDED_A_TICK: Final = 200
"""Deals added to the live standings in a row: each takes some microseconds."""


class Journal:
    """Collects what is to be recorded and writes it, in the order in which it happened."""

    def __init__(self, fold: StandingsFold, writer: RecordWriter) -> None:
        self.fold = fold
        self.deals = 0
        """Deals on the disk, by this run."""
        self.taken = 0
        """Deals taken from the referee, by this run."""
        self.faults = 0
        """Faulty decisions and incidents on the disk, by this run."""
        self._writer = writer
        self._lines: list[bytes] = []
        self._entries: list[DealResult | Event] = []
        self._news: list[Event] = []
        self._to_fold: deque[DealResult | Event] = deque()

    def take(self, entries: Iterable[DealResult | Event]) -> None:
        """Take what the referee has to tell."""
        for entry in entries:
            if isinstance(entry, DealResult):
                self.taken += 1
                self._lines.append(deal_line(entry))
            else:
                self._lines.append(event_line(event_of(entry)))
            self._entries.append(entry)

    async def sync(self) -> None:
        """Write and sync what was taken.

        Raises `EndedEarly` or `MachineError` when the disk does not take it.
        """
        if not self._lines:
            return
        data, entries = b"".join(self._lines), self._entries
        self._lines, self._entries = [], []
        await asyncio.to_thread(self._write, data)
        self._to_fold += entries
        for entry in entries:
            if isinstance(entry, DealResult):
                self.deals += 1
                self.faults += len(entry.faults)
            else:
                self.faults += bool(entry.incident)
                self._news.append(entry)

    def take_news(self) -> list[Event]:
        """Return the events that have reached the disk since the last call."""
        news, self._news = self._news, []
        return news

    def fold_some(self) -> None:
        """Add some of what is on the disk to the live standings."""
        for _ in range(min(FOLDED_A_TICK, len(self._to_fold))):
            entry = self._to_fold.popleft()
            if isinstance(entry, DealResult):
                self.fold.add_result(entry)
            else:
                self.fold.add_event(event_of(entry))

    def _write(self, data: bytes) -> None:
        self._writer.append(data)
        self._writer.sync()
