"""The reference of the command line is what the commands say of themselves."""

from __future__ import annotations

import html
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/cli.md"
MARK = "<!-- What follows is generated: ARENA_UPDATE_SNAPSHOTS=1 scripts/test tests/docs -->\n"


def generated() -> str:
    """Return the part of the page that Typer writes, in this house's form."""
    command = [sys.executable, "-m", "typer", "arena.cli.main", "utils", "docs", "--name", "arena"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    _, _, text = html.unescape(done.stdout).partition("\n")
    lines = ["## `arena`", *text.splitlines()]
    return "\n".join(_sample(lines)).strip() + "\n"


def _sample(lines: list[str]) -> list[str]:
    """Return the lines with the examples of each command as a block of code."""
    out: list[str] = []
    examples = False
    for line in lines:
        if line == "[bold]Examples[/bold]":
            examples = True
            out += ["**Examples**:", "", "```console"]
        elif examples and line.startswith(("#", "**")):
            examples = False
            out += ["```", "", line]
        elif not examples:
            out.append(line)
        elif line:
            out.append(f"$ {line.strip()}")
    return [*out, "```"] if examples else out


def test_the_reference_of_the_command_line_is_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    head, mark, rest = page.partition(MARK)
    assert mark
    if os.environ.get("ARENA_UPDATE_SNAPSHOTS"):
        PAGE.write_text(f"{head}{MARK}\n{generated()}", encoding="utf-8")
        return
    assert rest.strip() == generated().strip()
