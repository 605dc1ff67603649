"""A folder with good and bad files for the commands under test, and no colour."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli import console
from arena.cli.options import Color

RECORDS = Path(__file__).parent.parent / "vectors" / "records"

LEAGUES = {
    "good.toml": """
[league]
name = "good"
seed = "demo"
boards = 8
[[bot]]
bot = "greedy"
[[bot]]
bot = "cautious"
[[bot]]
bot = "random"
[[bot]]
bot = "lowest"
""",
    "unknown-key.toml": '[league]\nname = "a"\nboads = 8\n',
    "unknown-section.toml": '[league]\nname = "a"\n[clok]\nmove = "1s"\n',
    "no-league.toml": '[[bot]]\nbot = "greedy"\n',
    "not-toml.toml": "[league\n",
    "two-of-a-name.toml": '[league]\nname = "a"\n' + 2 * '[[bot]]\nbot = "greedy"\n',
    "no-command.toml": (
        '[league]\nname = "a"\nplay = "duel"\n[[bot]]\nbot = "greedy"\n'
        '[[bot]]\nname = "mine"\ncommand = ["./no-such-bot"]\n'
    ),
    "seed-slip.toml": f'[league]\nname = "a"\nplay = "duel"\nseed = "{"ab" * 31}"\n'
    '[[bot]]\nbot = "greedy"\n[[bot]]\nbot = "random"\n',
    "no-sample.toml": '[league]\nname = "a"\nplay = "duel"\n[[bot]]\nbot = "gredy"\n',
    "later.toml": '[league]\nname = "a"\nworkers = 2\n',
}


@pytest.fixture(autouse=True)
def home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Enter a folder with records and league files, and leave no trace of colour."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))  # reports of bugs
    for name in ("FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("GRPC_VERBOSITY", "NONE")  # set by the command itself; this takes it back
    for name, text in LEAGUES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    record = (RECORDS / "boards4.jsonl").read_bytes()
    lines = record.split(b"\n")
    (tmp_path / "good.jsonl").write_bytes(record)
    (tmp_path / "cut.jsonl").write_bytes(record[: len(record) // 2])
    (tmp_path / "edited.jsonl").write_bytes(record.replace(b'"leg":2', b'"leg":3', 1))
    (tmp_path / "foreign.jsonl").write_text("hello\n", encoding="utf-8")
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "begun.jsonl").write_bytes(b"\n".join(lines[:5]) + b"\n")
    yield tmp_path
    console.choose_color(Color.AUTO)
