"""Every kind of edit that RECORD names, sealed anew, is found with its line and in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.league.verify import verify_record
from tests.league.edits import EditedRecord

Edit = Callable[[EditedRecord], Any]


def put(board: int, leg: int, number: int = 1, /, **fields: Any) -> Edit:
    """Return an edit that sets fields of a deal."""
    return lambda record: record.deal(board, leg, number).update(fields)


def drop(board: int, leg: int, number: int = 1) -> Edit:
    def edit(record: EditedRecord) -> None:
        del record.lines[record.line(board, leg, number) - 1]
        record.count()

    return edit


def double(record: EditedRecord) -> None:
    place = record.line(2, 1)
    record.lines.insert(place, record.lines[place - 1])
    record.count()


def swap(record: EditedRecord) -> None:
    place = record.line(2, 1)
    record.lines[place - 1 : place + 1] = reversed(record.lines[place - 1 : place + 1])


def swap_cards(record: EditedRecord) -> None:
    trick = record.deal(1, 0)["tricks"][0]
    leader, first, *rest = trick.replace(":", " ").split(" ")
    record.deal(1, 0)["tricks"][0] = f"{leader}:{rest[0]} {first} {' '.join(rest[1:])}"


def other_leader(record: EditedRecord) -> None:
    deal = record.deal(1, 0)
    deal["tricks"][2] = "2" + deal["tricks"][2][1:]


def swap_hands(record: EditedRecord) -> None:
    for leg in range(4):
        hands = record.deal(1, leg)["hands"]
        hands[0], hands[1] = hands[1], hands[0]


def rotate_deck(record: EditedRecord) -> None:
    """A deal of another board, whole and legal, in the place of this one's."""
    other = record.deal(3, 1)
    record.deal(2, 1).update({key: other[key] for key in other if key not in {"board", "seats"}})


def swap_seats(record: EditedRecord) -> None:
    seats = record.deal(2, 2)["seats"]
    seats[0], seats[1] = seats[1], seats[0]


def no_incident_event(record: EditedRecord) -> None:
    record.lines = [line for line in record.lines if line.get("event", {}).get("incident") != 5]
    record.count()


def event_among_deals(record: EditedRecord) -> None:
    place = next(at for at, line in enumerate(record.lines) if "event" in line)
    record.lines.insert(5, record.lines.pop(place))


def fault(board: int, leg: int, /, **fields: Any) -> Edit:
    """Return an edit that sets fields of a deal's first fault."""
    return lambda record: record.deal(board, leg)["faults"][0].update(fields)


def event(kind: str, /, **fields: Any) -> Edit:
    return lambda record: record.event(kind).update(fields)


def top(**fields: Any) -> Edit:
    return lambda record: record.header.update(fields)


def end(**fields: Any) -> Edit:
    return lambda record: record.footer.update(fields)


def knob(**fields: Any) -> Edit:
    return lambda record: record.header["ruleset"].update(fields)


def more_events(*events: dict[str, Any]) -> Edit:
    def edit(record: EditedRecord) -> None:
        record.lines[-1:-1] = [{"event": each} for each in events]
        record.count()

    return edit


def cut_board(record: EditedRecord) -> None:
    """All legs of the last board are left out."""
    record.lines = [line for line in record.lines if line.get("deal", {}).get("board") != 12]
    record.count()


def go_on_after_the_end(record: EditedRecord) -> None:
    """The last game gets one deal more than it has."""
    last = record.lines[-2]["deal"]
    record.lines.insert(-1, {"deal": last | {"number": last["number"] + 1}})
    record.count()


def take_out_the_last_event(record: EditedRecord) -> None:
    del record.lines[-2]
    record.count()


def cut_game(record: EditedRecord) -> None:
    """The last deal of a game is left out."""
    del record.lines[record.line(1, 1) - 2]
    record.count()


def benched_earlier(record: EditedRecord) -> None:
    record.event("BENCHED")["board"] = 1


