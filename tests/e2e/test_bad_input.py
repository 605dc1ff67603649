"""What is wrong is said in a few lines, with the right exit code, and nothing is lost."""

from __future__ import annotations

import json
import shutil
import signal
import socket
from collections.abc import Iterator

import pytest

from tests.e2e.runs import BOTS, Ended, Folder, Run

pytestmark = pytest.mark.e2e


def told(ended: Ended, code: int, *words: str) -> None:
    """Fail unless a command ended with this code and an error of a few lines."""
    assert ended.code == code, ended.err
    assert "Traceback" not in ended.err
    error = ended.err[ended.err.index("error:") :]
    assert len(error.splitlines()) <= 8, error
    for word in words:
        assert word in error


def with_bot(folder: Folder, table: str, **settings: object) -> str:
    """Write a league of a bot and three samples."""
    return folder.league(f"{table}\n{folder.samples('greedy', 'cautious', 'lowest')}", **settings)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    """A folder with a run that was stopped, of a league with a bot in a folder of its own."""
    folder = Folder(tmp_path_factory.mktemp("stopped"))
    home = folder.path / "mine"
    home.mkdir()
    shutil.copy(BOTS / "steady.py", home / "steady.py")
    command = json.dumps(["python", "steady.py", folder.pace(3)])
    bot_toml = f'name = "mine"\nversion = "1"\nlanguage = "Python"\ncommand = {command}\n'
    (home / "bot.toml").write_text(bot_toml, encoding="utf-8")
    file = with_bot(folder, folder.table("mine", 'dir = "mine"'), boards=200, tables=4)
    run = folder.run("stopped")
    running = folder.start("league", "run", file, "--run", "stopped")
    running.until(lambda: run.deals_so_far > 4, "some deals")
    running.signal_group(signal.SIGTERM)
    assert running.ended().code == 143
    yield folder
    folder.end_all()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    """A folder with a finished run."""
    folder = Folder(tmp_path_factory.mktemp("finished"))
    file = folder.league(folder.samples())
    folder.arena("league", "run", file, "--run", "finished").succeeded()
    yield folder
    folder.end_all()


def copied(folder: Folder) -> Run:
    """Return a fresh copy of a folder's run."""
    run = folder.run()
    shutil.rmtree(run.path, ignore_errors=True)
    shutil.copytree(folder.run(folder.path.name.rstrip("0123456789")).path, run.path)
    return run


# ---------------------------------------------------------------------- resuming what was changed


@pytest.mark.parametrize(
    "old,new",
    [
        ("move_ms = 1000", "move_ms = 2000"),
        ("[league]", "[league"),
        ("boards = 200", "boards = 300"),
    ],
)
def test_an_edited_lock_file_is_refused(stopped: Folder, old: str, new: str) -> None:
    run = copied(stopped)
    lock = run.path / "league.lock.toml"
    text = lock.read_text(encoding="utf-8")
    assert old in text
    before = run.bytes()
    lock.write_text(text.replace(old, new), encoding="utf-8")
    told(stopped.arena("league", "resume", "run"), 2, "league.lock.toml")
    assert run.bytes() == before


def test_a_bot_that_was_changed_is_refused(stopped: Folder) -> None:
    run = copied(stopped)
    before = run.bytes()
    program = stopped.path / "mine" / "steady.py"
    text = program.read_text(encoding="utf-8")
    program.write_text(text + "# better now\n", encoding="utf-8")
    told(stopped.arena("league", "resume", "run"), 2, "mine", "steady.py")
    program.unlink()
    told(stopped.arena("league", "resume", "run"), 2, "mine")
    program.write_text(text, encoding="utf-8")
    assert run.bytes() == before


def test_another_seed_is_refused_and_so_is_none(stopped: Folder) -> None:
    run = copied(stopped)
    before = run.bytes()
    seed = run.path / "seed"
    for text in ("0" * 64, "0" * 63, ""):
        seed.write_text(f"{text}\n", encoding="ascii")
        told(stopped.arena("league", "resume", "run"), 2, "seed")
    seed.unlink()
    told(stopped.arena("league", "resume", "run"), 2, "seed")
    assert run.bytes() == before


