"""The bots of the tutorial play."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arena.bot
from arena.bot import Table, TableResult, View
from arena.rules.ruleset import BRANDELN
from tests.sample_bots.simulation import interval, play_deal, play_duel, starts

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/tutorials/first-bot.md").read_text(encoding="utf-8")
BLOCKS = [
    block
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    if ">>>" not in block
]


def load(block: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run a block as a file, and return what it gives to `run`."""
    given: dict[str, Any] = {}

    def run(choose: object, **options: object) -> None:
        given.update(options, choose=choose)

    monkeypatch.setattr(arena.bot, "run", run)
    exec(compile(block, "first-bot.md", "exec"), {"__name__": "__main__"})  # noqa: S102 (our page)
    return given


def test_the_tutorial_has_its_bots() -> None:
    assert len(BLOCKS) == 5
    assert all("def choose(view: View)" in block and "run(choose" in block for block in BLOCKS)
    assert sum(bool(line.strip()) for line in BLOCKS[0].splitlines()) < 10


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_bot_of_the_tutorial_plays_legally(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = load(block, monkeypatch)
    choose = names["choose"]
    table = Table(id=1)
    if "on_table_start" in names:
        names["on_table_start"](table)

    def ask(view: View) -> int:
        view = View.of(view.position, table)
        answer = choose(view)
        choice: int = asyncio.run(answer) if inspect.iscoroutine(answer) else answer
        return choice

    for dealer, hands, seeds in starts("tutorial", 5):
        assert play_deal([ask] * 4, dealer, hands, seeds, BRANDELN).is_over
    if "on_table_end" in names:
        names["on_table_end"](TableResult(table=table, deal=None, number=None, scores=()))


def test_the_bot_that_thinks_beats_the_first_one(monkeypatch: pytest.MonkeyPatch) -> None:
    first, thinking = (load(block, monkeypatch)["choose"] for block in BLOCKS[:2])
    low, _ = interval(play_duel(thinking, first, 200, "tutorial"))
    assert low > 0


@pytest.mark.e2e
def test_the_matches_of_the_tutorial_run(tmp_path: Path) -> None:
    commands = re.findall(r"^\$ arena (match \"python mine\.py\" .*)$", PAGE, re.MULTILINE)
    assert len(commands) == 2
    for command, block in zip(commands, BLOCKS, strict=False):
        (tmp_path / "mine.py").write_text(block, encoding="utf-8")
        words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', command)]
        done = subprocess.run(
            [sys.executable, "-c", "from arena.cli.main import main; main()", *words],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT), "ARENA_SET": "league.boards=8"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "mine" in done.stdout
        for log in tmp_path.glob("runs/*/bots/mine.log"):
            assert "Traceback" not in log.read_text(encoding="utf-8")
