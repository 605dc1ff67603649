"""Records and runs of strangers: whatever they hold, nothing breaks and no terminal obeys it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli import main
from arena.errors import RecordError
from arena.league.record_resume import look
from tests.league.edits import EditedRecord

ODD = "\x1b[2J\x1b]0;title\x07\u202eodd\x9b3J\r\n"
VALUES: tuple[object, ...] = (
    ODD,
    "",
    -1,
    7,
    2**31,
    2**63 - 1,
    None,
    [],
    {},
    "A.B.C.D",
    "....",
    "9:SA SA SA SA",
    [7] * 4,
)
COMMANDS = {
    "verify": ["verify", "edited.jsonl"],
    "verify md": ["verify", "edited.jsonl", "--format", "md"],
    "replay": ["replay", "edited.jsonl"],
    "replay csv": ["replay", "edited.jsonl", "--format", "csv"],
    "replay json": ["replay", "edited.jsonl", "--format", "json"],
    "lost": ["replay", "edited.jsonl", "--bot", "ada"],
    "standings": ["league", "standings", "edited.jsonl"],
    "standings csv": ["league", "standings", "edited.jsonl", "--format", "csv"],
    "standings json": ["league", "standings", "edited.jsonl", "--format", "json"],
    "ls": ["league", "ls"],
    "ls csv": ["league", "ls", "--format", "csv"],
}

SHORTER = ["verify", "replay", "lost", "standings", "ls"]

Path_ = tuple[str | int, ...]


def paths_of(value: object, at: Path_ = ()) -> Iterator[Path_]:
    """Yield the paths of all values inside a value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from ((*at, key), *paths_of(inner, (*at, key)))
    elif isinstance(value, list) and value:
        # One of a list stands for all.
        yield from ((*at, 0), *paths_of(value[0], (*at, 0)))


def lines_of_each_kind() -> list[int]:
    """Return the places of the header, an event, the footer, and a deal with faults."""
    lines = EditedRecord("boards4").lines
    wanted = {"header": True, "event": True, "footer": True}
    found = [place for place, line in enumerate(lines) if wanted.pop(next(iter(line)), False)]
    return [*found, next(n for n, line in enumerate(lines) if line.get("deal", {}).get("faults"))]


PLACES = [
    pytest.param(place, path, id=".".join(map(str, path)))
    for place in lines_of_each_kind()
    for path in paths_of(EditedRecord("boards4").lines[place])
    if len(path) > 1 and path[0] != "crc32"
]


def put(record: EditedRecord, place: int, path: Path_, value: object) -> None:
    at: Any = record.lines[place]
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value


def run(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run a command; fail when a terminal would obey what it prints."""
    code = main.run(COMMANDS[command])
    shown = capsys.readouterr()
    odd = {c for c in shown.out + shown.err if unicodedata.category(c)[0] == "C" and c != "\n"}
    assert not odd, command
    return code, shown.out, shown.err


@pytest.mark.parametrize("place, path", PLACES)
def test_no_value_of_a_record_breaks_a_command(
    place: int, path: Path_, home_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_folder = home_folder / "runs" / "odd"
    run_folder.mkdir(parents=True)
    (run_folder / "league.lock.toml").touch()
    other = VALUES[sum(map(ord, str(path))) % len(VALUES)]
    for value, commands in ((ODD, list(COMMANDS)), (other, SHORTER)):
        record = EditedRecord("boards4")
        put(record, place, path, value)
        record.write(home_folder)
        shutil.copy("edited.jsonl", run_folder / "deals.jsonl")
        for command in commands:
            code, _, err = run(command, capsys)
            assert code in {0, 1, 2}, (command, err)
        with contextlib.suppress(RecordError):
            look(home_folder / "edited.jsonl")


@pytest.mark.parametrize(
    "path, value",
    [
        (("tricks", 4), "A.B.C.D"),
        (("tricks", 4), "0:SA SA SA"),
        (("hands", 0), "PLAYED"),
        (("hands", 0), "A.B.C.D"),
        (("calls", 0), "...."),
        (("calls", 0), "9:PASS"),
        (("declarer",), 4),
        (("dealer",), -1),
        (("trump",), "X"),
        (("faults",), [{"seat": 4, "action": 0, "kind": "ILLEGAL", "detail": ""}]),
    ],
)
def test_a_deal_that_cannot_be_shown_is_an_error_of_its_record(
    path: Path_, value: object, home_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = EditedRecord("boards4")
    place = next(n for n, line in enumerate(record.lines) if line.get("deal", {}).get("trump"))
    put(record, place, ("deal", *path), value)
    record.write(home_folder)
    for command in ("replay", "replay csv"):
        code, _, err = run(command, capsys)
        assert code == 2
        assert "edited.jsonl: board " in err
        assert "cannot be shown" in err


def test_a_board_of_any_number_costs_no_memory(
    home_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = EditedRecord("boards4")
    record.deal(1, 0)["board"] = 2**32 - 1
    record.write(home_folder, finished=False)
    assert run("standings", capsys)[0] == 0
    assert look(home_folder / "edited.jsonl").done.count == 48


def test_json_says_what_the_record_says(
    home_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = EditedRecord("boards4")
    record.deal(1, 0)["contract"] = ODD
    record.write(home_folder)
    _, out, _ = run("replay json", capsys)
    assert ODD in {deal["contract"] for deal in json.loads(out)["deals"]}


# ---------------------------------------------------------------------- what is no file of ours


def begun(home_folder: Path) -> Path:
    """Return the folder of a run that has begun."""
    folder = home_folder / "run"
    folder.mkdir()
    (folder / "league.lock.toml").touch()
    shutil.copy("begun.jsonl", folder / "deals.jsonl")
    return folder


@pytest.mark.parametrize("seed", [b"\xff\xfe" * 32, b"", b"short text", b"ab" * 31, b"g" * 64])
def test_a_seed_that_is_none_is_refused(
    seed: bytes, home_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (begun(home_folder) / "seed").write_bytes(seed)
    assert main.run(["verify", "run"]) == 2
    assert "run/seed: expected 64 hex digits" in capsys.readouterr().err


def test_another_seed_than_the_committed_one_is_told(
    home_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (begun(home_folder) / "seed").write_text("ab" * 32)
    assert main.run(["verify", "run"]) == 1
    assert "seed_commitment" in capsys.readouterr().out


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", ["seed", "deals.jsonl"])
def test_a_pipe_in_the_place_of_a_file_is_refused(
    name: str, home_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begun(home_folder)
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    assert main.run(["verify", "run"]) == 2
    assert "is no regular file" in capsys.readouterr().err
    if name == "deals.jsonl":
        with pytest.raises(RecordError):
            look(folder / name)


@pytest.mark.timeout(20)
def test_a_folder_in_the_place_of_a_seed_is_refused(
    home_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (begun(home_folder) / "seed").mkdir()
    assert main.run(["verify", "run"]) == 2
    assert "run/seed" in capsys.readouterr().err


# ---------------------------------------------------------------------- what is no shell of ours


@pytest.mark.parametrize(
    "words", [{}, {"COMP_WORDS": "arena"}, {"COMP_WORDS": "", "COMP_CWORD": "x"}]
)
def test_a_completion_without_its_words_fails_quietly(
    words: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"_ARENA_COMPLETE": "complete_bash", **words}.items():
        monkeypatch.setenv(name, value)
    assert main.run([]) == 2
    shown = capsys.readouterr()
    assert shown.out + shown.err == ""
