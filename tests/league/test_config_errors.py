"""Every mistake in a league file or a command line is answered by the text in config_errors.txt.

After a wanted change: `UPDATE_SNAPSHOTS=1 pytest tests/league/test_config_errors.py`, then read
the difference.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.league.config import load_league
from arena.league.match import match_league

SNAPSHOT = Path(__file__).parent / "config_errors.txt"
SAMPLES = ("cautious", "greedy", "lowest", "random")
BOTS = '[[bot]]\nbot = "greedy"\n[[bot]]\nbot = "cautious"\n[[bot]]\nbot = "random"\n'
LEAGUE = '[league]\nname = "autumn"\n'

FILES = {
    "not TOML": "[league\n",
    "a key twice": LEAGUE + 'name = "x"\n',
    "no league": BOTS,
    "no name": f"[league]\n{BOTS}",
    "a name with a space": f'[league]\nname = "my league"\n{BOTS}',
    "an unknown section": f"[leage]\n{LEAGUE}",
    "a key outside of its section": f"move = '1s'\n{LEAGUE}{BOTS}",
    "an unknown key": f"{LEAGUE}bords = 3\n{BOTS}",
    "a key of another section": f"{LEAGUE}move = '1s'\n{BOTS}",
    "an unknown key that is near to nothing": f"{LEAGUE}{BOTS}[clock]\nzzz = 1\n",
    "a section that is no table": f"clock = 3\n{LEAGUE}{BOTS}",
    "a text for a number": f"{LEAGUE}boards = 'many'\n{BOTS}",
    "a fraction for a number": f"{LEAGUE}boards = 1.5\n{BOTS}",
    "too small a number": f"{LEAGUE}tables = 0\n{BOTS}",
    "a text for a boolean": f"{LEAGUE}trusted = 'yes'\n{BOTS}",
    "a duration without a unit": f"{LEAGUE}{BOTS}[clock]\nmove = 250\n",
    "a duration of another unit": f"{LEAGUE}{BOTS}[clock]\nmove = '250 us'\n",
    "no time at all": f"{LEAGUE}{BOTS}[clock]\nmove = '0s'\n",
    "a fraction of a millisecond": f"{LEAGUE}{BOTS}[clock]\nbank = '0.5ms'\n",
    "a size without a unit": f"{LEAGUE}{BOTS}[limits]\noutput = 1024\n",
    "a knob of words": f"{LEAGUE}{BOTS}[ruleset]\nvoid = 'must_trumpf'\n",
    "an unknown play": f"{LEAGUE}play = 'board'\n{BOTS}",
    "an address without a port": f"{LEAGUE}{BOTS}[server]\naddress = '127.0.0.1'\n",
    "a port that is none": f"{LEAGUE}{BOTS}[server]\naddress = '127.0.0.1:70000'\n",
    "a seed with digits lost": f"{LEAGUE}seed = '{'ab' * 31}'\n{BOTS}",
    "an empty seed": f"{LEAGUE}seed = ''\n{BOTS}",
    "workers": f"{LEAGUE}workers = 2\n{BOTS}",
    "anonymous": f"{LEAGUE}anonymous = true\n{BOTS}",
    "isolation": f"{LEAGUE}isolation = 'leg'\n{BOTS}",
    "another sandbox": f"{LEAGUE}{BOTS}[limits]\nsandbox = 'bwrap'\n",
    "a limit": f"{LEAGUE}{BOTS}[limits]\nmemory = '1GiB'\n",
    "TLS": f"{LEAGUE}{BOTS}[server]\ntls_cert = 'a.pem'\n",
    "a bot's limits": f"{LEAGUE}{BOTS}limits = {{}}\n",
    "a bot over stdio": f"{LEAGUE}{BOTS}[[bot]]\nname = 'x'\nstdio = ['x']\n",
    "two bots of one name": f"{LEAGUE}{BOTS}[[bot]]\nbot = 'greedy'\n",
    "two names that differ in case": f"{LEAGUE}{BOTS}[[bot]]\nbot = 'greedy'\nname = 'Greedy'\n",
    "a bot named house": f"{LEAGUE}{BOTS}[[bot]]\nbot = 'greedy'\nname = 'House'\n",
    "a bot without a source": f"{LEAGUE}{BOTS}[[bot]]\nname = 'x'\n",
    "a bot of two sources": f"{LEAGUE}{BOTS}[[bot]]\nname = 'x'\nbot = 'greedy'\njoin = true\n",
    "a bot without a name": f"{LEAGUE}{BOTS}[[bot]]\ncommand = ['true']\n",
    "one table for all bots": f"{LEAGUE}[bot]\nname = 'x'\n",
    "an unknown sample": f"{LEAGUE}{BOTS}[[bot]]\nbot = 'gredy'\nname = 'x'\n",
    "a folder that is not there": f"{LEAGUE}{BOTS}[[bot]]\ndir = 'nope'\n",
    "a folder without bot.toml": f"{LEAGUE}{BOTS}[[bot]]\ndir = 'samples'\n",
    "a bot.toml with an unknown key": f"{LEAGUE}{BOTS}[[bot]]\ndir = 'odd'\n",
    "a bot.toml without a command": f"{LEAGUE}{BOTS}[[bot]]\ndir = 'idle'\n",
    "a bot.toml that matches nothing": f"{LEAGUE}{BOTS}[[bot]]\ndir = 'bare'\n",
    "a command as a text": f"{LEAGUE}{BOTS}[[bot]]\nname = 'x'\ncommand = 'python \"my bot.py\"'\n",
    "an empty command": f"{LEAGUE}{BOTS}[[bot]]\nname = 'x'\ncommand = []\n",
    "a command that does not exist": f"{LEAGUE}{BOTS}[[bot]]\nname = 'x'\ncommand = ['gopherx']\n",
    "a path that does not exist": f"{LEAGUE}{BOTS}[[bot]]\nname = 'x'\ncommand = ['./x']\n",
    "a file that is not executable": (
        f"{LEAGUE}{BOTS}[[bot]]\nname = 'x'\ncommand = ['samples/greedy.py']\n"
    ),
    "a script that does not exist": (
        f"{LEAGUE}{BOTS}[[bot]]\nname = 'x'\ncommand = ['python', 'x.py']\n"
    ),
    "a number in the environment": f"{LEAGUE}{BOTS}env = {{ B = 0.3 }}\n",
    "a variable of the arena": f"{LEAGUE}{BOTS}env = {{ ARENA_TOKEN = 'x' }}\n",
    "arguments for one that dials in": (
        f"{LEAGUE}trusted = true\n{BOTS}[[bot]]\nname = 'x'\njoin = true\nargs = ['-v']\n"
    ),
    "strangers and a text for a seed": (
        f"{LEAGUE}seed = 'demo'\nplay = 'independent'\n{BOTS}[[bot]]\nname = 'x'\njoin = true\n"
    ),
    "strangers and legs": f"{LEAGUE}{BOTS}[[bot]]\nname = 'x'\njoin = true\n",
    "too few for a league": f'{LEAGUE}[[bot]]\nbot = "greedy"\n',
    "too many for a duel": f"{LEAGUE}play = 'duel'\n{BOTS}",
    "a gauntlet without a field": f"{LEAGUE}play = 'gauntlet'\n{BOTS}",
    "a field of strangers": (
        f"{LEAGUE}play = 'gauntlet'\nfield = ['greedy', 'cautius', 'random']\n{BOTS}"
    ),
    "a field and no candidate": (
        f"{LEAGUE}play = 'gauntlet'\nfield = ['greedy', 'cautious', 'random']\n{BOTS}"
    ),
    "a field that names one twice": (
        f"{LEAGUE}play = 'gauntlet'\nfield = ['greedy', 'greedy', 'random']\n{BOTS}"
    ),
    "a field where there is none": f"{LEAGUE}field = ['greedy']\n{BOTS}",
    "a target where there is none": f"{LEAGUE}target = 5\n{BOTS}",
}

OVERRIDES = {
    "--set without a value": "league.boards",
    "--set without a section": "boards=3",
    "--set of an unknown section": "legue.boards=3",
    "--set of an unknown key": "clock.mvoe=1s",
    "--set too deep": "clock.move.x=1s",
    "--set of a wrong value": "clock.move=fast",
    "--set of an unknown bot": "bot.gredy.env.X=1",
    "--set of a bot without a key": "bot.greedy=1",
}

MATCHES = {
    "a match of one": ("greedy",),
    "a match of three": ("greedy", "greedy", "greedy"),
    "a match with an unknown bot": ("greedy", "gredy"),
    "a match with a command that does not exist": ("greedy", "./nope --fast"),
    "a match with an open quote": ("greedy", "python 'x"),
    "a match with an empty bot": ("greedy", ""),
    "a match with a folder without bot.toml": ("greedy", "samples"),
    "a match with a name that is none": ("greedy", "join:-x"),
}


@pytest.fixture(name="folder")
def make_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", "/nowhere/bin:/nowhere/sbin")
    for name, text in {
        "samples": "",
        "odd": "name = 'odd'\ncomand = ['x']\n",
        "idle": "name = 'idle'\n",
        "bare": "name = 'bare'\ncommand = ['python']\nfiles = ['*.rs']\n",
    }.items():
        (tmp_path / name).mkdir()
        if text:
            (tmp_path / name / "bot.toml").write_text(text)
    for sample in SAMPLES:
        (tmp_path / "samples" / f"{sample}.py").touch()
    return tmp_path


def answer(folder: Path, do: Callable[..., object], *given: object, **named: object) -> str:
    samples = {name: folder / "samples" / f"{name}.py" for name in SAMPLES}
    with pytest.raises(ConfigError) as caught:
        do(*given, **named, samples=samples)
    return str(caught.value).replace(str(folder), "FOLDER")


def answers(folder: Path) -> dict[str, str]:
    path = folder / "league.toml"
    found = {}
    for case, text in FILES.items():
        path.write_text(text)
        found[case] = answer(folder, load_league, path)
    path.write_text(LEAGUE + BOTS)
    for case, override in OVERRIDES.items():
        found[case] = answer(folder, load_league, path, [override])
    for case, bots in MATCHES.items():
        found[case] = answer(folder, match_league, bots, base=folder)
    path.write_bytes(b"[league]\nname = '\xff'\n")
    found["not UTF-8"] = answer(folder, load_league, path)
    for case, name in (("a file that is not there", "nope.toml"), ("a folder", "samples")):
        found[case] = answer(folder, load_league, folder / name)
    return found


def test_every_error_says_what_came_what_was_expected_and_what_to_do(folder: Path) -> None:
    found = answers(folder)
    text = "\n".join(f"== {case}\n{message}\n" for case, message in found.items())
    if os.environ.get("UPDATE_SNAPSHOTS"):
        SNAPSHOT.write_text(text)
    assert text == SNAPSHOT.read_text()


def test_an_error_is_three_short_lines_at_most(folder: Path) -> None:
    for case, message in answers(folder).items():
        lines = message.splitlines()
        assert len(lines) <= 3, case
        assert all(len(line) <= 160 for line in lines), case
