"""Every measurement runs, small, and says what it should; no test looks at a speed."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bench import alone, suite
from arena.bench.positions import open_tables
from arena.errors import MachineError
from arena.league.record_reader import read_record
from arena.referee.values import Game
from arena.wire.frames import decision_bytes


@pytest.mark.parametrize("frame, out", [(1, 1), (10, 2), (3, 4)])
@pytest.mark.parametrize("how", [(), ("--by-hand",)])
def test_the_echo_counts_what_comes_back(frame: int, out: int, how: tuple[str, ...]) -> None:
    options = (f"--frame={frame}", f"--out={out}", "--seconds=0.2")
    figures = suite._in_process("echo", *options, *how)
    assert figures["decisions_per_s"] > 0
    assert figures["decisions_per_frame"] == frame
    assert figures["cpu_us_per_decision"] > 0


def test_a_whole_league_is_measured_between_its_start_and_its_end() -> None:
    figures = suite._in_process("playing", "--tables=8", "--deals=400")
    assert figures["deals_per_s"] > 0
    assert 15 < figures["decisions_per_s"] / figures["deals_per_s"] < 30
    assert figures["decisions_per_frame"] >= 1


def test_a_measurement_that_fails_is_told_with_its_reason() -> None:
    with pytest.raises(MachineError, match="exit code 2"):
        suite._in_process("echo", "--nonsense")


def test_rules_and_lines_are_timed() -> None:
    assert 15 < alone.rules(50)["decisions_per_deal"] < 30
    assert alone.lines(10)["line_us"] > 0


def test_the_record_that_is_read_is_one(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    alone.write_record(path, 40)
    assert len(list(read_record(path).deals)) == 40
    assert alone.reading(path)["deals"] == 40


def test_positions_are_those_in_which_somebody_has_a_choice() -> None:
    tables = open_tables(Game(bytes(32)), 2)
    assert len(tables) > 20
    for table in tables:
        assert len(table.deal.legal_actions()) > 1
        assert decision_bytes(table, 1000, 2000)


def test_a_round_puts_what_is_compared_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def measured(module: str, *options: str) -> dict[str, float]:
        asked.append(f"{module} {options[0]}")
        if module == "echo":
            return {"decisions_per_s": 2.0}
        tables = float(options[0].partition("=")[2])
        figures = {"decisions_per_s": tables, "deals_per_s": tables, "rss_mb": 1.0}
        return figures | {"decisions_per_frame": tables / 4 + 0.3}

    monkeypatch.setattr(suite, "_in_process", measured)
    measures = suite.Bench(lambda _: None).run(["wire", "referee"], 2)
    assert asked[3:7] == [
        "playing --tables=32",
        "echo --frame=8",
        "echo --frame=8",
        "echo --frame=8",
    ]
    found = {(m.what, m.tables): m.median for m in measures if m.figure == "ratio"}
    assert found["referee / wire", 32] == 16
    assert found["referee / one table", 256] == 256
    assert not [m for m in measures if m.figure == "rss_mb"]
