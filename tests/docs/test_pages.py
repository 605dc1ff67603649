"""The pages tell the truth: their commands exist and run, their files load, their code works."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer.main

from arena.cli.main import app
from arena.league.config import load_league
from arena.shipped import sample_bots

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PAGES = [page for page in PAGES if "_build" not in page.parts]
RUN_FOR_REAL = [ROOT / "README.md", ROOT / "docs/howto/run-a-league.md"]
ELSEWHERE = ("…", "arena.example", "./scripts/", "pip install")
"""What marks a command that cannot run here: a placeholder, another machine, this very test."""


def blocks(page: Path, language: str) -> list[str]:
    """Return the code blocks of a language on a page."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[str]:
    """Return the commands in a page's console blocks, without their comments."""
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    return [line[2:].partition("  #")[0].strip() for line in lines if line.startswith("$ ")]


def place(page: Path) -> str:
    """Return a page's path as tests are called by it."""
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_every_command_on_a_page_exists_with_its_options(page: Path) -> None:
    for line in commands(page):
        words = shlex.split(line)
        while words and "=" in words[0] and words[0].startswith("ARENA_"):
            words.pop(0)
        if words[:1] != ["arena"] or "[OPTIONS]" in words:
            continue
        command = typer.main.get_command(app)
        known = {"-h", "--help"}
        for word in words[1:]:
            option = word.partition("=")[0]
            if word.startswith("-"):
                names = known | {name for param in command.params for name in param.opts}
                assert option in names, line
            elif word in getattr(command, "commands", {}):
                command = command.commands[word]  # type: ignore[attr-defined]
        assert not getattr(command, "commands", None) or "--help" in words or "-V" in words, line


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{place(page)}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_every_toml_on_a_page_is_toml(page: Path) -> None:
    for block in blocks(page, "toml"):
        tomllib.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_every_session_on_a_page_prints_what_it_says(page: Path) -> None:
    for block in blocks(page, "python"):
        if ">>>" not in block:
            compile(block, place(page), "exec")
            continue
        test = doctest.DocTestParser().get_doctest(block, {}, place(page), str(page), 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test)
        assert runner.summarize(verbose=False).failed == 0


def test_the_bot_of_the_readme_is_the_sample_bot_lowest() -> None:
    source = (ROOT / "sample_bots/python/lowest.py").read_text(encoding="utf-8")
    assert source in blocks(ROOT / "README.md", "python")


def test_the_readme_is_at_most_150_lines() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def home_folder(folder: Path, page: Path) -> None:
    """Put what a page's commands need into a folder: its league file and the bots it names."""
    lowest = (ROOT / "sample_bots/python/lowest.py").read_text(encoding="utf-8")
    for name in ("lowest.py", "mine.py"):
        (folder / name).write_text(lowest, encoding="utf-8")
    for name in ("mybot", "bots"):
        (folder / name).mkdir()
        (folder / name / "mine.py").write_text(lowest, encoding="utf-8")
        (folder / name / "other.py").write_text(lowest, encoding="utf-8")
    (folder / "mybot/bot.toml").write_text('command = ["python", "mine.py"]\n', encoding="utf-8")
    league = blocks(page, "toml")[0].replace("../mybot", "mybot")
    (folder / "autumn.toml").write_text(league, encoding="utf-8")


@pytest.mark.parametrize("page", RUN_FOR_REAL, ids=place)
def test_the_league_file_of_a_page_loads(page: Path, tmp_path: Path) -> None:
    home_folder(tmp_path, page)
    league = load_league(tmp_path / "autumn.toml", samples=sample_bots())
    assert league.name == "autumn"


@pytest.mark.e2e
@pytest.mark.parametrize("page", RUN_FOR_REAL, ids=place)
def test_the_commands_of_a_page_run_in_its_order(page: Path, tmp_path: Path) -> None:
    home_folder(tmp_path, page)
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "ARENA_SET": "league.boards=16",  # the pages' leagues are longer than a test should be
    }
    program = [sys.executable, "-c", "from arena.cli.main import main; main()"]
    for line in commands(page):
        if any(mark in line for mark in ELSEWHERE):
            continue
        words = shlex.split(line)
        assert words[0] == "arena", line
        done = subprocess.run(
            [*program, *words[1:]],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
