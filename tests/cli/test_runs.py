"""Runs as a person starts them: their exit codes, and what goes to stdout and to stderr."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.cli import main

pytestmark = pytest.mark.e2e

ARENA = [sys.executable, "-c", "from arena.cli.main import main; main()"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(main.__file__).parents[2]), "COLUMNS": "120"}


def arena(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [*ARENA, *words],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_a_league_prints_its_standings_on_stdout_and_all_else_on_stderr() -> None:
    done = arena("league", "run", "good.toml", "--format", "json", "--progress", "plain")
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert value["boards"] == 8
    assert not value["provisional"]
    said = done.stderr.splitlines()
    assert said[0] == "run folder: runs/good-1"
    assert said[1].startswith("commitment: ")
    assert said[-1].startswith("sha256: ")
    sha256 = said[-1].split()[-1]
    commitment = said[1].split()[-1]
    checked = arena(
        "verify", "runs/good-1", "--commitment", commitment, "--sha256", sha256, "--format", "json"
    )
    assert checked.returncode == 0
    assert json.loads(checked.stdout)["records"][0]["ok"]


def test_quiet_leaves_only_the_data() -> None:
    done = arena("-q", "match", "greedy", "random", "--boards", "3", "--seed", "a")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "greedy" in done.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_run_that_resumes(number: signal.Signals, tmp_path: Path) -> None:
    command = [*ARENA, "league", "run", "good.toml", "--set", "league.boards=100000"]
    with subprocess.Popen(
        command,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        record = tmp_path / "runs/good-1/deals.jsonl"
        limit = time.monotonic() + 60
        while not record.is_file() or record.stat().st_size < 10_000:
            assert running.poll() is None
            assert time.monotonic() < limit
            time.sleep(0.05)
        running.send_signal(number)
        assert running.stderr is not None
        said = running.stderr.read()
        assert running.wait(timeout=60) == 128 + number
    assert "  arena league resume runs/good-1\n" in said
    listed = arena("league", "ls", "--format", "json")
    (row,) = json.loads(listed.stdout)["runs"]
    assert row["state"] == "unfinished"
    assert arena("verify", "runs/good-1").returncode == 0


def test_commit_prints_the_commitment_that_the_run_then_has() -> None:
    done = arena("league", "commit", "good.toml", "--set", "league.seed=random", "--run", "run")
    assert done.returncode == 0
    (commitment,) = done.stdout.split()
    played = arena("league", "resume", "run", "--public", "a text", "--progress", "none")
    assert played.returncode == 0, played.stderr
    checked = arena("verify", "run", "--commitment", commitment)
    assert checked.returncode == 0, checked.stdout
    again = arena("league", "resume", "run", "--public", "another")
    assert again.returncode == 2
    assert "another public text" in again.stderr


def test_a_second_run_in_one_folder_is_refused() -> None:
    assert arena("-q", "league", "run", "good.toml", "--run", "run").returncode == 0
    again = arena("league", "run", "good.toml", "--run", "run")
    assert again.returncode == 4
    assert again.stderr.startswith("error: run: ")


def test_a_bot_that_exits_at_once_shows_its_stderr(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise SystemExit('I will not play')\n", encoding="utf-8")
    done = arena("match", "python bad.py", "greedy")
    assert done.returncode == 2
    assert "I will not play" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_trace_has_every_message_of_a_bot(tmp_path: Path) -> None:
    done = arena("-q", "match", "greedy", "random", "--boards", "1", "--trace", "greedy")
    assert done.returncode == 0, done.stderr
    trace = tmp_path / "runs/match-1/bots/greedy.trace.jsonl"
    lines = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    assert len(lines) > 10
    assert "hello" in lines[0]["received"]
    assert "welcome" in lines[1]["sent"]
    starts = [each for line in lines for each in line.get("sent", {}).get("table_starts", [])]
    assert {start["seat"] for start in starts} == {0, 1, 2, 3}  # none is left out for being 0
    assert all("" not in line.values() and [] not in line.values() for line in lines)
    assert not (trace.parent / "random.trace.jsonl").exists()


def test_a_strict_run_shows_the_traceback_of_a_crash_once_and_in_lines(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "from arena.bot import run\n\ndef choose(view):\n    return 1 / 0\n\nrun(choose)\n",
        encoding="utf-8",
    )
    done = arena("match", "python bad.py", "greedy", "--strict", "--progress", "none")
    assert done.returncode == 1
    told = done.stderr[done.stderr.index("error: bot 'bad'") :]
    assert told.count("ZeroDivisionError") == 1
    assert "\n  ZeroDivisionError: division by zero\n" in told
    lines = told.splitlines()
    assert lines[0] == "error: bot 'bad': the first fault"
    assert lines[1] == "CRASH: exit code 1"
    assert lines[-1] == "try: look into runs/match-1/bots/bad.log"


def test_a_bot_that_ends_at_once_is_told_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("", encoding="utf-8")
    done = arena("match", "python bad.py", "greedy")
    assert done.returncode == 2
    assert "before it said Hello (exit code 0)" in done.stderr
    assert "it has printed nothing" in done.stderr
    assert "try: let it call run(choose)" in done.stderr
