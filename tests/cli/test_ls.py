"""The list of runs: every run in it, by number, with what is known of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.cli import main


def listed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main.run(["league", "ls", "--format", "json"]) == 0
    runs: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["runs"]
    return runs


def commit(name: str) -> None:
    words = [
        "league",
        "commit",
        "good.toml",
        "--set",
        "league.seed=random",
        "--run",
        f"runs/{name}",
    ]
    assert main.run(words) == 0


def test_runs_are_listed_by_their_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    for number in (10, 9, 1, 2):
        commit(f"good-{number}")
    assert [row["run"][10:] for row in listed(capsys)] == ["1", "2", "9", "10"]


def test_a_run_that_has_not_begun_is_described_by_its_lock_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    commit("a")
    (row,) = listed(capsys)
    assert (row["league"], row["play"], row["state"]) == ("good", "boards", "not begun")
    assert row["bots"] == ["greedy", "cautious", "random", "lowest"]


def test_an_unfinished_run_says_how_many_deals_there_will_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit("a")
    (tmp_path / "runs/a/deals.jsonl").write_bytes((tmp_path / "begun.jsonl").read_bytes())
    (row,) = listed(capsys)
    assert (row["deals"], row["total"], row["state"]) == (4, 48, "unfinished")
    (tmp_path / "runs/a/deals.jsonl").write_bytes((tmp_path / "good.jsonl").read_bytes())
    (row,) = listed(capsys)
    assert (row["deals"], row["total"], row["state"]) == (48, 48, "finished")


@pytest.mark.parametrize("words", [["league", "standings"], ["verify"], ["replay"]])
def test_whoever_reads_a_run_that_has_not_begun_is_told_how_to_play_it(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    commit("a")
    capsys.readouterr()
    assert main.run([*words, "runs/a"]) == 2
    assert capsys.readouterr().err == (
        "error: runs/a: the run has not begun, so it has no record\n"
        "try: arena league resume runs/a\n"
    )
    assert main.run([*words, "runs"]) == 2
    assert "try: name one: runs/a" in capsys.readouterr().err
