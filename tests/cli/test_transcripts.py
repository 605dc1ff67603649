"""What commands print, word for word: errors in three lines, results, exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.transcript import UPDATE, Step, comment_of, read_steps, run_step, write_steps

FILE = Path(__file__).with_name("transcripts.txt")


@pytest.mark.parametrize("step", read_steps(FILE), ids=lambda step: step.command)
def test_commands_print_what_the_transcript_says(
    step: Step, capsys: pytest.CaptureFixture[str]
) -> None:
    if UPDATE:
        pytest.skip("written anew below")
    assert run_step(step.command, capsys) == step.printed


def test_the_transcript_is_written_anew_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    if not UPDATE:
        pytest.skip("ARENA_UPDATE_SNAPSHOTS is not set")
    steps = [Step(step.command, run_step(step.command, capsys)) for step in read_steps(FILE)]
    write_steps(FILE, comment_of(FILE), steps)


@pytest.mark.parametrize("step", read_steps(FILE), ids=lambda step: step.command)
def test_an_error_has_at_most_three_short_lines_and_no_traceback(step: Step) -> None:
    if "error: " not in step.printed:
        return
    lines = step.printed.split("\n")
    lines = lines[next(n for n, line in enumerate(lines) if line.startswith("error: ")) :]
    assert lines[-1] in {"[1]", "[2]", "[3]", "[4]"}
    assert len(lines) <= 4
    assert "Traceback" not in step.printed
