"""The command as a program: versions, colour, verbosity, errors that escape."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli import errors, main
from arena.errors import (
    ArenaError,
    ConfigError,
    EndedEarly,
    IllegalAction,
    MachineError,
    Reason,
    RecordError,
    StrictFault,
)
from tests.cli.conftest import RECORDS

CODE = """
import sys
from arena.cli.main import run
code = run(sys.argv[1:])
heavy = ("grpc", "google.protobuf", "numpy", "scipy", "rich")
print([name for name in heavy if name in sys.modules], code, file=sys.stderr)
"""


def test_the_version_needs_none_of_the_heavy_packages() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE, "--version"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(Path(main.__file__).parents[2])},
    )
    assert done.stderr == "[] 0\n"
    assert done.stdout.startswith("arena ")
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_names_arena_wire_rules_and_grpcio(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run([option]) == 0
    words = capsys.readouterr().out.replace(",", "").split()
    assert words[::2] == ["arena", "wire", "rules", "grpcio"]


@pytest.mark.parametrize(
    "error, code",
    [
        (StrictFault("x"), 1),
        (ConfigError("x"), 2),
        (RecordError("x", path="a", line=3), 2),
        (EndedEarly("x"), 3),
        (MachineError("x"), 4),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "a"), 2),
        (OSError(errno.ENOSPC, "No space left on device", "a"), 3),
        (OSError(errno.ENOSPC, "No space left on device"), 4),
        (PermissionError(errno.EACCES, "Permission denied", "a"), 4),
        (KeyboardInterrupt(), 130),
        (ValueError("x"), 70),
        (IllegalAction(Reason.MUST_FOLLOW, "x"), 70),
    ],
)
def test_every_kind_of_error_has_its_exit_code(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert errors.report(error) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert "Traceback" not in said.err


def test_an_error_is_what_why_and_try(capsys: pytest.CaptureFixture[str]) -> None:
    errors.report(ConfigError("no bot", why="it is gone", hint="arena bot ls"))
    assert capsys.readouterr().err == "error: no bot\nit is gone\ntry: arena bot ls\n"


def test_a_record_error_names_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    errors.report(RecordError("is torn", path="a.jsonl", line=3))
    assert capsys.readouterr().err == "error: a.jsonl:3: is torn\n"


def test_a_bug_leaves_its_traceback_in_a_file_and_shows_it_when_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert errors.report(ZeroDivisionError("oh")) == errors.BUG
    (report,) = tmp_path.glob("arena-bug-*.txt")
    assert "ZeroDivisionError: oh" in report.read_text(encoding="utf-8")
    assert str(report) in capsys.readouterr().err
    assert errors.report(ZeroDivisionError("oh"), verbosity=1) == errors.BUG
    assert len(list(tmp_path.glob("arena-bug-*.txt"))) == 1


def test_the_tree_of_errors_is_mapped_whole() -> None:
    mapped = {kind for kind, _ in errors._CODES}
    assert {ConfigError, RecordError, EndedEarly, MachineError, StrictFault} == mapped
    assert all(issubclass(kind, ArenaError) for kind in mapped)


@pytest.mark.parametrize(
    "options, environment, coloured",
    [
        (["--color", "always"], {}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ([], {"ARENA_COLOR": "always"}, True),
    ],
)
def test_colour_is_chosen_by_option_and_environment(
    options: list[str],
    environment: dict[str, str],
    coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("NO_COLOR")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert main.run([*options, "replay", "good.jsonl:1/0"]) == 0
    # Bold alone is no colour, so look for a red suit.
    assert ("\x1b[31m" in capsys.readouterr().out) is coloured


def test_json_names_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["league", "standings", "good.jsonl", "--format", "json"]) == 0
    said = capsys.readouterr()
    value = json.loads(said.out)
    assert value["schema"] == "arena.standings/1"
    assert [row["name"] for row in value["standings"]] == ["dan", "bob", "cyd", "ada"]
    assert said.err == ""


@pytest.mark.parametrize("form", ["table", "csv", "md"])
def test_all_formats_show_every_entrant(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["league", "standings", "good.jsonl", "--format", form]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("ada", "bob", "cyd", "dan"))


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path) -> None:
    arena = subprocess.Popen(
        [sys.executable, "-c", "from arena.cli.main import main; main()", "replay", "good.jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(main.__file__).parents[2])},
    )
    assert arena.stdout is not None
    assert arena.stderr is not None
    arena.stdout.close()
    with arena.stderr:
        assert arena.stderr.read() == b""
    assert arena.wait(timeout=30) == errors.BROKEN_PIPE


def test_the_protocol_is_exported_whole(tmp_path: Path) -> None:
    assert main.run(["-q", "proto", "export", "out"]) == 0
    names = sorted(file.name for file in (tmp_path / "out/arena/v1").iterdir())
    assert names == ["game.proto", "record.proto", "referee.proto"]


def test_the_schema_of_league_files_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["config", "schema"]) == 0
    assert "properties" in json.loads(capsys.readouterr().out)["$defs"]["LeagueTable"]


def test_the_sample_bots_are_listed_by_the_names_that_leagues_use(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main.run(["bot", "ls", "--format", "json"]) == 0
    bots = json.loads(capsys.readouterr().out)["bots"]
    assert {"greedy", "cautious", "random", "lowest"} <= {bot["name"] for bot in bots}


def test_config_says_where_a_value_is_from(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--set", "clock.move=500ms", "config", "show", "good.toml", "--origin"]
    assert main.run([*arguments, "--format", "json"]) == 0
    keys = {row["key"]: row for row in json.loads(capsys.readouterr().out)["keys"]}
    assert keys["clock.move"] == {"key": "clock.move", "value": "500ms", "origin": "--set"}
    assert keys["league.boards"]["origin"] == "file"
    assert keys["clock.bank"]["origin"] == "default"


def test_config_names_the_variable_that_a_value_is_from(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_SET", "clock.move=500ms bot.greedy.env.X=1 clock.start=1s")
    arguments = ["config", "show", "good.toml", "--origin", "--set", "clock.start=2s"]
    assert main.run([*arguments, "--format", "json"]) == 0
    keys = {row["key"]: row for row in json.loads(capsys.readouterr().out)["keys"]}
    assert keys["clock.move"]["origin"] == "ARENA_SET"
    assert keys["bot.greedy.env"]["origin"] == "ARENA_SET"
    assert keys["clock.start"]["origin"] == "--set"


def test_a_dry_run_says_what_would_be_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["league", "run", "good.toml", "--dry-run", "--format", "json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["boards"], plan["deals"]) == (8, 32)
    assert plan["boards_per_entrant"] == "8"
    assert plan["meetings_per_pair"] == "8"
    assert plan["estimated_seconds"] == 1
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    "record, words",
    [
        ("boards4", "net: points less the mean of the other three's, with its 95 % interval over"),
        ("duel", "net: points a seat, less those of the other's seats, with its 95 % interval"),
        ("points", "net: (opponents beaten - ahead) / 3 in a game, less the mean of the other"),
    ],
)
def test_the_line_under_standings_says_what_net_is_in_that_play(
    record: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = RECORDS / f"{record}.jsonl"
    assert main.run(["league", "standings", str(path)]) == 0
    assert words in capsys.readouterr().out


def test_standings_of_an_unfinished_record_say_how_many_deals_do_not_count_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (tmp_path / "good.jsonl").read_bytes().split(b"\n")
    (tmp_path / "six.jsonl").write_bytes(b"\n".join(lines[:7]) + b"\n")
    assert main.run(["league", "standings", "six.jsonl"]) == 0
    said = capsys.readouterr().out
    assert "boards4: 1 board, 4 deals" in said
    assert "2 deals of unfinished boards not counted" in said
