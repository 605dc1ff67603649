"""What a replay says of faults, and which deals it finds."""

from __future__ import annotations

import json

import msgspec
import pytest

from arena.cli import main
from arena.cli.replay_text import deal_lines
from arena.league.record import DealLine, FaultLine
from arena.league.record_reader import find_deals
from arena.rules.ruleset import BRANDELN


def lines_with(*faults: FaultLine) -> list[str]:
    """Return the lines of a declared deal of the vectors, with other faults in it."""
    deal = next(deal for deal in find_deals("good.jsonl") if deal.declarer is not None)
    changed: DealLine = msgspec.structs.replace(deal, faults=faults)
    return ["".join(text for text, _ in line) for line in deal_lines(changed, BRANDELN)]


def fault(
    action: int, kind: str = "CRASH", incident: int | None = 3, detail: str = "x"
) -> FaultLine:
    return FaultLine(seat=2, action=action, kind=kind, incident=incident, detail=detail)


def test_an_incident_is_told_once_for_all_its_actions() -> None:
    calls = len(next(d for d in find_deals("good.jsonl") if d.declarer is not None).calls)
    said = [line for line in lines_with(fault(calls + 1), fault(calls + 7)) if "fault" in line]
    assert said == ["fault    CRASH by cyd(2), trick 1 to trick 2 (2 actions) (incident 3): x"]


def test_faults_of_their_own_are_told_one_by_one() -> None:
    two = fault(0, "ILLEGAL", None, "one"), fault(1, "ILLEGAL", None, "two")
    said = [line for line in lines_with(*two) if "fault" in line]
    assert said == [
        "fault    ILLEGAL by cyd(2), call 1: one",
        "fault    ILLEGAL by cyd(2), call 2: two",
    ]


def test_a_long_detail_keeps_its_end() -> None:
    (said,) = [
        line for line in lines_with(fault(0, detail="a" * 400 + " the end")) if "fault" in line
    ]
    assert said.endswith("aaa the end")
    assert len(said) < 260


def test_the_action_of_a_fault_is_marked() -> None:
    calls = len(next(d for d in find_deals("good.jsonl") if d.declarer is not None).calls)
    assert sum("!" in line for line in lines_with()) == 0
    for action in range(calls + 1 + 28):
        marked = [line for line in lines_with(fault(action)) if "!" in line]
        assert len(marked) == 2, action  # the place, and what the mark means
        (where,) = [line for line in lines_with(fault(action)) if line.startswith("fault")]
        if action < calls:
            assert marked[0].startswith("calls")
            assert f"call {action + 1}:" in where.replace(" (incident 3)", "")
        elif action == calls:
            assert marked[0].startswith("contract")
            assert "declaration" in where
        else:
            trick = (action - calls - 1) // 4 + 1
            assert marked[0].startswith(f"  {trick} ")
            assert f"trick {trick}" in where


def test_the_deals_a_bot_lost_are_those_with_a_net_below_zero_worst_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main.run(["replay", "good.jsonl", "--bot", "cyd", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["deals"]
    nets = {}
    for deal in find_deals("good.jsonl"):
        seat = deal.seats.index("cyd")
        nets[deal.key] = deal.points[seat] - (sum(deal.points) - deal.points[seat]) / 3
    worst = sorted(net for net in nets.values() if net < 0)[:20]
    assert [row["net"] for row in found] == pytest.approx(worst, abs=1e-3)
    for row in found:
        assert nets[row["board"], row["leg"], row["number"]] == pytest.approx(row["net"], abs=1e-3)
        command = row["command"].split()
        assert main.run(command[1:]) == 0
