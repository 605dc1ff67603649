"""What faults oblige a seat to is checked (FAULTS): safe actions, real choices, benches."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.league.record import EventLine
from arena.league.verify import verify_record
from arena.rules.deal import Deal
from arena.rules.safe import safe_action
from tests.league.leagues import PlayedFault, header, league, record_bytes


def verdict_on_faults(tmp_path: Path, kinds: list[str], *, calm: bool, later: bool = False) -> str:
    """Give `ada` faults at her first real choices, and return what verify finds.

    `calm`: she plays safe actions all along; else she goes on as she likes.
    """
    of = header(passes=4)
    played = list(league(of, safe=lambda _board, name: calm and name == "ada"))
    events = []
    for deal in played:
        seat = deal.seats.index("ada")
        choices = safe_choices(deal.deal, seat)
        if len(choices) < len(kinds) + 1 or (not calm and is_calm_after(deal.deal, seat, choices)):
            continue
        for kind, action in zip(kinds, choices, strict=False):
            incident = 1 if kind in {"CRASH", "DISCONNECT"} else 0
            deal.faults.append(PlayedFault(seat, action, kind, "made up", incident))
        if later:
            deal.faults.append(PlayedFault(seat, choices[len(kinds)], "ILLEGAL", "made up"))
        if "CRASH" in kinds:
            events.append(EventLine(kind="CRASHED", incident=1, entrant="ada"))
        if "DISCONNECT" in kinds:
            events.append(EventLine(kind="DISCONNECTED", incident=1, entrant="ada"))
        break
    else:
        raise AssertionError("no deal fits")
    path = tmp_path / "deals.jsonl"
    path.write_bytes(record_bytes(of, played, events))
    return str(verify_record(path).difference or "")


def safe_choices(deal: Deal, seat: int) -> list[int]:
    """Return the real choices of a seat in which it took the safe action."""
    again = Deal(deal.ruleset, deal.dealer, deal.hands)
    found = []
    for place, action in enumerate(deal.actions):
        if again.turn == seat and again.legal.bit_count() > 1 and action == safe_action(again):
            found.append(place)
        again.push(action)
    return found


def is_calm_after(deal: Deal, seat: int, choices: list[int]) -> bool:
    """Return whether a seat took only safe actions after its second safe choice."""
    again = Deal(deal.ruleset, deal.dealer, deal.hands)
    for place, action in enumerate(deal.actions):
        if again.turn == seat and place > choices[1] and action != safe_action(again):
            return False
        again.push(action)
    return True


@pytest.mark.parametrize(
    "kinds", [["CRASH"], ["DISCONNECT"], ["TIMEOUT", "TIMEOUT"], ["ILLEGAL", "CRASH"]], ids="-".join
)
def test_a_seat_on_autopilot_plays_only_safe_actions(kinds: list[str], tmp_path: Path) -> None:
    assert not verdict_on_faults(tmp_path, kinds, calm=True)
    found = verdict_on_faults(tmp_path, kinds, calm=False)
    assert "expected the safe action" in found
    assert f"after its {'second ' if kinds[0] == 'TIMEOUT' else ''}{kinds[-1]}" in found
    assert "none of seat" in verdict_on_faults(tmp_path, kinds, calm=True, later=True)


@pytest.mark.parametrize("kinds", [["TIMEOUT"], ["ILLEGAL", "MALFORMED"], ["TIMEOUT", "ILLEGAL"]])
def test_other_faults_leave_the_seat_to_its_bot(kinds: list[str], tmp_path: Path) -> None:
    assert not verdict_on_faults(tmp_path, kinds, calm=False)
    assert not verdict_on_faults(tmp_path, kinds, calm=True, later=True)


def test_a_faulty_action_is_a_real_choice_and_the_safe_one(tmp_path: Path) -> None:
    of = header(passes=2)
    wanted = {"the only legal action": False, "expected the safe action": True}
    for words, is_choice in wanted.items():
        played = list(league(of))
        deal = played[0]
        again = Deal(deal.deal.ruleset, deal.deal.dealer, deal.deal.hands)
        for place, action in enumerate(deal.deal.actions):
            choice = again.legal.bit_count() > 1
            if choice == is_choice and (action != safe_action(again)) == is_choice:
                deal.faults = [PlayedFault(again.turn, place, "ILLEGAL", "made up")]
                break
            again.push(action)
        path = tmp_path / "deals.jsonl"
        path.write_bytes(record_bytes(of, played))
        assert words in str(verify_record(path).difference)


def test_the_share_of_faulty_deals_can_bench(tmp_path: Path) -> None:
    of = header(passes=2)
    for faulty, good in ((3, True), (2, False), (20, True), (21, False)):
        bench = EventLine(
            kind="BENCHED", entrant="ada", board=2, crashes=0, deals=20, faulty=faulty
        )
        path = tmp_path / "deals.jsonl"
        path.write_bytes(record_bytes(of, None, [bench]))
        assert verify_record(path).ok is good


def test_a_hostile_bot_is_benched_whatever_its_counts(tmp_path: Path) -> None:
    hostile = EventLine(kind="HOSTILE", incident=1, entrant="ada")
    bench = EventLine(kind="BENCHED", entrant="ada", board=2, crashes=0, deals=0, faulty=0)
    path = tmp_path / "deals.jsonl"
    path.write_bytes(record_bytes(header(passes=2), None, [hostile, bench]))
    assert verify_record(path).ok
    path.write_bytes(record_bytes(header(passes=2), None, [bench]))
    assert not verify_record(path).ok