EDITS: dict[str, tuple[str, Edit, str, str]] = {
    # what: record, edit, where (board/leg/number, "header", "footer" or an event's kind), words
    "points": ("boards4", put(1, 0, points=[0, 1, 0, 0]), "1/0", "points: expected [0 0 0 0]"),
    "points of a declarer": ("boards4", put(1, 1, points=[6, 0, 0, 0]), "1/1", "points"),
    "taken": ("boards4", put(1, 0, taken=[1, 2, 4, 0]), "1/0", "taken: expected [1 3 3 0]"),
    "a card": ("boards4", swap_cards, "1/0", "trick 1, seat 2: expected seat 2 to act with one"),
    "a leader": ("boards4", other_leader, "1/0", "leader of trick 3: expected 1, got 2"),
    "a trick missing": ("boards4", lambda r: r.deal(1, 0)["tricks"].pop(), "1/0", "tricks: expec"),
    "a trick malformed": ("boards4", put(1, 0, tricks=["2:DJ CQ"] * 7), "1/0", "four cards"),
    "hands": ("boards4", swap_hands, "1/0", "hands (from the seed)"),
    "a hand that is none": (
        "boards4",
        lambda r: r.deal(1, 0)["hands"].__setitem__(0, "JA..T97.A9"),
        "1/0",
        "hands (from the seed)",
    ),
    "seats": ("boards4", swap_seats, "2/2", "seats (from the schedule)"),
    "a stranger": ("boards4", put(2, 2, seats=["x", "y", "z", "w"]), "2/2", "seats"),
    "dealer": ("boards4", put(1, 0, dealer=2), "1/0", "dealer (from the seed): expected 1, got 2"),
    "dealer out of range": ("boards4", put(1, 0, dealer=4), "1/0", "a seat, 0 to 3, got 4"),
    "contract": ("boards4", put(1, 1, contract="ALL_NO_TRUMP"), "1/1", "trump: expected none"),
    "a lower contract": ("boards4", put(1, 1, contract="BRANDELN"), "1/1", "points"),
    "no contract": ("boards4", put(1, 1, contract="FIFTEEN"), "1/1", "the name of a contract"),
    "a contract that was passed out": ("boards4", put(1, 0, contract="FOUR"), "1/0", "contract"),
    "trump": ("boards4", put(1, 1, trump="H"), "1/1", "trick"),
    "trump missing": ("boards4", lambda r: r.deal(1, 1).pop("trump"), "1/1", "a suit, C D H or S"),
    "declarer": ("boards4", put(1, 1, declarer=2), "1/1", "declarer: expected 0, got 2"),
    "declarer missing": ("boards4", lambda r: r.deal(1, 1).pop("declarer"), "1/1", "got none"),
    "a call": (
        "boards4",
        put(1, 0, calls=["2:PASS", "3:FOUR", "0:PASS", "1:PASS"]),
        "1/0",
        "call 2: expected seat 3 to act with one of PASS BRANDELN, got 3:FOUR",
    ),
    "a call out of turn": (
        "boards4",
        put(1, 0, calls=["3:PASS", "2:PASS", "0:PASS", "1:PASS"]),
        "1/0",
        "not your turn",
    ),
    "a call missing": ("boards4", lambda r: r.deal(1, 0)["calls"].pop(), "1/0", "another, by seat"),
    "a call too many": (
        "boards4",
        lambda r: r.deal(1, 0)["calls"].append("2:PASS"),
        "1/0",
        "calls: expected 4, which end the auction, got 5",
    ),
    "a call that is none": ("boards4", put(1, 0, calls=["2:PUSS"]), "1/0", "such as 2:PASS"),
    "think time": ("boards4", put(1, 0, slowest_us=[9999, 1, 1, 1]), "1/0", "at most think_us"),
    "a negative time": ("boards4", put(1, 0, think_us=[-1, 1, 1, 1]), "1/0", "microseconds"),
    "an end that is none": ("boards4", put(1, 0, end="CRASHED"), "1/0", "expected PLAYED"),
    "a list too short": ("boards4", put(1, 0, taken=[1, 2]), "1/0", "length 4"),
    "a field missing": ("boards4", lambda r: r.deal(1, 0).pop("calls"), "1/0", "calls"),
    "a deal dropped": ("boards4", drop(2, 1), "2/2", "expected board 2 leg 1 deal 1, got board 2"),
    "the last deal dropped": ("boards4", drop(12, 3), "CRASHED", "board 12 leg 3 deal 1, got an"),
    "the last deal of all dropped": ("boards5", drop(20, 3), "footer", "got the footer"),
    "a board dropped": ("rules", cut_board, "footer", "order: expected board 12 leg 0 deal 1"),
    "a deal doubled": ("boards4", double, "2/1+1", "a second time"),
    "out of order": ("boards4", swap, "2/2", "expected board 2 leg 1 deal 1"),
    "moved to another board": ("boards4", put(2, 1, board=7), "7/1", "expected board 2 leg 1"),
    "another board's cards": ("boards4", rotate_deck, "2/1", "(from the seed)"),
    "another leg": ("independent", put(2, 3, leg=1), "2/1", "expected board 2 leg 3 deal 1"),
    "seed": ("boards4", end(seed="ab" * 32), "footer", "commitment of the seed"),
    "a seed too short": ("boards4", end(seed="abcd"), "footer", "64 lower-case hex digits"),
    "commitment": ("boards4", top(seed_commitment="cd" * 32), "footer", "commitment of the seed"),
    "public text": ("boards5", top(public="drawn 3 14 16"), "1/0", "(from the"),
    "ruleset, opening": ("rules", knob(opening="brandeln"), "1/*", "call"),
    "ruleset, void": ("rules", knob(void="must_trump"), "*", "trick"),
    "ruleset, trump order": ("rules", knob(trump_order="plain"), "*", ""),
    "ruleset, passed out points": ("rules", knob(passed_out_points=1), "*", "points"),
    "ruleset, passed out winner": ("rules", knob(passed_out_winner="most"), "*", "points"),
    "ruleset, passed out tie": ("rules", knob(passed_out_tie="none"), "*", "points"),
    "ruleset, declare above bid": ("boards4", knob(declare_above_bid=False), "1/1", "contract"),
    "a ruleset that is none": ("rules", knob(opening="soft"), "header", "ruleset.opening"),
    "play": ("boards4", top(play="chess"), "header", "play: expected one of"),
    "another play": ("boards4", top(play="independent"), "1/*", "order"),
    "passes, more": ("boards4", top(passes=13), "CRASHED", "order: expected board 13 leg 0"),
    "passes, fewer": ("rules", top(passes=11), "12/0", "all 11 passes are complete"),
    "an entrant renamed": (
        "boards4",
        lambda r: r.header["entrants"][0].update(name="eve"),
        "1/0",
        "seats (from the schedule)",
    ),
    "entrants in another order": (
        "boards4",
        lambda r: r.header["entrants"].reverse(),
        "1/0",
        "seats (from the schedule)",
    ),
    "two entrants of one name": (
        "boards4",
        lambda r: r.header["entrants"][0].update(name="BOB"),
        "header",
        "unique names",
    ),
    "a name that is none": (
        "boards4",
        lambda r: r.header["entrants"][0].update(name="-ada"),
        "header",
        "entrant's name",
    ),
    "the house among entrants": (
        "boards4",
        lambda r: r.header["entrants"][0].update(name="house"),
        "header",
        "for the house bot only",
    ),
    "no house": ("boards3", lambda r: r.header["entrants"].pop(), "header", "entrants: expected ["),
    "a field in boards": ("boards4", top(field=["ada"]), "header", "has no field"),
    "another field": ("gauntlet", top(field=["ada", "bob", "dan", "cyd"]), "1/*", "seats"),
    "target": ("points", top(target=6), "*", "order"),
    "a lower target": ("points", top(target=4), "*", "order"),
    "max deals": ("points", top(max_deals=20), "*", "order"),
    "no target": ("points", lambda r: r.header.pop("target"), "header", "target: expected 1 or mo"),
    "a digest that is none": ("boards4", top(config_sha256="xyz"), "header", "config_sha256"),
    "a share": ("boards4", top(fault_share=1.5), "header", "fault_share"),
    "a game cut short": ("points", cut_game, "1/1", "expected board 1 leg 0 deal"),
    "a game cut in its middle": ("points", drop(1, 0, 3), "1/0/4", "expected board 1 leg 0 deal 3"),
    "a game that goes on": ("points", go_on_after_the_end, "8*", "passes are complete"),
    "a fault moved to another seat": (
        "boards4",
        fault(1, 0, seat=1),
        "1/0",
        "fault, seat that act",
    ),
    "a fault moved to another action": (
        "boards4",
        fault(1, 0, action=1),
        "1/0",
        "fault, seat that",
    ),
    "a fault beyond the actions": (
        "boards4",
        fault(1, 0, action=32),
        "1/0",
        "an index from 0 to 3",
    ),
    "a fault of another kind": ("boards4", fault(1, 0, kind="LAZY"), "1/0", "fault, kind"),
    "a fault with a long detail": ("boards4", fault(1, 0, detail="x" * 501), "1/0", "500"),
    "an incident with ILLEGAL": ("boards4", fault(1, 0, incident=1), "1/0", "fault, incident"),
    "a CRASH without incident": (
        "boards4",
        lambda r: r.deal(2, 1)["faults"][0].pop("incident"),
        "2/1",
        "a number from 1 with CRASH",
    ),
    "a TIMEOUT turned into a CRASH": (
        "boards4",
        lambda r: r.deal(3, 3)["faults"][0].update(kind="CRASH", incident=1),
        "3/3",
        "none of seat 3 after its CRASH",
    ),
    "another's incident": ("boards4", fault(2, 1, incident=5), "2/1", "got DISCONNECTED of ada"),
    "an incident without event": ("boards4", no_incident_event, "9/1", "got no such event"),
    "an incident of another entrant": (
        "boards4",
        lambda r: r.event("CRASHED").update(entrant="bob"),
        "2/1",
        "expected its event, CRASHED of dan, got CRASHED of bob",
    ),
    "an incident's number": ("boards4", event("DISCONNECTED", incident=7), "9/1", "no such event"),
    "an incident counted twice": (
        "boards3",
        more_events(
            {"kind": "CRASHED", "incident": 1, "entrant": "ada", "detail": ""},
            {"kind": "CRASHED", "incident": 1, "entrant": "ada", "detail": ""},
        ),
        "CRASHED+1",
        "incident: expected 2, got 1",
    ),
    "an event among the deals": ("boards4", event_among_deals, "CRASHED", "order"),
    "an event of no kind": (
        "boards4",
        event("VOID", kind="NULL"),
        "NULL",
        "kind: expected CRASHED",
    ),
    "an event of a stranger": ("boards4", event("BENCHED", entrant="eve"), "BENCHED", "a name of"),
    "bench, crashes": ("boards4", event("BENCHED", crashes=3), "BENCHED", "bench of dan"),
    "bench, more crashes than told": ("boards4", event("BENCHED", crashes=5), "BENCHED", "as told"),
    "bench, limits": ("boards4", top(fault_crashes=4), "BENCHED", "more than 4 crashes"),
    "bench, no counts": (
        "boards4",
        lambda r: r.event("BENCHED").pop("faulty"),
        "BENCHED",
        "faulty of BENCHED: expected a number, got none",
    ),
    "bench, earlier": ("boards4", benched_earlier, "*", ""),
    "bench, another entrant": ("boards4", event("BENCHED", entrant="ada"), "*", "after its bench"),
    "withdrawn": (
        "rules",
        more_events({"kind": "WITHDRAWN", "entrant": "ada", "board": 0, "detail": ""}),
        "*",
        "after its bench: expected the safe action",
    ),
    "void twice": (
        "boards4",
        more_events({"kind": "VOID", "board": 2, "leg": 3, "detail": ""}),
        "VOID+1",
        "void once at most",
    ),
    "void of no leg": ("boards4", event("VOID", leg=4), "VOID", "leg: expected 0 to 3, got 4"),
    "STOPPED earlier": ("duel", event("STOPPED", board=11), "12/0", "no deal after board 11"),
    "STOPPED later": ("duel", event("STOPPED", board=13), "STOPPED", "expected board 13 leg 0"),
    "STOPPED beyond the end": ("duel", event("STOPPED", board=41), "*", ""),
    "STOPPED taken out": (
        "duel",
        take_out_the_last_event,
        "footer",
        "expected board 13 leg 0 deal 1, got the footer",
    ),
    "STOPPED twice": (
        "duel",
        more_events({"kind": "STOPPED", "board": 12, "detail": ""}),
        "STOPPED+1",
        "expected once, got twice",
    ),
    "footer, deals": ("boards4", end(deals=49), "footer", "deals: expected 48, got 49"),
    "footer, events": ("boards4", end(events=6), "footer", "events: expected 7, got 6"),
    "footer, lag": ("boards4", end(lag_p99_us=-1), "footer", "lag_p99_us"),
    "two kinds in a line": (
        "boards4",
        lambda r: r.lines[1].update(event={"kind": "VOID"}),
        "#2",
        "exactly one, got deal and event",
    ),
    "no kind in a line": ("boards4", lambda r: r.lines.insert(3, {"note": 1}), "#4", "exactly one"),
    "a second header": ("boards4", lambda r: r.lines.insert(3, r.lines[0]), "#4", "got header"),
    "a footer in the middle": (
        "boards4",
        lambda r: r.lines.insert(3, r.lines[-1]),
        "#4",
        "order: expected board 1 leg 2 deal 1, got the footer",
    ),
}


