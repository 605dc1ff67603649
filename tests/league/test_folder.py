"""A run's folder keeps its secrets, has one runner, and tells when it is not what it was."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import ConfigError, MachineError
from arena.league.config import League, load_league
from arena.league.folder import LOCK_FILE, RunFolder
from arena.league.lock import Lock, check_header, config_sha256, lock_text, read_lock
from arena.rules.deck import commitment, parse_seed

ROOT = Path(__file__).resolve().parents[2]
TOML = """
[league]
name = "autumn"
seed = "open sesame"
boards = 12
trusted = true
[[bot]]
bot = "greedy"
env = { BOLDNESS = "0.3" }
[[bot]]
name = "mine"
dir = "mine"
[[bot]]
name = "far"
join = true
"""


@pytest.fixture
def samples(tmp_path: Path) -> dict[str, Path]:
    found = {}
    for name in ("cautious", "greedy"):
        found[name] = tmp_path / f"{name}.py"
        found[name].write_text(f"# {name}\n")
    return found


@pytest.fixture
def league(tmp_path: Path, samples: dict[str, Path]) -> League:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/bot.toml").write_text('version = "2"\ncommand = ["python", "main.py"]\n')
    (tmp_path / "mine/main.py").write_text("print(1)\n")
    (tmp_path / "league.toml").write_text(TOML)
    return load_league(tmp_path / "league.toml", samples=samples)


@pytest.fixture
def run(league: League, tmp_path: Path) -> Path:
    with RunFolder.create(league, tmp_path / "run") as folder:
        return folder.path


def reopen(run: Path, samples: dict[str, Path]) -> Lock:
    with RunFolder.open(run) as folder:
        return folder.read_lock(samples=samples)


class TestNew:
    def test_only_its_owner_may_look(self, run: Path) -> None:
        assert run.stat().st_mode & 0o777 == 0o700
        for name in ("seed", "tokens/far", "lock", LOCK_FILE):
            assert (run / name).stat().st_mode & 0o777 == 0o600, name
        assert (run / "tokens").stat().st_mode & 0o777 == 0o700

    def test_the_seed_lies_alone(self, run: Path) -> None:
        seed = parse_seed("open sesame")
        assert (run / "seed").read_text() == f"{seed.hex()}\n"
        for path in run.rglob("*"):
            if path.is_file() and path.name != "seed":
                text = path.read_text()
                assert "sesame" not in text, path
                assert seed.hex() not in text, path

    def test_runs_are_numbered(self, league: League, tmp_path: Path) -> None:
        runs = tmp_path / "runs"
        (runs / "autumn-7").mkdir(parents=True)
        (runs / "autumn-x").mkdir()
        names = []
        for _ in range(2):
            with RunFolder.create(league, runs=runs) as folder:
                names.append(folder.path.name)
        assert names == ["autumn-8", "autumn-9"]

    def test_an_empty_folder_will_do_and_a_full_one_is_taken(
        self, league: League, run: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "empty").mkdir(mode=0o755)
        with RunFolder.create(league, tmp_path / "empty") as folder:
            assert folder.path.stat().st_mode & 0o777 == 0o700
        with pytest.raises(MachineError, match="is taken\nit holds an earlier run\ntry: arena"):
            raise_text(lambda: RunFolder.create(league, run))
        with pytest.raises(MachineError, match="is taken\nit is not an empty folder"):
            raise_text(lambda: RunFolder.create(league, tmp_path))

    def test_random_seeds_differ(self, league: League, tmp_path: Path) -> None:
        league = replace(league, seed="random")
        seeds = set()
        for name in ("a", "b"):
            with RunFolder.create(league, tmp_path / name) as folder:
                seeds.add(folder.seed())
        assert len(seeds) == 2


def raise_text(do: object) -> None:
    """Raise an error anew with all of its lines as its message, for `match`."""
    assert callable(do)
    try:
        do()
    except (ConfigError, MachineError) as error:
        raise type(error)(str(error)) from error


class TestResume:
    def test_the_league_comes_back_whole(
        self, run: Path, league: League, samples: dict[str, Path]
    ) -> None:
        lock = reopen(run, samples)
        assert replace(lock.league, label=league.label, seed=league.seed) == league
        assert lock.config_sha256 == config_sha256(league)
        assert lock.seed_commitment == commitment(parse_seed("open sesame"))

    def test_tokens_and_seed_are_kept(self, run: Path) -> None:
        tokens = []
        for _ in range(2):
            with RunFolder.open(run) as folder:
                tokens.append(folder.token("far"))
                assert folder.seed() == parse_seed("open sesame")
        assert tokens[0] == tokens[1]
        assert re.fullmatch("[0-9a-f]{64}", tokens[0])

    def test_only_the_runs_folder_and_the_bots_are_read(
        self, run: Path, samples: dict[str, Path], tmp_path: Path
    ) -> None:
        (tmp_path / "league.toml").unlink()
        reopen(run, samples)

    def test_how_it_is_run_may_be_edited(self, run: Path, samples: dict[str, Path]) -> None:
        edit(run / LOCK_FILE, "tables = 64", "tables = 2")
        assert reopen(run, samples).league.tables == 2

    @pytest.mark.parametrize(
        "old, new, what",
        [
            ("move_ms = 1000", "move_ms = 2000", "clock.move_ms\nexpected 1000, got 2000"),
            ('play = "boards"', 'play = "independent"', 'play\nexpected "boards", got "indep'),
            ("boards = 12", "boards = 13", "passes\nexpected 12, got 13"),
            ("share = 0.1", "share = 0.2", "faults.share\nexpected 0.1, got 0.2"),
            ('void = "must_trump"', 'void = "any"', 'ruleset.void\nexpected "must_trump", got'),
            ('name = "far"', 'name = "near"', 'entrants 3.name\nexpected "far", got "near"'),
            ('BOLDNESS = "0.3"', 'BOLDNESS = "0.4"', "bot 'greedy'\nits command, env or files"),
            ('"main.py",', '"other.py",', "bot 'mine'\nits command, env or files"),
            ('version = "2"\ndigest = "', 'version = "2"\ndigest = "0', "entrants 2.digest"),
            ('config_sha256 = "', 'config_sha256 = "0', "run.decides"),
            (
                'format = "arena.lock/1"',
                'format = "arena.lock/2"',
                "expected format 'arena.lock/1'",
            ),
            ("tables = 64", 'tables = "x"', "was edited: Expected `int`, got `str`"),
            ("tables = 64", "", "was edited: .*tables"),
            ("[clock]", "[klock]", "was edited"),
            ("[[bot]]", "[bot]", "is not TOML"),
            ('void = "must_trump"', 'void = "maybe"', "ruleset.void: expected"),
            ('seed_commitment = "', 'seed_commitment = "0', "is not the seed"),
        ],
    )
    def test_what_decides_results_may_not(
        self, run: Path, samples: dict[str, Path], old: str, new: str, what: str
    ) -> None:
        edit(run / LOCK_FILE, old, new)
        with pytest.raises(ConfigError, match=what):
            raise_text(lambda: reopen(run, samples))

    @pytest.mark.parametrize(
        "file, text, what",
        [
            ("greedy.py", "# bold\n", "bot 'greedy' has changed since the run began: greedy.py"),
            ("mine/main.py", "print(2)\n", "bot 'mine' has changed since the run began: main.py"),
            ("mine/new.py", "", "new.py\nexpected SHA-256 no such file, got e3b0c44298fc..."),
            ("mine/bot.toml", 'command = ["rm"]\n', "bot 'mine' has changed .*: bot.toml"),
            ("mine/main.py", None, "bot 'mine' cannot start: no file 'main.py'"),
            ("cautious.py", "#\n", "bot 'house' has changed since the run began: cautious.py"),
        ],
    )
    def test_a_bot_must_be_what_it_was(
        self,
        run: Path,
        samples: dict[str, Path],
        tmp_path: Path,
        file: str,
        text: str | None,
        what: str,
    ) -> None:
        if text is None:
            (tmp_path / file).unlink()
        else:
            (tmp_path / file).write_text(text)
        with pytest.raises(ConfigError, match=what):
            raise_text(lambda: reopen(run, samples))

    @pytest.mark.parametrize("seed", ["", "x", "00" * 32])
    def test_the_seed_must_be_the_one_committed_to(
        self, run: Path, samples: dict[str, Path], seed: str
    ) -> None:
        (run / "seed").write_text(seed)
        with pytest.raises(ConfigError, match="seed"):
            reopen(run, samples)

    def test_without_its_seed_a_run_cannot_go_on(self, run: Path, samples: dict[str, Path]) -> None:
        (run / "seed").unlink()
        with pytest.raises(ConfigError, match="seed: is missing"):
            reopen(run, samples)

    def test_a_public_text_may_come_after_the_commitment(
        self, run: Path, samples: dict[str, Path]
    ) -> None:
        with RunFolder.open(run) as folder:
            before = folder.read_lock(samples=samples)
            folder.rewrite_lock(before.league.with_public("lottery 4 8 15"))
        after = reopen(run, samples)
        assert after.league.public == "lottery 4 8 15"
        assert after.config_sha256 == before.config_sha256
        assert sorted(path.name for path in run.iterdir()) == [LOCK_FILE, "lock", "seed", "tokens"]

    def test_a_record_of_another_run_is_refused(self, run: Path, samples: dict[str, Path]) -> None:
        lock = reopen(run, samples)
        header = {
            "config_sha256": lock.config_sha256,
            "public": "",
            "seed_commitment": lock.seed_commitment,
        }
        check_header(lock, **header)
        for key in header:
            with pytest.raises(ConfigError, match=f"{key} is not that of the record's header"):
                check_header(lock, **{**header, key: "other"})

    def test_a_folder_that_is_no_run_says_so(self, tmp_path: Path) -> None:
        for path in (tmp_path, tmp_path / "nope"):
            with pytest.raises(ConfigError, match="is no folder of a run"):
                RunFolder.open(path)


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


class TestOneRunner:
    def test_a_second_runner_is_told_who_the_first_is(self, run: Path) -> None:
        with RunFolder.open(run):
            code = (
                "import sys; from pathlib import Path; from arena.league.folder import RunFolder\n"
                "from arena.errors import MachineError\n"
                "try: RunFolder.open(Path(sys.argv[1]))\n"
                "except MachineError as error: print(error)\n"
            )
            command = [sys.executable, "-c", code, str(run)]
            env = {**os.environ, "PYTHONPATH": str(ROOT)}
            said = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
        assert said.stdout.splitlines()[0] == (
            f"{run}: another arena process (pid {os.getpid()}) runs this folder"
        )

    def test_a_folder_is_free_again_when_its_runner_is_gone(self, run: Path) -> None:
        first = RunFolder.open(run)
        with pytest.raises(MachineError, match="runs this folder"):
            RunFolder.open(run)
        first.close()
        first.close()
        RunFolder.open(run).close()


class TestLinks:
    @pytest.mark.parametrize("name", ["seed", "lock", "tokens/far"])
    def test_a_file_that_is_a_link_is_not_followed(
        self, run: Path, tmp_path: Path, name: str
    ) -> None:
        (run / name).unlink()
        (run / name).symlink_to(tmp_path / "league.toml")
        before = (tmp_path / "league.toml").read_text()

        def use() -> None:
            with RunFolder.open(run) as folder:
                folder.seed()
                folder.token("far")

        with pytest.raises(MachineError, match="is a link, and links are not followed"):
            use()
        assert (tmp_path / "league.toml").read_text() == before

    def test_a_folder_of_logs_that_is_a_link_is_not_followed(
        self, run: Path, tmp_path: Path
    ) -> None:
        with RunFolder.open(run) as folder:
            assert folder.log("mine").parent.is_dir()
            folder.log("mine").parent.rmdir()
            (run / "bots").symlink_to(tmp_path)
            with pytest.raises(MachineError, match="is a link"):
                folder.log("mine")


def test_a_token_file_that_holds_something_else_is_an_error(run: Path) -> None:
    (run / "tokens/far").write_text("guess me")
    with RunFolder.open(run) as folder, pytest.raises(MachineError, match="expected 64 hex"):
        folder.token("far")


def test_a_lock_file_reads_as_it_was_written(
    league: League, samples: dict[str, Path], tmp_path: Path
) -> None:
    path = tmp_path / "x.toml"
    path.write_text(lock_text(league, "00" * 32))
    again = read_lock(path, samples=samples).league
    assert lock_text(replace(again, label=league.label), "00" * 32) == path.read_text()


def test_a_pipe_in_the_place_of_the_seed_is_refused_and_not_waited_for(run: Path) -> None:
    (run / "seed").unlink()
    os.mkfifo(run / "seed")
    with RunFolder.open(run) as folder, pytest.raises(ConfigError, match="expected 64 hex digits"):
        folder.seed()
