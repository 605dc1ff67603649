"""Values that no honest file has: each is refused with its file and key, in a few short lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.league.config import load_league
from arena.league.match import match_league
from tests.league.test_config_errors import BOTS, LEAGUE, SAMPLES

LONG = "x" * 5000
DEEP = 5000
BOT = f"{LEAGUE}{BOTS}[[bot]]\nname = 'mine'\n"
ODD = "\u202eodd\x9b2J"

HOSTILE = {
    "move of hours": (f"{LEAGUE}{BOTS}[clock]\nmove = '2h'\n", "clock.move: expected at most 1h"),
    "bank of days": (f"{LEAGUE}{BOTS}[clock]\nbank = '600h'\n", "clock.bank: expected at most 1h"),
    "start of years": (f"{LEAGUE}{BOTS}[clock]\nstart = '99999h'\n", "clock.start: expected at"),
    "NUL in args": (f'{BOT}bot = "greedy"\nargs = ["a\\u0000b"]\n', "bot 'mine': args: "),
    "NUL in each's args": (f'{LEAGUE}{BOTS}[each]\nargs = ["\\u0000"]\n', ": args: "),
    "NUL in a command": (f'{BOT}command = ["python", "\\u0000"]\n', "bot 'mine': command: "),
    "NUL in a program": (f'{BOT}command = ["\\u0000"]\n', "bot 'mine': command: "),
    "NUL in env": (f'{BOT}bot = "greedy"\nenv = {{ A = "\\u0000" }}\n', "bot 'mine': env: 'A'"),
    "NUL in the name of a variable": (
        f'{BOT}bot = "greedy"\nenv = {{ "A\\u0000" = "" }}\n',
        "bot 'mine': env: ",
    ),
    "NUL in a folder": (f'{BOT}dir = "a\\u0000b"\n', "bot 'mine': "),
    "NUL in a sample": (f'{BOT}bot = "a\\u0000b"\n', "bot 'mine': "),
    "NUL in bot.toml": (f"{BOT}dir = 'nul'\n", "nul/bot.toml: command: "),
    "a pattern that is none": (f"{BOT}dir = 'stars'\n", "files: expected a pattern"),
    "a number of 5,000 digits": (f"{LEAGUE}boards = {'9' * DEEP}\n{BOTS}", "boards: a number of"),
    "a number of 4,000 digits": (f"{LEAGUE}boards = {'9' * 4000}\n{BOTS}", "league.boards: "),
    "a number of 5,000 hex digits": (f"{LEAGUE}boards = 0x{'f' * DEEP}\n{BOTS}", "league.boards: "),
    "such a number in a list": (f"{BOT}bot = 'greedy'\nargs = [1, 0x{'f' * DEEP}]\n", "args.2: "),
    "deep lists": (f"{LEAGUE}boards = {'[' * DEEP}{']' * DEEP}\n{BOTS}", "boards: tables or lists"),
    "deep inline tables": (f"{LEAGUE}boards = {'{a=' * DEEP}1{'}' * DEEP}\n", "boards: tables or"),
    "a deep key": (f"{LEAGUE}{'a.' * DEEP}b = 1\n{BOTS}", "league.a.a.a: tables or lists too deep"),
    "a deep section": (f"[{'a.' * DEEP}b]\n", "a.a.a.a: tables or lists too deep"),
    "less deep lists": (f"{LEAGUE}boards = {'[' * 99}{']' * 99}\n{BOTS}", "league.boards"),
    "a long folder": (f"{BOT}dir = '{LONG}'\n", "bot 'mine': "),
    "a long program": (f"{BOT}command = ['{LONG}']\n", "bot 'mine' cannot start"),
    "a long path": (f"{BOT}command = ['./{LONG}']\n", "bot 'mine' cannot start"),
    "a long script": (f"{BOT}command = ['python', '{LONG}']\n", "bot 'mine' cannot start"),
    "a long name": (f"{LEAGUE}{BOTS}[[bot]]\nbot = 'greedy'\nname = '{LONG}'\n", ": name: "),
    "a long sample": (f"{BOT}bot = '{LONG}'\n", "bot 'mine': "),
    "a long key": (f"{LEAGUE}{LONG} = 1\n{BOTS}", "league.xxx"),
    "a long section": (f"{LEAGUE}{BOTS}[{LONG}]\n", "no section 'xxx"),
    "a long key twice": (f"{LEAGUE}[{LONG}]\n[{LONG}]\n", "is not TOML"),
    "a long duration": (f"{LEAGUE}{BOTS}[clock]\nmove = '{'9' * DEEP}h'\n", "clock.move: "),
    "a long size": (f"{LEAGUE}{BOTS}[limits]\noutput = '{'9' * DEEP}GiB'\n", "limits.output: "),
    "a long address": (f"{LEAGUE}{BOTS}[server]\naddress = '{LONG}:1'\n", "server.address: "),
    "a long field": (f"{LEAGUE}play = 'gauntlet'\nfield = ['{LONG}']\n{BOTS}", "league.field: "),
    "a long variable": (f"{BOT}bot = 'greedy'\nenv = {{ ARENA_{LONG} = '1' }}\n", "env: ARENA_xxx"),
    "a long knob": (f"{LEAGUE}{BOTS}[ruleset]\nname = '{LONG}'\n", "ruleset.name: "),
    "no number": (f"{LEAGUE}{BOTS}[faults]\nshare = nan\n", "faults.share: "),
    "an endless number": (f"{LEAGUE}{BOTS}[faults]\nshare = inf\n", "faults.share: "),
    "a date": (f"{LEAGUE}boards = 2026-01-01\n{BOTS}", "league.boards: "),
    "an odd key": (f'{LEAGUE}"{ODD}" = 1\n{BOTS}'.replace("\x9b", "\\u009b"), "league."),
    "an odd section": (f'{LEAGUE}{BOTS}["{ODD}"]\n'.replace("\x9b", "\\u009b"), "no section"),
    "an odd value": (f"{LEAGUE}boards = '{ODD}'\n{BOTS}", "league.boards: "),
    "an odd duration": (f"{LEAGUE}{BOTS}[clock]\nmove = '{ODD}'\n", "clock.move: "),
    "an odd variable": (f'{BOT}bot = "greedy"\nenv = {{ "ARENA_{ODD}" = "1" }}\n', "env: ARENA_"),
    "an odd folder": (f"{BOT}dir = '{ODD}'\n", "bot 'mine': "),
}

SETS = {
    "a number of 5,000 digits": (f"league.boards={'9' * DEEP}", "league.boards: "),
    "deep lists": (f"league.boards={'[' * DEEP}{']' * DEEP}", "league.boards: "),
    "a deep key": (f"{'a.' * DEEP}b=1", "--set a.a."),
    "a long key": (f"league.{LONG}=1", "league.xxx"),
    "a long section": (f"{LONG}.a=1", "no section 'xxx"),
    "a long bot": (f"bot.{LONG}.env.A=1", "no bot 'xxx"),
    "a long text": (LONG, "expected section.key=value"),
    "bytes that are no text": ("league.seed=\udcff", "--set league.seed="),
    "bytes that are no public text": ("league.public=\udcff", "--set league.public="),
    "an odd key": (f'league."{ODD}"=1', "league."),
}


@pytest.fixture(name="folder")
def make_folder(tmp_path: Path) -> Path:
    for name, text in {
        "nul": "name = 'nul'\ncommand = ['python', \"a\\u0000\"]\n",
        "stars": "name = 'stars'\ncommand = ['python', '-V']\nfiles = ['**x']\n",
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.toml").write_text(text)
    (tmp_path / "samples").mkdir()
    for sample in SAMPLES:
        (tmp_path / "samples" / f"{sample}.py").touch()
    return tmp_path


def refusal(folder: Path, text: str, *overrides: str) -> str:
    """Return what is said of a file, in lines that are short and hold nothing but text."""
    path = folder / "league.toml"
    path.write_text(text, encoding="utf-8")
    samples = {name: folder / "samples" / f"{name}.py" for name in SAMPLES}
    with pytest.raises(ConfigError) as caught:
        load_league(path, overrides, samples=samples)
    message = str(caught.value)
    lines = message.splitlines()
    assert len(lines) <= 3
    assert all(len(line) <= 500 for line in lines), message
    assert all(line.isprintable() for line in lines[:1]), message
    return message


@pytest.mark.parametrize("case", HOSTILE)
def test_what_no_honest_file_has_is_refused_with_its_place(folder: Path, case: str) -> None:
    text, words = HOSTILE[case]
    message = refusal(folder, text)
    assert words in message
    assert "league.toml" in message or "bot.toml" in message or "bot 'mine'" in message


@pytest.mark.parametrize("case", SETS)
def test_what_no_honest_override_has_is_refused_with_its_key(folder: Path, case: str) -> None:
    override, words = SETS[case]
    assert words in refusal(folder, LEAGUE + BOTS, override)


def test_the_longest_clock_is_an_hour(folder: Path) -> None:
    path = folder / "league.toml"
    path.write_text(f"{LEAGUE}{BOTS}[clock]\nmove = '1h'\nbank = '60min'\nstart = '3600s'\n")
    samples = {name: folder / "samples" / f"{name}.py" for name in SAMPLES}
    clock = load_league(path, samples=samples).clock
    assert (clock.move_ms, clock.bank_ms, clock.start_ms) == (3_600_000,) * 3


@pytest.mark.parametrize("name", [LONG, "a\0b", f"{LONG}/league.toml"])
def test_a_path_that_cannot_be_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_league(folder / name, samples={})


@pytest.mark.parametrize("word", [LONG, f"./{LONG}", f"python {LONG}", f"'{LONG}", f"join:{LONG}"])
def test_a_bot_of_a_match_that_cannot_be_is_refused(folder: Path, word: str) -> None:
    samples = {name: folder / "samples" / f"{name}.py" for name in SAMPLES}
    with pytest.raises(ConfigError) as caught:
        match_league((word, "greedy"), base=folder, samples=samples)
    assert all(len(line) <= 500 for line in str(caught.value).splitlines())
