"""`arena bench`: measures in rounds, interleaved, and tells medians with their spread.

Whole processes are measured each in a process of its own. All figures of a table come from one
run, so their ratios hold on a machine whose speed drifts.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from arena.errors import MachineError
from arena.league.config import cores
from arena.referee.flow import MAX_FRAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

TABLES: Final = (1, 32, 256, 1024)
DEALS: Final = {1: 400, 32: 4000, 256: 12_000, 1024: 16_000}
"""Deals of one measurement by tables: some seconds each."""
CLIENTS: Final = 4
ECHO_S: Final = 2.0
RECORDED: Final = 100_000
RULES_DEALS: Final = 20_000
MEMORY_DEALS: Final = 100_000
MEMORY_TABLES: Final = 256


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the bench: a figure over all rounds."""

    what: str
    tables: int | None
    figure: str
    median: float
    low: float
    high: float


class Bench:
    """Collects figures round by round."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._values: dict[tuple[str, int | None, str], list[float]] = defaultdict(list)

    def run(self, parts: Iterable[str], rounds: int) -> list[Measure]:
        """Measure the parts in turn, `rounds` times; return the figures."""
        parts = list(parts)
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder) / "deals.jsonl"
            if "league" in parts:
                from arena.bench.alone import write_record

                self._say(f"writing a record of {RECORDED:,} deals")
                write_record(record, RECORDED)
            for number in range(1, rounds + 1):
                self._say(f"round {number} of {rounds}")
                self._measure_round(parts, record)
        return self._measures()

    def memory(self) -> list[Measure]:
        """Play a long league once; return what its referee's memory did."""
        options = (f"--tables={MEMORY_TABLES}", f"--deals={MEMORY_DEALS}")
        figures = _in_process("playing", *options)
        for name in ("rss_mb", "rss_growth_mb", "deals_per_s"):
            self._note("memory", MEMORY_TABLES, name, figures[name])
        return self._measures()

    def _measure_round(self, parts: Sequence[str], record: Path) -> None:
        """Measure everything once; what is compared stands side by side in time."""
        from arena.bench import alone

        for tables in TABLES:
            frame = max(min(tables // CLIENTS, MAX_FRAME), 1)
            if "referee" in parts:
                options = (f"--tables={tables}", f"--deals={DEALS[tables]}")
                figures = _in_process("playing", *options)
                self._note_all("referee", tables, figures)
                frame = round(figures["decisions_per_frame"])
            if "wire" in parts:
                self._measure_wire(tables, frame)
        if "referee" in parts:
            self._note_ratios()
        if "rules" in parts:
            self._note_all("rules", None, alone.rules(RULES_DEALS))
            self._note_all("rules", None, alone.lines(RULES_DEALS // 4))
        if "league" in parts:
            self._note_all("league", None, alone.reading(record))

    def _measure_wire(self, tables: int, frame: int) -> None:
        """Echo the referee's frames, as many at once as it has out; and four, all there are."""
        out = 1 if tables == 1 else min(cores(), CLIENTS)
        options = (f"--frame={frame}", f"--seconds={ECHO_S}")
        same = _in_process("echo", *options, f"--out={out}")
        self._note_all("wire", tables, same)
        by_hand = _in_process("echo", *options, f"--out={out}", "--by-hand")
        self._note_all("wire by hand", tables, by_hand)
        if tables > 1:
            self._note_all("wire, four out", tables, _in_process("echo", *options, "--out=4"))

    def _note_all(self, what: str, tables: int | None, figures: Mapping[str, float]) -> None:
        for name, value in figures.items():
            if not name.startswith("rss"):
                self._note(what, tables, name, value)

    def _note(self, what: str, tables: int | None, figure: str, value: float) -> None:
        self._values[what, tables, figure].append(value)

    def _note_ratios(self) -> None:
        """Note what a round's figures make of each other, pair by pair."""
        one = self._last("referee", 1, "deals_per_s")
        for tables in TABLES:
            rate = self._last("referee", tables, "decisions_per_s")
            for wire in ("wire", "wire by hand", "wire, four out"):
                ceiling = self._last(wire, tables, "decisions_per_s")
                if rate and ceiling:
                    self._note(f"referee / {wire}", tables, "ratio", rate / ceiling)
            deals = self._last("referee", tables, "deals_per_s")
            if one and deals and tables > 1:
                self._note("referee / one table", tables, "ratio", deals / one)

    def _last(self, what: str, tables: int, figure: str) -> float | None:
        values = self._values.get((what, tables, figure))
        return values[-1] if values else None

    def _measures(self) -> list[Measure]:
        return [
            Measure(what, tables, figure, median(values), min(values), max(values))
            for (what, tables, figure), values in self._values.items()
        ]


def _in_process(module: str, *options: str) -> dict[str, float]:
    """Run one measurement in a process of its own.

    Raises `MachineError` with what it said when it fails.
    """
    command = [sys.executable, "-m", f"arena.bench.{module}", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        msg = f"the measurement {' '.join(command[2:])} failed with exit code {done.returncode}"
        raise MachineError(msg, why=done.stderr.strip()[-400:])
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def rows(measures: Iterable[Measure]) -> list[dict[str, Any]]:
    """Return figures as rows of a table."""
    return [
        {
            "what": measure.what,
            "tables": measure.tables,
            "figure": measure.figure,
            "median": round(measure.median, 3),
            "min": round(measure.low, 3),
            "max": round(measure.high, 3),
        }
        for measure in measures
    ]
