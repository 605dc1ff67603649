"""A run in this process: what it does when the arena itself fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.league import runner
from arena.league.match import match_league
from arena.league.progress import Snapshot
from arena.league.verify import verify_record
from arena.referee.table import Table
from arena.referee.tables import Tables
from arena.shipped import sample_bots


class Told:
    """Progress that is kept."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.snapshots: list[Snapshot] = []

    def update(self, snapshot: Snapshot) -> None:
        self.snapshots.append(snapshot)

    def say(self, line: str) -> None:
        self.lines.append(line)

    def close(self) -> None:
        pass


def test_a_failure_of_the_referee_ends_the_run_and_it_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that the failure left without a decision would otherwise hang the run for ever."""
    overrides = ["league.boards=5", "league.seed=demo"]
    league = match_league(["random"] * 4, overrides, base=tmp_path, samples=sample_bots())
    deals = 0
    end_deal = Tables._end_deal

    def fail_once(tables: Tables, table: Table) -> None:
        nonlocal deals
        deals += 1
        if deals == 12:
            raise ValueError("made up")
        end_deal(tables, table)

    options, told = runner.RunOptions(), Told()
    with monkeypatch.context() as patch:
        patch.setattr(Tables, "_end_deal", fail_once)
        with pytest.raises(ValueError, match="made up"):
            runner.run(league, tmp_path / "run", options, told)
    outcome = runner.resume(tmp_path / "run", options, told)
    assert outcome.is_finished
    verdict = verify_record(outcome.record, commitment=outcome.commitment, sha256=outcome.sha256)
    assert verdict.ok
    assert verdict.deals == 20
    assert told.snapshots[-1].deals_done == 20


def test_a_bot_that_cannot_be_started_again_is_benched_and_the_others_play_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.referee.attendance.RESTART_DELAYS_S", (0, 0, 0))
    home = tmp_path / "home"
    home.mkdir()
    (home / "gone.py").write_text(
        "import os\n"
        "from arena.bot import run\n"
        "def choose(view):\n"
        "    os.rename(os.getcwd(), os.getcwd() + '.gone')\n"
        "    os._exit(1)\n"
        "run(choose)\n"
    )
    bots = [f"python {home / 'gone.py'}", "random", "lowest", "cautious"]
    overrides = ["league.boards=5", "league.seed=demo"]
    league = match_league(bots, overrides, base=home, samples=sample_bots())
    told = Told()
    outcome = runner.run(league, tmp_path / "run", runner.RunOptions(), told)
    assert outcome.is_finished
    assert verify_record(outcome.record).ok
    assert len([line for line in told.lines if "crashed (incident" in line]) == 4
    assert [line for line in told.lines if "is benched" in line]


def test_only_an_exception_of_the_arenas_own_code_ends_a_run() -> None:
    """What grpc's own callbacks raise on the loop is logged, and the run goes on."""
    with pytest.raises(ValueError, match="invalid") as of_others:
        int("x")
    with pytest.raises(ConfigError) as of_ours:
        match_league(["random"], [], base=Path(), samples={})
    assert not runner._is_ours(of_others.value)
    assert runner._is_ours(of_ours.value)
