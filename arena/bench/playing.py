"""The referee with four bots as processes: a whole league as users run it, record included.

Run as a program it is one measurement and prints it as JSON. What is measured lies between 15 and
85 of 100 deals, so that neither the start of the bots nor the last tables count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from arena.league.folder import RunFolder
from arena.league.match import match_league
from arena.league.processes import descriptors_needed, raise_nofile
from arena.league.runner import LeagueRun, RunOptions
from arena.shipped import sample_bots

if TYPE_CHECKING:
    from arena.league.progress import Snapshot

FROM: Final = 0.15
TO: Final = 0.85
RSS_S: Final = 0.2
"""Seconds between two looks at the memory: a look costs as much as a decision."""
_STATM: Final = Path("/proc/self/statm")
_PAGE: Final = 4096


class Sample(NamedTuple):
    """Where the run stands at a tick."""

    deals: int
    seconds: float
    cpu_s: float
    answers: int
    frames: int
    rss_mb: float


class Silent:
    """Shows no progress."""

    def update(self, snapshot: Snapshot) -> None:
        """Take no note."""

    def say(self, line: str) -> None:
        """Say nothing."""

    def close(self) -> None:
        """Do nothing."""


class MeasuredRun(LeagueRun):
    """A run that notes where it stands at every tick."""

    samples: list[Sample]
    rss_at = 0.0
    rss_mb = 0.0

    def on_tick(self) -> None:
        """Take a sample, and do what a run does."""
        journal = self.journal
        if journal:
            if not self.samples or time.perf_counter() - self.rss_at > RSS_S:
                self.rss_at, self.rss_mb = time.perf_counter(), _rss_mb()
            self.samples.append(
                Sample(
                    journal.taken,
                    time.perf_counter(),
                    time.process_time(),
                    self.referee.answers,
                    self.referee.flow.frames,
                    self.rss_mb,
                )
            )
        super().on_tick()


def _rss_mb() -> float:
    """Return this process's resident memory in MB, 0 where the system does not tell."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE / 1e6
    except OSError:
        return 0.0


def play(tables: int, deals: int, folder: Path) -> list[Sample]:
    """Play a league of four `random` bots; return its samples."""
    league = match_league(
        ["random"] * 4,
        [
            f"league.boards={deals // 4}",
            f"league.tables={tables}",
            "league.seed=bench",
        ],
        base=folder,
        samples=sample_bots(),
    )
    raise_nofile(descriptors_needed(4))
    with RunFolder.create(league, folder / "run") as run_folder:
        run = MeasuredRun(league, run_folder, run_folder.seed(), None, None, RunOptions(), Silent())
        run.samples = []
        asyncio.run(run.play())
    return run.samples


def measure(tables: int, deals: int, folder: Path) -> dict[str, float]:
    """Play a league and return its figures."""
    samples = play(tables, deals, folder)
    first = next(s for s in samples if s.deals >= FROM * deals)
    last = next(s for s in samples if s.deals >= TO * deals)
    seconds = last.seconds - first.seconds
    answers = last.answers - first.answers
    early = next(s for s in samples if s.deals >= deals / 10)
    return {
        "deals_per_s": (last.deals - first.deals) / seconds,
        "decisions_per_s": answers / seconds,
        "decisions_per_frame": answers / (last.frames - first.frames),
        "cpu_us_per_decision": (last.cpu_s - first.cpu_s) / answers * 1e6,
        "rss_mb": samples[-1].rss_mb,
        "rss_growth_mb": samples[-1].rss_mb - early.rss_mb,
    }


def main() -> None:
    """Measure once and print the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, required=True)
    parser.add_argument("--deals", type=int, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        json.dump(measure(given.tables, given.deals, Path(folder)), sys.stdout)


if __name__ == "__main__":
    main()
