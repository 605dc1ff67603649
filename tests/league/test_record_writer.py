"""A record survives whatever ends its run, and ends in one order whatever came first."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.errors import EndedEarly, MachineError, RecordError
from arena.league.record import EventLine
from arena.league.record_lines import deal_line, event_line, header_line, seal
from arena.league.record_reader import read_record
from arena.league.record_resume import Resumption, look
from arena.league.record_writer import RecordWriter
from arena.league.standings_fold import StandingsFold
from arena.league.verify import verify_record
from tests.league.leagues import SEED, Played, PlayedFault, header, league, record_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

BOARDS = header()
GAMES = header("points", passes=2)
DEALS = list(league(BOARDS))
EVENTS = [
    EventLine(kind="DISCONNECTED", incident=1, entrant="ada", detail="once"),
    EventLine(kind="VOID", board=1, leg=2, detail="again"),
]


def written(path: Path, deals: Sequence[Played], events: Sequence[EventLine] = ()) -> RecordWriter:
    writer = RecordWriter.create(path, BOARDS)
    for place, deal in enumerate(deals):
        writer.append(deal_line(deal))
        if place < len(events):
            writer.append(event_line(events[place]))
    return writer


def resumed(path: Path) -> tuple[RecordWriter, Resumption]:
    found = look(path)
    return RecordWriter.reopen(path, found.size), found


@pytest.mark.parametrize("chance", range(5))
def test_the_order_of_completion_does_not_show(chance: int, tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    shuffled = random.Random(chance).sample(DEALS, len(DEALS))
    writer = written(path, shuffled, EVENTS)
    assert not read_record(path).is_finished
    footer = writer.finish(seed=SEED, lag_p99_us=900)
    assert path.read_bytes() == record_bytes(BOARDS, DEALS, EVENTS)
    assert (footer.deals, footer.events, footer.seed) == (len(DEALS), 2, SEED.hex())
    assert verify_record(path, sha256=footer.sha256).ok
    assert [item.name for item in tmp_path.iterdir()] == ["deals.jsonl"]


def test_unknown_fields_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    writer = written(path, DEALS[1:])
    body = deal_line(DEALS[0]).rpartition(b',"crc32":')[0]
    line = seal(body[:-1] + b',"mood":"good"}')
    writer.append(line)
    writer.finish(seed=SEED, lag_p99_us=0)
    assert path.read_bytes().splitlines(keepends=True)[1] == line


def test_deals_after_a_stop_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    writer = written(path, DEALS, [EventLine(kind="STOPPED", board=2, detail="stronger")])
    assert writer.finish(seed=SEED, lag_p99_us=0).deals == 8
    assert {deal.board for deal in read_record(path).deals} == {1, 2}
    assert verify_record(path).ok


def test_a_record_torn_at_any_byte_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    written(path, DEALS, EVENTS[:1]).close()
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    expected = record_bytes(BOARDS, DEALS, EVENTS[:1])
    last_two = len(data) - len(lines[-1]) - len(lines[-2])
    for size in range(last_two, len(data) + 1):
        path.write_bytes(data[:size])
        writer, found = resumed(path)
        whole = [line for line in lines if data.index(line) + len(line) <= size]
        assert path.read_bytes() == b"".join(whole)
        assert found.size == sum(map(len, whole))
        assert found.cut == size - found.size
        assert found.deals == len(whole) - 2
        for deal in DEALS:
            done = (deal.board, deal.leg) in found.done
            assert done == (deal_line(deal) in whole)
            if not done:
                writer.append(deal_line(deal))
        writer.finish(seed=SEED, lag_p99_us=900)
        assert path.read_bytes() == expected


def test_looking_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    written(path, DEALS).close()
    path.write_bytes(path.read_bytes()[:-7])
    before = path.read_bytes()
    assert look(path).cut > 0
    assert path.read_bytes() == before


def test_a_game_that_was_appended_in_part_is_cut_off_whole(tmp_path: Path) -> None:
    deals = list(league(GAMES))
    games: dict[tuple[int, int], bytes] = {}
    for deal in deals:
        games[deal.board, deal.leg] = games.get((deal.board, deal.leg), b"") + deal_line(deal)
    start = header_line(GAMES)
    path = tmp_path / "deals.jsonl"
    keys = list(games)
    body = start + games[keys[0]] + games[keys[1]]
    last = games[keys[2]]
    for size in [*range(0, len(last), 97), len(last) - 1, len(last)]:
        path.write_bytes(body + last[:size])
        writer, found = resumed(path)
        is_whole = size == len(last)
        assert (keys[2] in found.done) == is_whole
        assert found.done.count == 2 + is_whole
        assert path.read_bytes() == (body + last if is_whole else body)
        assert found.history.entrants["ada"].deals == found.deals
        for key in keys:
            if key not in found.done:
                writer.append(games[key])
        writer.finish(seed=SEED, lag_p99_us=900)
        assert path.read_bytes() == record_bytes(GAMES, deals)


def test_a_game_cut_short_in_the_middle_is_an_error(tmp_path: Path) -> None:
    deals = list(league(GAMES))
    path = tmp_path / "deals.jsonl"
    first = [deal for deal in deals if (deal.board, deal.leg) == (1, 0)]
    rest = deals[len(first) :]
    path.write_bytes(header_line(GAMES) + b"".join(map(deal_line, [*first[:-1], *rest])))
    with pytest.raises(RecordError, match="not a line") as caught:
        look(path)
    assert caught.value.line == len(first) + 1
    assert "cut short" in caught.value.why


@pytest.mark.parametrize("line", [2, 5, 13])
def test_a_bad_line_that_is_not_torn_is_an_error_that_names_it(line: int, tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    written(path, DEALS).close()
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 13
    lines[line - 1] = lines[line - 1].replace(b"PLAYED", b"PLAIED")
    path.write_bytes(b"".join(lines))
    with pytest.raises(RecordError) as caught:
        look(path)
    assert caught.value.line == line


def test_a_deal_recorded_twice_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    writer = written(path, [*DEALS, DEALS[3]])
    with pytest.raises(RecordError, match="not a line"):
        look(path)
    with pytest.raises(RecordError, match="board 1 is recorded twice"):
        writer.finish(seed=SEED, lag_p99_us=0)
    assert not read_record(path).is_finished
    assert [item.name for item in tmp_path.iterdir()] == ["deals.jsonl"]


@pytest.mark.parametrize("faults,faulty", [([0, 1], 1), ([1, 2], 1), ([1], 1), ([0], 1)])
def test_resuming_counts_a_deal_once_whatever_faults_it_has(
    tmp_path: Path, faults: list[int], faulty: int
) -> None:
    path = tmp_path / "deals.jsonl"
    played = list(league(BOARDS))
    seat = played[0].seats.index("bob")
    for place, incident in enumerate(faults):
        kind = "CRASH" if incident else "ILLEGAL"
        played[0].faults.append(PlayedFault(seat, place, kind, "", incident))
    written(path, played[:2]).close()
    bob = look(path).history.entrants["bob"]
    assert (bob.deals, bob.faulty, bob.incidents) == (2, faulty, frozenset(faults) - {0})


def test_resuming_knows_what_the_referee_knew(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    played = list(league(BOARDS))
    for place, incident in ((0, 1), (1, 1), (2, 2), (3, 0), (3, 2)):
        seat = played[place].seats.index("bob")
        kind = "CRASH" if incident else "ILLEGAL"
        played[place].faults.append(PlayedFault(seat, 0, kind, "", incident))
    events = [
        EventLine(kind="CRASHED", incident=1, entrant="bob"),
        EventLine(kind="CRASHED", incident=2, entrant="bob"),
        EventLine(kind="PROTOCOL", incident=3, entrant="cyd"),
        EventLine(kind="BENCHED", entrant="bob", board=9, crashes=2, deals=4, faulty=3),
        EventLine(kind="WITHDRAWN", entrant="dan", board=2),
        EventLine(kind="VOID", board=2, leg=0),
    ]
    writer = written(path, played[:6])
    writer.append(b"".join(map(event_line, events)))
    writer.close()
    fold = StandingsFold(BOARDS)
    found = look(path, fold)
    history = found.history
    bob = history.entrants["bob"]
    assert (bob.crashes, bob.deals, bob.faulty, bob.incidents) == (2, 6, 3, frozenset({1, 2}))
    assert [name for name, it in history.entrants.items() if it.is_benched] == ["bob", "dan"]
    assert (history.incidents, history.highest_board) == (3, 9)
    assert found.voided == {(2, 0)}
    assert (found.deals, found.events, found.done.count) == (6, 6, 6)
    assert fold.deals == 6
    assert fold.accounts["bob"].incidents["CRASHED"] == 2


def test_a_finished_record_says_so(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    written(path, DEALS).finish(seed=SEED, lag_p99_us=5)
    data = path.read_bytes()
    found = look(path)
    assert found.footer is not None
    assert found.footer.lag_p99_us == 5
    assert found.cut == 0
    assert path.read_bytes() == data


def test_a_record_is_not_begun_twice(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    written(path, DEALS).close()
    with pytest.raises(MachineError, match="already a record"):
        RecordWriter.create(path, BOARDS)
    with pytest.raises(MachineError, match="cannot write the record"):
        RecordWriter.create(tmp_path / "nowhere" / "deals.jsonl", BOARDS)


def test_a_packed_record_is_not_continued(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "deals.jsonl"
    path.write_bytes(gzip.compress(record_bytes(BOARDS)))
    with pytest.raises(RecordError, match="unpack"):
        look(path)


def test_a_full_disk_ends_early_and_leaves_whole_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "deals.jsonl"
    writer = written(path, DEALS[:2])
    before = path.read_bytes()
    real_write, calls = os.write, []

    def fill_up(fd: int, data: bytes) -> int:
        calls.append(fd)
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real_write(fd, data[:100])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", fill_up)
        with pytest.raises(EndedEarly, match="the disk is full"):
            writer.append(deal_line(DEALS[2]))
    assert path.read_bytes() == before
    writer.append(deal_line(DEALS[2]))
    writer.close()
    assert len(read_record(path).deals) == 3


def test_a_write_in_pieces_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deals.jsonl"
    writer = RecordWriter.create(path, BOARDS)
    real_write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda fd, data: real_write(fd, data[:50]))
        writer.append(b"".join(map(deal_line, DEALS)))
    writer.finish(seed=SEED, lag_p99_us=900)
    assert path.read_bytes() == record_bytes(BOARDS, DEALS)


def test_sync_reaches_the_disk_only_when_something_was_appended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)
    writer = written(tmp_path / "deals.jsonl", [])
    writer.sync()
    assert not synced
    writer.append(deal_line(DEALS[0]))
    writer.sync()
    writer.sync()
    assert len(synced) == 1
    writer.close()
    writer.close()
    assert len(synced) == 2
