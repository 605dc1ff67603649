"""Bots that dial in with a token."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys

import pytest

from tests.e2e.runs import ENTRANT, MARK, ROOT, SEED, Folder, environment

pytestmark = pytest.mark.e2e

GUEST = '[[bot]]\nname = "guest"\njoin = true'


def league(folder: Folder) -> str:
    """Write a league with a bot that dials in."""
    bots = f"{GUEST}\n{folder.samples('greedy', 'cautious', 'lowest')}"
    return folder.league(bots, seed=SEED, play="independent", boards=6)


def test_a_bot_dials_in_with_its_token_file(folder: Folder) -> None:
    running = folder.start("league", "run", league(folder), "--run", "run")
    asked = re.compile(r"waiting for guest at (\S+), token in (\S+)")
    running.until(lambda: bool(asked.search(running.err)), "the invitation")
    found = asked.search(running.err)
    assert found
    address, token_file = found.groups()
    token = folder.path / token_file
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    variables = {
        **environment(),
        "ARENA_ADDRESS": address,
        "ARENA_TOKEN_FILE": str(token),
        MARK: str(folder.path),
        ENTRANT: "guest",
    }
    program = str(ROOT / "sample_bots" / "python" / "lowest.py")
    with subprocess.Popen([sys.executable, program], env=variables) as guest:
        running.ended().succeeded()
        assert guest.wait(20) == 0
    folder.arena("verify", "run").succeeded()
    run = folder.run()
    assert len(run.of_kind("deal")) == 6
    assert run.of_kind("event") == []
    secret = token.read_text(encoding="ascii").strip()
    assert len(secret) >= 16
    for file in run.path.rglob("*"):
        if file.is_file() and file != token:
            assert secret.encode() not in file.read_bytes()


def test_a_bot_that_stays_away_stops_the_run_before_its_first_deal(folder: Folder) -> None:
    words = ("--run", "run", "--set", "clock.start=2s")
    ended = folder.arena("league", "run", league(folder), *words)
    assert ended.code == 3
    assert "guest" in ended.err
    assert "arena league resume run" in ended.err
    assert "Traceback" not in ended.err
    folder.nothing_runs()
    assert folder.run().deals_so_far == 0


def test_a_text_seed_is_refused_where_bots_dial_in(folder: Folder) -> None:
    file = league(folder)
    ended = folder.arena("league", "run", file, "--set", "league.seed=demo", "--run", "run")
    assert ended.code == 2
    assert "seed" in ended.err
    assert not os.path.lexists(folder.run().path)
