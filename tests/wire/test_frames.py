"""What is encoded and parsed by hand is what the generated code makes of it."""

from __future__ import annotations

import pytest
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import MalformedFrame
from arena.referee.session import EndOut, Frame, NoticeOut, StartOut
from arena.referee.table import Table
from arena.referee.values import Clock, FaultKind, Game
from arena.rules.deal import Deal
from arena.v1 import referee_pb2
from arena.wire.frames import (
    MAX_MESSAGE_BYTES,
    FrameEncoder,
    answers_from_bytes,
    decision_bytes,
    notice_to_message,
    request_from_bytes,
)
from arena.wire.game import deal_to_end, encode_answer, ruleset_to_message
from tests.rules.positions import (
    choices,
    finished_deals,
    fresh_deals,
    picked,
    positions,
    rulesets,
    twins,
)
from tests.wire.tables import IDS, KEY, SCORES, TIMES, Seating, generated, seatings, table_with

NAMES = st.sampled_from([(), ("a", "b", "a", "b"), ("greedy", "x" * 32, "random-2", "house")])
COMMON_TIMES = st.tuples(st.sampled_from([0, 1, 127, 128, 250, 1000]), st.sampled_from([0, 2000]))

# ---------------------------------------------------------------------- decisions


@settings(max_examples=200)
@given(fresh_deals(), choices, seatings(), COMMON_TIMES | st.tuples(TIMES, TIMES))
def test_every_decision_of_a_deal_is_what_the_generated_encoder_writes(
    deal: Deal, picks: bytes, seating: Seating, times: tuple[int, int]
) -> None:
    table = table_with(deal, seating)
    for ask_id, pick in enumerate(picks, 1):
        if deal.is_over:
            break
        table.ask_id = ask_id << 8
        assert decision_bytes(table, *times) == generated(table, *times).SerializeToString()
        deal.push(picked(deal, pick))
    assert deal.is_over


@given(positions(), seatings(), IDS, TIMES, TIMES)
def test_a_decision_is_parsed_as_it_was_built(
    deal: Deal, seating: Seating, ask_id: int, move_ms: int, bank_ms: int
) -> None:
    table = table_with(deal, seating, ask_id)
    data = decision_bytes(table, move_ms, bank_ms)
    assert referee_pb2.Decision.FromString(data) == generated(table, move_ms, bank_ms)
    assert decision_bytes(table, move_ms, bank_ms) == data


@given(twins(), seatings(), IDS)
def test_two_worlds_that_a_seat_cannot_tell_apart_have_equal_bytes(
    worlds: tuple[Deal, Deal], seating: Seating, ask_id: int
) -> None:
    deal, twin = worlds
    assert deal.hands != twin.hands
    sent = decision_bytes(table_with(deal, seating, ask_id), 1000, 2000)
    assert decision_bytes(table_with(twin, seating, ask_id), 1000, 2000) == sent


@given(positions(), seatings())
def test_an_encoded_decision_asks_only_the_seat_in_turn(deal: Deal, seating: Seating) -> None:
    message = referee_pb2.Decision.FromString(decision_bytes(table_with(deal, seating), 0, 0))
    assert message.seat == deal.turn
    assert message.table == seating.table_ids[deal.turn]
    assert message.random_seed == seating.seeds[deal.turn]
    assert list(message.legal) == deal.legal_actions()
    assert (message.move_ms, message.bank_ms) == (0, 0)


# ---------------------------------------------------------------------- frames

NOTICES = st.builds(
    NoticeOut,
    kind=st.sampled_from(["FAULT", "SHUTDOWN", "REPLACED", "BENCHED", "VIOLATION"]),
    detail=st.text(max_size=500),
    fault=st.none() | st.sampled_from(FaultKind),
    table=st.integers(0, (1 << 32) - 1),
    decision_id=st.integers(0, (1 << 32) - 1),
    late_ms=TIMES,
    in_ms=TIMES,
)


