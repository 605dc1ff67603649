"""The arena's log and a bot's trace never disturb a run."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from arena.league import log
from arena.league.log import LINES_A_SECOND, arena_log
from arena.league.trace import Trace
from arena.v1 import referee_pb2

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")


def test_the_log_takes_so_many_lines_a_second_and_says_that_there_were_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "monotonic", lambda: 7.5)
    with arena_log(tmp_path / "arena.log"):
        for number in range(3 * LINES_A_SECOND):
            logging.getLogger("arena.server").error("line %d", number)
        logging.getLogger("grpc._cython.cygrpc").error("of a library")
        monkeypatch.setattr(log, "monotonic", lambda: 8.0)
        logging.getLogger("grpc._cython.cygrpc").error("in the next second")
    lines = (tmp_path / "arena.log").read_text().splitlines()
    assert len(lines) == LINES_A_SECOND + 1
    assert lines[-2].endswith("more in this second is left out")
    assert lines[-1].endswith("in the next second")


@needs_full
def test_a_log_on_a_full_disk_says_nothing_to_the_terminal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with arena_log(FULL):
        logging.getLogger("arena.server").error("lost")
    assert capfd.readouterr() == ("", "")


@needs_full
def test_a_trace_on_a_full_disk_ends_and_says_so_once() -> None:
    said: list[str] = []
    with Trace(FULL, said.append) as trace:
        for _ in range(3):
            trace("sent", referee_pb2.PlayResponse(frame_ms=1))
    assert said == ["/dev/full: No space left on device; the trace ends here, the run goes on"]
