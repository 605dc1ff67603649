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


@pytest.mark.parametrize("tables", [1, 8])
@pytest.mark.parametrize("how", [(), ("--by-hand",)])
def test_the_echo_counts_what_comes_back(tables: int, how: tuple[str, ...]) -> None:
    figures = suite._in_process("echo", tables, "--seconds=0.2", *how)
    assert figures["decisions_per_s"] > 0
    assert figures["decisions_per_frame"] == max(tables // 4, 1)
    assert figures["cpu_us_per_decision"] > 0


def test_a_whole_league_is_measured_between_its_start_and_its_end() -> None:
    figures = suite._in_process("playing", 8, "--deals=400")
    assert figures["deals_per_s"] > 0
    assert 15 < figures["decisions_per_s"] / figures["deals_per_s"] < 30
    assert figures["decisions_per_frame"] >= 1


def test_a_measurement_that_fails_is_told_with_its_reason() -> None:
    with pytest.raises(MachineError, match="exit code 2"):
        suite._in_process("echo", 1, "--nonsense")


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

    def measured(module: str, tables: int, *options: str) -> dict[str, float]:
        asked.append(f"{module} {tables}")
        rate = 2.0 if module == "echo" else 1.0 * tables
        return {"decisions_per_s": rate, "deals_per_s": 1.0 * tables, "rss_mb": 1.0}

    monkeypatch.setattr(suite, "_in_process", measured)
    measures = suite.Bench(lambda _: None).run(["wire", "referee"], 2)
    assert asked[:3] == ["echo 1", "echo 1", "playing 1"]
    found = {(m.what, m.tables): m.median for m in measures if m.figure == "ratio"}
    assert found["referee / wire", 32] == 16
    assert found["referee / one table", 256] == 256
    assert not [m for m in measures if m.figure == "rss_mb"]