@st.composite
def ends(draw: st.DrawFn) -> EndOut:
    deal = draw(finished_deals())
    if draw(st.booleans()):
        return EndOut(deal, is_void=draw(st.booleans()))
    scores = draw(st.tuples(SCORES, SCORES, SCORES, SCORES))
    return EndOut(deal, number=draw(st.integers(1, 999)), scores=scores)


def start_message(
    game: Game, clock: Clock, table_id: int, seat: int, start: StartOut
) -> referee_pb2.TableStart:
    return referee_pb2.TableStart(
        table=table_id,
        seat=seat,
        ruleset=ruleset_to_message(game.ruleset),
        move_ms=clock.move_ms,
        bank_ms=clock.bank_ms if clock.move_ms else 0,
        target=game.target,
        max_deals=game.max_deals,
        names=start.names,
    )


def end_message(table_id: int, end: EndOut) -> referee_pb2.TableEnd:
    message = referee_pb2.TableEnd(table=table_id, is_void=end.is_void)
    if not end.is_void:
        message.number = end.number
        message.scores.extend(end.scores)
        deal_to_end(end.deal, message)
    return message


@settings(max_examples=60)
@given(
    data=st.data(),
    game=st.builds(Game, st.just(KEY), rulesets, target=st.integers(0, 99)),
    clock=st.builds(Clock, st.sampled_from([0, 1, 250, 1000]), st.sampled_from([0, 2000])),
    tables=st.lists(st.tuples(positions(), seatings(), IDS), max_size=4),
    ended=st.lists(st.tuples(IDS, ends()), max_size=3),
    notices=st.lists(NOTICES, max_size=3),
)
def test_a_frame_is_what_the_generated_encoder_writes(
    data: st.DataObject,
    game: Game,
    clock: Clock,
    tables: list[tuple[Deal, Seating, int]],
    ended: list[tuple[int, EndOut]],
    notices: list[NoticeOut],
) -> None:
    starting = st.tuples(IDS, st.integers(0, 3), st.builds(StartOut, NAMES))
    starts = data.draw(st.lists(starting, max_size=3))
    asking: list[Table] = [table_with(*table) for table in tables]
    times = data.draw(st.lists(st.tuples(TIMES, TIMES), min_size=len(asking), max_size=len(asking)))
    frame_ms = data.draw(TIMES)
    frame = Frame(starts, asking, times, ended, notices, frame_ms)
    message = referee_pb2.PlayResponse(
        table_starts=[start_message(game, clock, *start) for start in starts],
        decisions=[generated(table, *ms) for table, ms in zip(asking, times, strict=True)],
        table_ends=[end_message(*end) for end in ended],
        notices=[notice_to_message(notice) for notice in notices],
        frame_ms=frame_ms,
    )
    encoder = FrameEncoder(game, clock)
    encoded = encoder.encode(frame)
    assert encoded == message.SerializeToString()
    assert referee_pb2.PlayResponse.FromString(encoded) == message
    assert encoder.encode(frame) == encoded  # starts and ends are shared by four seats


@given(NOTICES)
def test_a_notice_says_what_it_was_made_of(notice: NoticeOut) -> None:
    message = notice_to_message(notice)
    kind = referee_pb2.Notice.Kind.Name(message.kind)
    assert kind == f"KIND_{notice.kind}"
    fault = referee_pb2.FaultKind.Name(message.fault)
    assert fault == f"FAULT_KIND_{notice.fault.value if notice.fault else 'UNSPECIFIED'}"
    assert (message.table, message.decision_id) == (notice.table, notice.decision_id)
    assert (message.late_ms, message.in_ms) == (notice.late_ms, notice.in_ms)
    assert message.detail == notice.detail


def test_a_frame_of_nothing_is_an_empty_message() -> None:
    assert FrameEncoder(Game(KEY), Clock()).encode(Frame()) == b""


# ---------------------------------------------------------------------- what bots send

