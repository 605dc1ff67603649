"""Lines of a record: written as the vectors are, read back the same, and ProtoJSON."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import RecordError
from arena.league.record import (
    FAULT_KINDS,
    DealLine,
    EventLine,
    FaultLine,
    Footer,
    Header,
    Line,
)
from arena.league.record_lines import (
    deal_line,
    detail_of,
    encode_line,
    event_line,
    event_of,
    header_line,
    is_sealed,
    seal,
)
from arena.league.record_reader import (
    RawLines,
    decode_line,
    decode_tally,
    find_deals,
    read_header,
    read_record,
)
from arena.referee.values import Event, EventKind
from arena.v1 import record_pb2
from tests.league.edits import RECORDS
from tests.league.leagues import Played, PlayedFault, header, league, record_bytes

VECTOR_LINES = [
    line for path in sorted(RECORDS.glob("*.jsonl")) for line in path.read_bytes().splitlines()
]
PLAYED = [deal for play in ("boards", "points") for deal in league(header(play, passes=2))]

words = st.text(max_size=20)
small = st.integers(0, 2**32 - 1)
four_times = st.tuples(small, small, small, small)
seat_names = st.tuples(words, words, words, words)
faults = st.builds(
    FaultLine,
    seat=st.integers(0, 3),
    action=st.integers(0, 60),
    kind=st.sampled_from(FAULT_KINDS),
    incident=st.none() | st.integers(1, 9999),
    detail=words,
)
points = st.integers(-100, 100)
deals = st.builds(
    DealLine,
    board=small,
    leg=st.integers(0, 7),
    number=small,
    dealer=st.integers(0, 3),
    seats=seat_names,
    hands=seat_names,
    calls=st.lists(words, max_size=5).map(tuple),
    declarer=st.none() | st.integers(0, 3),
    contract=words,
    trump=st.none() | words,
    tricks=st.lists(words, max_size=7).map(tuple),
    taken=four_times,
    points=st.tuples(points, points, points, points),
    think_us=four_times,
    slowest_us=four_times,
    faults=st.lists(faults, max_size=3).map(tuple),
    end=words,
)
maybe = st.none() | small
events = st.builds(
    EventLine,
    kind=words,
    incident=maybe,
    entrant=words,
    board=maybe,
    leg=maybe,
    crashes=maybe,
    deals=maybe,
    faulty=maybe,
    detail=words,
)
footers = st.builds(Footer, deals=small, events=small, lag_p99_us=small, sha256=words, seed=words)


def as_message(line: bytes) -> record_pb2.RecordLine:
    """Parse a line as ProtoJSON; unknown fields are errors here."""
    return json_format.Parse(line, record_pb2.RecordLine())


@settings(deadline=None)
@given(value=deals | events | footers)
def test_a_line_read_back_is_what_was_written(value: DealLine | EventLine | Footer) -> None:
    kind = {DealLine: "deal", EventLine: "event", Footer: "footer"}[type(value)]
    line = encode_line(kind, value)
    assert line.endswith(b'"}\n')
    assert is_sealed(line[:-1])
    assert getattr(decode_line(line), kind) == value


@settings(deadline=None)
@given(value=deals | events | footers)
def test_every_line_is_protojson(value: DealLine | EventLine | Footer) -> None:
    kind = {DealLine: "deal", EventLine: "event", Footer: "footer"}[type(value)]
    message = as_message(encode_line(kind, value))
    assert message.WhichOneof("line") == kind
    said = json_format.MessageToDict(message, preserving_proto_field_name=True)[kind]
    for name, given_value in json.loads(msgspec.json.encode(value)).items():
        assert said.get(name, type(given_value)()) == given_value or name == "faults"


def test_the_vectors_are_protojson() -> None:
    for line in VECTOR_LINES:
        assert as_message(line).crc32 == json.loads(line)["crc32"]


def test_our_deals_are_protojson_and_keep_their_seats_of_zero() -> None:
    for played in PLAYED:
        line = deal_line(played)
        message = as_message(line).deal
        assert message.HasField("declarer") == (played.deal.declarer >= 0)
        assert list(message.seats) == list(played.seats)


def test_the_vectors_read_and_written_again_are_the_same_bytes() -> None:
    for line in VECTOR_LINES:
        decoded = decode_line(line)
        kind = next(name for name in ("header", "deal", "event", "footer") if said(decoded, name))
        if kind != "header":  # the vectors' rulesets are not in the order of the schema
            assert encode_line(kind, said(decoded, kind)) == line + b"\n"


def said(line: Line, kind: str) -> Any:
    return getattr(line, kind)


@pytest.mark.parametrize("played", PLAYED[::7], ids=lambda deal: f"{deal.board}-{deal.leg}")
def test_the_quick_line_of_a_deal_is_that_of_its_struct(played: Played) -> None:
    line = deal_line(played)
    deal = decode_line(line).deal
    assert deal is not None
    assert encode_line("deal", deal) == line
    assert deal.key == (played.board, played.leg, played.number)
    assert deal.points == played.deal.points
    assert deal.declarer == (played.deal.declarer if played.deal.declarer >= 0 else None)


def test_faults_and_long_times_of_a_deal_fit_into_its_line() -> None:
    played = PLAYED[0]
    fault = PlayedFault(1, 0, "CRASH", 'exit code 1; its output ends: "ä"\n\ud800' + "x" * 600, 3)
    other = Played(1, 0, 1, played.seats, played.deal, [2**40, 1, 2, 3], [2**40, 1, 2, 3], [fault])
    deal = decode_line(deal_line(other)).deal
    assert deal is not None
    assert deal.think_us == deal.slowest_us == (2**32 - 1, 1, 2, 3)
    assert deal.faults[0].incident == 3
    assert len(deal.faults[0].detail) == 500
    as_message(deal_line(other))


def test_a_long_detail_keeps_its_start_and_its_end() -> None:
    assert detail_of("short") == "short"
    cut = detail_of("a" * 400 + "z" * 400)
    assert (len(cut), cut[0], cut[-1]) == (500, "a", "z")


def test_a_header_has_its_keys_in_the_order_of_the_schema() -> None:
    of = header("points", passes=2, field=("x",))
    line = header_line(of)
    assert decode_line(line).header == of
    keys = list(json.loads(line)["header"])
    assert keys == [field.name for field in record_pb2.RecordHeader.DESCRIPTOR.fields]
    knobs = list(json.loads(line)["header"]["ruleset"])
    assert knobs == [field.name for field in record_pb2.RecordRuleset.DESCRIPTOR.fields]
    as_message(line)


@pytest.mark.parametrize(
    "struct,message",
    [
        (Header, record_pb2.RecordHeader),
        (DealLine, record_pb2.RecordDeal),
        (FaultLine, record_pb2.RecordFault),
        (EventLine, record_pb2.RecordEvent),
        (Footer, record_pb2.RecordFooter),
        (Line, record_pb2.RecordLine),
    ],
)
def test_structs_and_schema_have_the_same_fields(struct: Any, message: Any) -> None:
    mine = [field.name for field in msgspec.structs.fields(struct)]
    assert mine == [field.name for field in message.DESCRIPTOR.fields]


def test_an_event_says_what_its_kind_has() -> None:
    void = event_line(event_of(Event(EventKind.VOID, board=2, leg=0, detail="why")))
    assert void.startswith(b'{"event":{"kind":"VOID","board":2,"leg":0,"detail":"why"},"crc32":')
    bench = Event(EventKind.BENCHED, entrant="ada", board=5, crashes=4, deals=19, faulty=0)
    assert b'"board":5,"crashes":4,"deals":19,"faulty":0}' in event_line(event_of(bench))
    crash = event_of(Event(EventKind.CRASHED, entrant="ada", incident=1, board=7))
    assert event_line(crash).startswith(b'{"event":{"kind":"CRASHED","incident":1,"entrant":"ada"}')


def test_the_seal_is_the_crc_of_what_is_before_it() -> None:
    line = VECTOR_LINES[1]
    body, _, end = line.rpartition(b',"crc32":')
    assert end == b'"%08x"}' % zlib.crc32(body)
    assert seal(body) == line + b"\n"
    assert is_sealed(line)
    assert not is_sealed(line.replace(b"board", b"bored", 1))


# --- whole files --------------------------------------------------------------------------------


@pytest.fixture(name="record")
def _record(tmp_path: Path) -> Path:
    path = tmp_path / "deals.jsonl"
    path.write_bytes(record_bytes(header()))
    return path


def test_a_record_is_read_plain_and_packed(record: Path) -> None:
    plain = read_record(record)
    assert plain.is_finished
    assert not plain.torn
    assert len(plain.deals) == 12
    data = record.read_bytes()
    for name, packed in (("r.gz", gzip.compress(data)), ("r.zst", zstandard.compress(data))):
        path = record.with_name(name)
        path.write_bytes(packed)
        other = read_record(path)
        assert (other.header, other.deals, other.footer) == (
            plain.header,
            plain.deals,
            plain.footer,
        )
    assert read_record(record.parent).deals == plain.deals  # a run's folder is its record
    assert read_header(record) == plain.header


def test_deals_are_found_by_board_leg_and_number(record: Path) -> None:
    assert [deal.key for deal in find_deals(record, 2)] == [(2, leg, 1) for leg in range(4)]
    assert [deal.key for deal in find_deals(record, 2, 3)] == [(2, 3, 1)]
    assert list(find_deals(record, 2, 3, 2)) == []


def test_a_bad_line_is_named(record: Path) -> None:
    lines = record.read_bytes().splitlines(keepends=True)
    cases: list[tuple[int, bytes, str]] = [
        (4, lines[3].replace(b"leg", b"lag"), "checksum"),
        (4, seal(b'{"deal":{"board":1}'), "required"),
        (4, seal(b'{"deal":[]'), "Expected"),
        (4, seal(b'{"nothing":1'), "expected one of"),
        (4, b"\n", "checksum"),
        (4, lines[0], "a second header"),
        (4, lines[-1], "nothing may follow the footer"),
        (1, lines[1], "header"),
    ]
    for number, line, words_of_it in cases:
        edited = [*lines]
        edited[number - 1] = line
        record.write_bytes(b"".join(edited))
        with pytest.raises(RecordError, match=words_of_it) as caught:
            read_record(record)
        assert caught.value.line == (5 if "footer" in words_of_it else number)
        assert str(record) in caught.value.message


def test_another_major_format_is_refused_and_a_minor_one_is_not(record: Path) -> None:
    data = record.read_bytes()
    for came, good in (("record/2", False), ("record/1.4", True), ("record/10", False)):
        head, _, rest = data.partition(b"\n")
        body = head.rpartition(b',"crc32":')[0].replace(b"record/1", came.encode())
        record.write_bytes(seal(body) + rest)
        if good:
            assert read_header(record).format == f"brandeln-{came}"
        else:
            with pytest.raises(RecordError, match="expected the format brandeln-record/1"):
                read_header(record)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="there is no such record"):
        read_record(tmp_path / "nothing.jsonl")
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(record_bytes(header()))[:-20])
    with pytest.raises(RecordError, match="cannot read the record"):
        read_record(cut)
    broken = tmp_path / "broken.zst"
    broken.write_bytes(b"\x28\xb5\x2f\xfd" + b"no zstandard at all")
    with pytest.raises(RecordError, match="cannot read the record"):
        read_record(broken)
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    with pytest.raises(RecordError, match="is empty"):
        read_record(empty)


def test_a_torn_last_line_is_left_out(record: Path) -> None:
    data = record.read_bytes()
    whole = data.splitlines(keepends=True)
    start = len(data) - len(whole[-1]) - len(whole[-2])
    for size in range(start, len(data) + 1):
        record.write_bytes(data[:size])
        raw = RawLines(record)
        complete = [line for _, line in raw]
        expected = [
            line[:-1]
            for line in whole
            if sum(map(len, whole[: whole.index(line)])) + len(line) <= size
        ]
        if size == len(data) - 1:  # only the newline of the footer is gone
            expected.append(whole[-1][:-1])
        assert complete == expected
        assert raw.torn == (size != len(b"\n".join(expected)) + 1 and size != len(data) - 1)
        assert read_record(record).is_finished == (size >= len(data) - 1)


def test_unknown_fields_are_ignored_by_readers() -> None:
    played = PLAYED[0]
    body = deal_line(played).rpartition(b',"crc32":')[0]
    line = seal(body[:-1] + b',"mood":{"a":[1]}},"note":7')
    assert decode_line(line).deal == decode_line(deal_line(played)).deal
    tally = decode_tally(line).deal
    assert tally is not None
    assert tally.key == (played.board, played.leg, played.number)
