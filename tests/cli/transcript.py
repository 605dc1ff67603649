"""Transcripts: commands in a text file with what they print, run and compared.

    $ arena verify missing.jsonl
    error: missing.jsonl: there is no such record
    [2]

What goes to stdout stands first, then stderr, then the exit code in brackets if it is not 0.
`ARENA_UPDATE_SNAPSHOTS=1` writes the file anew instead of comparing.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.cli.main import run

UPDATE = bool(os.environ.get("ARENA_UPDATE_SNAPSHOTS"))


@dataclass(frozen=True, slots=True)
class Step:
    """A command and what it prints."""

    command: str
    printed: str


def read_steps(file: Path) -> list[Step]:
    """Return the steps of a transcript; lines before the first command are comments."""
    steps: list[Step] = []
    for block in file.read_text(encoding="utf-8").split("\n$ ")[1:]:
        command, _, printed = block.partition("\n")
        steps.append(Step(command, printed.strip("\n")))
    return steps


def comment_of(file: Path) -> str:
    """Return what stands before the first command."""
    return file.read_text(encoding="utf-8").partition("\n$ ")[0]


def run_step(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command in this process and return what it printed, as a transcript has it."""
    words = shlex.split(command)
    assert words[0] == "arena"
    capsys.readouterr()
    code = run(words[1:])
    said = capsys.readouterr()
    parts = [_trimmed(said.out), _trimmed(said.err), f"[{code}]" if code else ""]
    text = "\n".join(part for part in parts if part)
    return text.replace(f"{Path.cwd()}/", "./")


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def write_steps(file: Path, comment: str, steps: list[Step]) -> None:
    """Write a transcript."""
    blocks = [comment, *(f"$ {step.command}\n{step.printed}\n" for step in steps)]
    file.write_text("\n".join(blocks), encoding="utf-8")