ANSWERS = st.lists(st.tuples(IDS, st.integers(1, 127)), min_size=1, max_size=8)


def request_of(answers: list[tuple[int, int]]) -> bytes:
    request = referee_pb2.PlayRequest()
    for decision_id, action in answers:
        answer = request.answers.add()
        answer.decision_id = decision_id
        answer.action = action  # type: ignore[assignment]
    return request.SerializeToString()


@given(ANSWERS)
def test_answers_are_read_the_quick_way_as_every_encoder_writes_them(
    answers: list[tuple[int, int]],
) -> None:
    assert answers_from_bytes(request_of(answers)) == answers
    joined = b"".join(encode_answer(*answer) for answer in answers)
    assert joined == request_of(answers)


def test_the_largest_message_holds_thousands_of_answers() -> None:
    answers = [(number << 8, 58) for number in range(1, 4001)]
    data = request_of(answers)
    assert len(data) <= MAX_MESSAGE_BYTES
    assert answers_from_bytes(data) == answers


def judge(data: bytes) -> None:
    """Fail if the quick way takes what the generated parser reads otherwise."""
    quick = answers_from_bytes(data)
    if quick is None:
        return
    request = referee_pb2.PlayRequest.FromString(data)
    assert [(answer.decision_id, answer.action) for answer in request.answers] == quick
    assert not request.HasField("hello")
    assert not request.HasField("goodbye")
    assert not len(UnknownFieldSet(request))
    for answer in request.answers:
        assert not len(UnknownFieldSet(answer))


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Answers in which some bytes are changed, put in, taken out or moved."""
    data = bytearray(request_of(draw(ANSWERS)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(data)))
        kind = draw(st.sampled_from("cidt"))
        if kind == "c" and place < len(data):
            data[place] = draw(st.integers(0, 255))
        elif kind == "i":
            data[place:place] = draw(st.binary(min_size=1, max_size=9))
        elif kind == "d":
            del data[place : place + draw(st.integers(1, 9))]
        else:
            data = data[place:] + data[:place]
    return bytes(data)


@settings(max_examples=1000)
@given(mutated())
def test_whatever_the_quick_way_takes_means_the_same_to_the_generated_parser(data: bytes) -> None:
    judge(data)


@settings(max_examples=300)
@given(st.binary(max_size=64))
def test_the_quick_way_never_raises(data: bytes) -> None:
    judge(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        referee_pb2.PlayRequest(hello=referee_pb2.Hello(name="abcdef")).SerializeToString(),
        referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye(reason="bye")).SerializeToString(),
        request_of([(7, 0)]),  # no action: the answer is shorter
        request_of([(7, 128)]),  # an unknown action of two bytes
        request_of([(7, 58), (8, 128)]),
        request_of([(7, 58)])[:-1],
        request_of([(7, 58)]) + b"\x12",
        b"\x12\x07\x10\x3a\x0d\x07\x00\x00\x00",  # the action first
        b"\x0a\x07\x0d\x07\x00\x00\x00\x10\x3a",  # a hello of that length
        b"\x12\x07\x0d\x07\x00\x00\x00\x18\x3a",  # another field
    ],
    ids=repr,
)
def test_the_quick_way_leaves_anything_else_to_the_generated_parser(data: bytes) -> None:
    assert answers_from_bytes(data) is None


@given(ANSWERS)
def test_a_request_is_parsed(answers: list[tuple[int, int]]) -> None:
    request = request_from_bytes(request_of(answers))
    assert [(answer.decision_id, answer.action) for answer in request.answers] == answers


@given(st.binary(min_size=1, max_size=40))
def test_bytes_are_a_request_or_malformed(data: bytes) -> None:
    try:
        expected = referee_pb2.PlayRequest.FromString(data)
    except DecodeError:
        with pytest.raises(MalformedFrame, match=f"got {len(data)} bytes that are none"):
            request_from_bytes(data)
    else:
        assert request_from_bytes(data) == expected
