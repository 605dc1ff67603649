"""The demo, and that the README shows what comes out of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
START = "<!-- standings: ARENA_UPDATE_SNAPSHOTS=1 scripts/test tests/docs -->\n"
END = "<!-- end -->\n"
MEASURED = 2
"""The last columns of a table of standings are measured, so they differ from run to run."""


def arena(*words: str) -> str:
    """Run a command and return what it printed on stdout."""
    program = [sys.executable, "-c", "from arena.cli.main import main; main()", *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        program, env=environment, capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def table(markdown: str) -> str:
    """Return the rows of a table without the columns that are measured."""
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    return "".join("|".join(row.split("|")[: -MEASURED - 1]) + "|\n" for row in rows)


@pytest.mark.e2e
def test_the_readme_shows_the_standings_of_the_demo(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    printed = arena("-q", "league", "run", f"{ROOT}/scripts/demo.toml", "--run", run)
    assert "greedy" in printed
    fresh = table(arena("league", "standings", run, "--format", "md"))
    head, start, rest = README.read_text(encoding="utf-8").partition(START)
    shown, end, tail = rest.partition(END)
    assert start
    assert end
    if os.environ.get("ARENA_UPDATE_SNAPSHOTS"):
        README.write_text(f"{head}{START}\n{fresh}\n{END}{tail}", encoding="utf-8")
        return
    assert shown.strip() == fresh.strip()