def test_a_record_cut_in_half_goes_on_from_its_last_whole_line(finished: Folder) -> None:
    cut, whole = copied(finished), finished.run("finished")
    data = whole.bytes()
    half = data[: len(data) // 2]
    assert not half.endswith(b"\n")
    cut.record.write_bytes(half)
    told_so_far = finished.arena("verify", "run").succeeded()
    assert "unfinished" in told_so_far.out
    assert cut.bytes() == half
    finished.arena("league", "resume", "run").succeeded()
    finished.arena("verify", "run").succeeded()
    assert cut.unmeasured() == whole.unmeasured()


def test_a_record_edited_by_hand_is_refused_with_its_line(finished: Folder) -> None:
    run = copied(finished)
    lines = run.bytes().splitlines(keepends=True)
    lines[4] = lines[4].replace(b'"board":', b'"board":1', 1)
    for edited in (b"".join(lines[:-3]), b"".join(lines)):
        run.record.write_bytes(edited)
        told(finished.arena("league", "resume", "run"), 2, "deals.jsonl", "line 5")
        assert run.bytes() == edited
        checked = finished.arena("verify", "run")
        assert checked.code in {1, 2}
        assert "line 5" in checked.out + checked.err


@pytest.mark.parametrize(
    "data",
    [b"", b'{"header":{"format":"brandeln-rec', b"\x00" * 40 + b"\n"],
    ids=["empty", "torn", "zeros"],
)
def test_a_record_without_its_header_is_refused(finished: Folder, data: bytes) -> None:
    run = copied(finished)
    run.record.write_bytes(data)
    told(finished.arena("league", "resume", "run"), 2, "deals.jsonl")
    assert run.bytes() == data


def test_a_finished_run_is_not_played_again(finished: Folder) -> None:
    run = copied(finished)
    before = run.bytes()
    finished.arena("league", "resume", "run").succeeded()
    assert run.bytes() == before


# ---------------------------------------------------------------------- bots that do not start


def test_a_bot_that_exits_at_once_is_told_with_its_last_words(folder: Folder) -> None:
    ended = folder.arena("league", "run", with_bot(folder, folder.own("broken.py")))
    told(ended, 2, "broken", "exit code 7", "no such file")
    folder.nothing_runs()


def test_a_bot_that_says_nothing_is_told(folder: Folder) -> None:
    file = with_bot(folder, folder.own("mute.py"))
    ended = folder.arena("league", "run", file, "--set", "clock.start=3s")
    told(ended, 2, "mute", "3 s", "clock.start")
    folder.nothing_runs()


@pytest.mark.parametrize(
    "command,words", [('["no-such-program"]', "no-such-program"), ('["python", "gone.py"]', "gone")]
)
def test_a_command_that_does_not_exist_is_told(folder: Folder, command: str, words: str) -> None:
    file = with_bot(folder, folder.table("ghost", f"command = {command}"))
    told(folder.arena("league", "run", file, "--run", "run"), 2, "ghost", words)
    assert not folder.run().record.exists()


def test_a_port_that_is_taken_is_told(folder: Folder) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        file = folder.league(folder.samples())
        ended = folder.arena("league", "run", file, "--set", f"server.address={address}")
        told(ended, 4, address)
    folder.nothing_runs()


# ---------------------------------------------------------------------- strict


def test_the_first_fault_ends_a_strict_run_with_its_context(folder: Folder) -> None:
    file = with_bot(folder, folder.own("cheat.py"))
    ended = folder.arena("league", "run", file, "--run", "run", "--strict")
    assert ended.code == 1
    for word in ("cheat", "ILLEGAL", "asked:", "came: SA", "legal:", "I have every ace"):
        assert word in ended.err
    assert "Traceback" not in ended.err
    folder.nothing_runs()


def test_without_strict_a_cheat_pays_and_the_league_ends(folder: Folder) -> None:
    file = with_bot(folder, folder.own("cheat.py"))
    folder.arena("league", "run", file, "--run", "run").succeeded()
    folder.arena("verify", "run").succeeded()
    kinds = {
        (deal["seats"][fault["seat"]], fault["kind"])
        for deal in folder.run().of_kind("deal")
        for fault in deal.get("faults", [])
    }
    assert kinds == {("cheat", "ILLEGAL")}
