"""Streams that are closed, full or narrow-minded, and what a long-running log shows."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli import main
from arena.cli.options import set_up_logging
from arena.league.log import arena_log

ARENA = "from arena.cli.main import main; main()"
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(main.__file__).parents[2])}


def arena(words: str, redirections: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command from a shell, so that streams can be closed."""
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -c "$1" {words} {redirections}', sys.executable, ARENA],
        env=ENVIRONMENT | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_a_closed_stream_changes_no_result(closed: str) -> None:
    done = arena("verify good.jsonl", closed)
    assert done.returncode == 0
    assert done.stderr == ""
    assert ("as it should be" in done.stdout) is (not closed.startswith(">"))


def test_an_error_with_stderr_closed_has_its_exit_code() -> None:
    assert arena("verify missing.jsonl", "2>&-").returncode == 2


@pytest.mark.e2e
def test_with_stderr_closed_nothing_lands_in_the_record() -> None:
    played = arena("match greedy random --boards 3 --run run", "2>&-")
    assert played.returncode == 0
    assert arena("verify run", "").returncode == 0


def test_an_output_that_cannot_be_written_is_trouble_with_the_machine() -> None:
    done = arena("replay good.jsonl", "> /dev/full")
    assert done.returncode == 4
    assert done.stderr == "error: cannot write the output: no space left on device\n"


def test_where_the_encoding_lacks_the_suits_their_letters_stand() -> None:
    done = arena("replay good.jsonl:1/0", "", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0
    assert "?" not in done.stdout
    assert "  0 bob  SAJ      H-       DT97     CA9" in done.stdout
    assert done.stdout.isascii()
    told = arena("league standings good.jsonl", "", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert "?" not in told.stdout
    assert "+23.6 +- 41.3" in told.stdout


@pytest.mark.parametrize("verbosity, shown", [(0, False), (1, True), (2, True)])
def test_what_the_arena_logs_is_shown_when_asked_and_is_always_in_the_file(
    verbosity: int, shown: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    logger = logging.getLogger("arena")
    before = logger.level
    try:
        set_up_logging(verbosity)
        assert not logging.getLogger("asyncio").isEnabledFor(logging.DEBUG)
        with arena_log(tmp_path / "arena.log"):
            logging.getLogger("arena.league").info("a stream is up")
    finally:
        logger.setLevel(before)
    assert ("a stream is up" in caplog.text) is shown
    assert "a stream is up" in (tmp_path / "arena.log").read_text(encoding="utf-8")