def place_of(record: EditedRecord, where: str) -> int:
    """Return the line that `where` of an edit means; 0 when it may be any."""
    name, _, later = where.partition("+")
    if name.startswith("#"):
        return int(name[1:])
    if "*" in name:
        return 0
    if name == "footer":
        return len(record.lines)
    if name == "header":
        return 1
    if name[0].isdigit():
        parts = [int(part) for part in name.split("/")]
        return record.line(*parts) + int(later or 0)
    kinds = [line.get("event", {}).get("kind") for line in record.lines]
    places = [place for place, kind in enumerate(kinds, 1) if kind == name]
    return places[int(later or 0)]


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_is_found_with_its_line_and_in_words(what: str, tmp_path: Path) -> None:
    name, edit, where, words = EDITS[what]
    record = EditedRecord(name)
    edit(record)
    verdict = verify_record(record.write(tmp_path))
    difference = verdict.difference
    assert difference is not None, "not found"
    assert not verdict.ok
    assert words in str(difference)
    assert difference.line > 0
    expected = place_of(record, where)
    if expected:
        assert difference.line == expected
    assert "expected" in str(difference) or "needs" in str(difference) or "no field" in words
    assert "\n" not in str(difference)


UNFINISHED: dict[str, tuple[str, Edit, str]] = {
    "points": ("boards4", put(1, 0, points=[0, 1, 0, 0]), "points"),
    "a deal doubled": ("boards4", double, "a second time"),
    "hands of one leg": (
        "boards4",
        lambda r: r.deal(1, 1).update(
            {k: r.deal(2, 1)[k] for k in r.deal(2, 1) if k not in {"board", "seats"}}
        ),
        "as in the other legs",
    ),
    "seats of one leg": ("boards4", swap_seats, "moved round"),
    "seats of a duel": ("duel", put(2, 1, seats=["new", "old", "new", "old"]), "schedule"),
    "a board beyond": ("boards4", put(12, 3, board=13), "board: expected 1 to 12, got 13"),
    "a leg beyond": ("boards4", put(12, 3, leg=4), "leg: expected 0 to 3, got 4"),
    "a gap in a game": ("points", drop(1, 0, 3), "number: expected 3, got 4"),
    "an incident without event": ("boards4", no_incident_event, "no such event"),
}


@pytest.mark.parametrize("what", UNFINISHED)
def test_edits_of_an_unfinished_record_are_found(what: str, tmp_path: Path) -> None:
    name, edit, words = UNFINISHED[what]
    record = EditedRecord(name)
    edit(record)
    verdict = verify_record(record.write(tmp_path, finished=False))
    assert not verdict.is_finished
    assert words in str(verdict.difference)
