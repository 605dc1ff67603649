"""Referee values as protocol messages, and a bot's messages as referee values.

Decisions are nine tenths of what the referee sends, so they are encoded by hand: every list
element is below 128, hence one byte, and what is the same in all decisions of a seat in a deal
is kept as a prefix. Tests hold the result equal to the generated encoder, byte for byte;
everything rarer uses the generated code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from google.protobuf.message import DecodeError

from arena.errors import MalformedFrame
from arena.rules.actions import FIRST_CARD, Phase
from arena.v1 import referee_pb2
from arena.wire.game import ruleset_to_message

if TYPE_CHECKING:
    from arena.referee.session import EndOut, Frame, NoticeOut, StartOut
    from arena.referee.table import Table
    from arena.referee.values import Clock, Game
    from arena.rules.deal import Deal

PROTOCOL_VERSION: Final = 1
MAX_MESSAGE_BYTES: Final = 65536
"""The largest message a bot may send: the largest answer fits many times (GRPC, Options)."""


def _varint(value: int) -> bytes:
    """Return a number as a protobuf varint."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_LENGTHS: Final = tuple(_varint(length) for length in range(512))
"""The varints of the lengths that a decision or a small message can have."""
_DECISION: Final = tuple(b"\x1a" + length for length in _LENGTHS)
"""Key of `PlayResponse.decisions` and the length, by length."""
_PHASE: Final = tuple(b"\x40" + bytes((phase,)) for phase in range(5))
_HAND_KEYS: Final = tuple(b"\x4a" + bytes((length,)) if length else b"" for length in range(8))
_ACTIONS_KEYS: Final = tuple(b"\x52" + bytes((length,)) if length else b"" for length in range(128))
_ACTORS_KEYS: Final = tuple(b"\x5a" + bytes((length,)) if length else b"" for length in range(128))
_TAKEN_KEYS: Final = (b"", b"", b"", b"", b"\x7a\x04")


def _declared(contract: int, trump: int, declarer: int) -> bytes:
    """Return the fields `contract` (12), `trump` (13) and `declarer` (14) of a decision."""
    out = b"\x60%c" % contract if contract else b""
    out += b"\x68%c" % trump if trump else b""
    return out + (b"\x70%c" % declarer if declarer >= 0 else b"")


_DECLARED: Final = tuple(
    tuple(
        tuple(_declared(contract, trump, seat) for seat in (0, 1, 2, 3, -1)) for trump in range(5)
    )
    for contract in range(8)
)
"""These fields by contract, trump and declarer; the last of the five is nobody."""
_LEGAL_KEYS: Final = tuple(b"\x82\x01" + bytes((length,)) for length in range(32))


def _numbers_of(first: int) -> tuple[tuple[bytes, ...], ...]:
    """Return, by suit and its seven bits, the numbers of the cards counted from `first`."""
    return tuple(
        tuple(
            bytes(first + 7 * suit + rank for rank in range(7) if bits >> rank & 1)
            for bits in range(128)
        )
        for suit in range(4)
    )


_CARD_C, _CARD_D, _CARD_H, _CARD_S = _numbers_of(1)
_PLAY_C, _PLAY_D, _PLAY_H, _PLAY_S = _numbers_of(FIRST_CARD)
_CALLS: Final[dict[int, bytes]] = {}
"""Legal calls and declarations by mask: there are few, kept once made."""
_TIMES: Final[dict[tuple[int, int], bytes]] = {}
"""The fields `move_ms` and `bank_ms`: mostly the same, kept once made."""
_KEPT: Final = 4096


def _times(move_ms: int, bank_ms: int) -> bytes:
    """Return the fields `move_ms` (17) and `bank_ms` (18) of a decision."""
    out = b""
    if move_ms:
        out += b"\x88\x01" + _varint(move_ms)
    if bank_ms:
        out += b"\x90\x01" + _varint(bank_ms)
    if len(_TIMES) < _KEPT:
        _TIMES[move_ms, bank_ms] = out
    return out


def _legal_calls(deal: Deal) -> bytes:
    """Return the field `legal` (16) of a decision in the auction or the declaration."""
    numbers = bytes(deal.legal_actions())
    out = _CALLS[deal.legal] = _LEGAL_KEYS[len(numbers)] + numbers
    return out


def _prefix(table: Table, seat: int) -> bytes:
    """Return the fields 2 to 7 of a decision: the same for all of a seat's in a deal."""
    dealer = table.deal.dealer
    head = b"\x15%b%b%b\x2d%b" % (
        table.table_ids[seat].to_bytes(4, "little"),
        b"\x18%c" % seat if seat else b"",
        b"\x20%c" % dealer if dealer else b"",
        table.seeds[seat].to_bytes(4, "little"),
    )
    if not table.seeds[seat]:
        head = head[:-5]  # a field that is zero is not there
    if table.game.target:
        message = referee_pb2.Decision(number=table.number, scores=table.scores)
        head += message.SerializeToString()
    table.wire[seat] = head
    return head


def decision_bytes(table: Table, move_ms: int, bank_ms: int) -> bytes:
    """Return a table's open decision as an encoded `Decision`.

    Long on purpose: it runs for every decision, and each part is one or two look-ups.

    >>> from arena.referee.table import Table
    >>> from arena.referee.values import BoardPlan, Game, LegPlan
    >>> table = Table(Game(bytes(32)))
    >>> table.set_board(BoardPlan(1, [LegPlan(0, ("a", "b", "c", "d"))]))
    >>> table.start_deal(bank_ns=0)
    >>> decision = referee_pb2.Decision.FromString(decision_bytes(table, 1000, 2000))
    >>> decision.move_ms, len(decision.hand), decision.seat == table.deal.turn
    (1000, 7, True)
    """
    deal = table.deal
    seat = deal.turn
    hand = deal.holding[seat]
    actions = deal.actions
    count = len(actions)
    legal = deal.legal
    if deal.phase == Phase.PLAY:
        cards = legal >> FIRST_CARD
        declared = _DECLARED[deal.contract][deal.trump][deal.declarer]
        taken = bytes(deal.taken)
        numbers = (
            _PLAY_C[cards & 127]
            + _PLAY_D[cards >> 7 & 127]
            + _PLAY_H[cards >> 14 & 127]
            + _PLAY_S[cards >> 21]
        )
        legal_field = _LEGAL_KEYS[len(numbers)] + numbers
    else:
        declared = _DECLARED[0][0][deal.declarer]
        taken = b""
        legal_field = _CALLS.get(legal) or _legal_calls(deal)
    return b"".join(
        (
            b"\x0d",
            table.ask_id.to_bytes(4, "little"),
            table.wire[seat] or _prefix(table, seat),
            _PHASE[deal.phase],
            _HAND_KEYS[hand.bit_count()],
            _CARD_C[hand & 127],
            _CARD_D[hand >> 7 & 127],
            _CARD_H[hand >> 14 & 127],
            _CARD_S[hand >> 21],
            _ACTIONS_KEYS[count],
            actions,
            _ACTORS_KEYS[count],
            deal.actors,
            declared,
            _TAKEN_KEYS[len(taken)],
            taken,
            legal_field,
            _TIMES.get((move_ms, bank_ms)) or _times(move_ms, bank_ms),
        )
    )


class FrameEncoder:
    """Encodes the frames of one run, whose rules and clock are the same at all tables."""

    def __init__(self, game: Game, clock: Clock) -> None:
        self._shared_start = referee_pb2.TableStart(
            ruleset=ruleset_to_message(game.ruleset),
            move_ms=clock.move_ms,
            bank_ms=0 if clock.is_off else clock.bank_ms,
            target=game.target,
            max_deals=game.max_deals,
        ).SerializeToString()

    def encode(self, frame: Frame) -> bytes:
        """Return a frame as an encoded `PlayResponse`."""
        parts: list[bytes] = []
        for table_id, seat, start in frame.starts:
            body = start.wire or self._start(start)
            head = b"\x0d" + table_id.to_bytes(4, "little") + (b"\x10%c" % seat if seat else b"")
            parts += (b"\x12", _length(len(head) + len(body)), head, body)
        for table, (move_ms, bank_ms) in zip(frame.tables, frame.times_ms, strict=True):
            decision = decision_bytes(table, move_ms, bank_ms)
            parts += (_DECISION[len(decision)], decision)
        for table_id, end in frame.ends:
            body = end.wire or _end(end)
            parts += (b"\x22", _length(5 + len(body)), b"\x0d", table_id.to_bytes(4, "little"))
            parts.append(body)
        for notice in frame.notices:
            body = notice_to_message(notice).SerializeToString()
            parts += (b"\x2a", _length(len(body)), body)
        if frame.frame_ms:
            parts += (b"\x30", _varint(frame.frame_ms))
        return b"".join(parts)

    def _start(self, start: StartOut) -> bytes:
        names = referee_pb2.TableStart(names=start.names).SerializeToString()
        start.wire = self._shared_start + names
        return start.wire


def _length(length: int) -> bytes:
    return _LENGTHS[length] if length < len(_LENGTHS) else _varint(length)


def _end(end: EndOut) -> bytes:
    """Return the fields of a `TableEnd` that its four seats share, the lists by hand."""
    if end.is_void:
        end.wire = referee_pb2.TableEnd(is_void=True).SerializeToString()
        return end.wire
    deal, count = end.deal, len(end.deal.actions)
    head = referee_pb2.TableEnd(number=end.number, scores=end.scores).SerializeToString()
    head += b"\x28%c" % deal.dealer if deal.dealer else b""
    hands = [
        _CARD_C[hand & 127]
        + _CARD_D[hand >> 7 & 127]
        + _CARD_H[hand >> 14 & 127]
        + _CARD_S[hand >> 21]
        for hand in deal.hands
    ]
    tail = referee_pb2.TableEnd(tricks_taken=deal.taken, points=deal.points or ())
    declared = b""
    if deal.contract:
        declared = b"\x48%c" % deal.contract
        declared += b"\x50%c" % deal.trump if deal.trump else b""
        declared += b"\x58%c" % deal.declarer
    end.wire = b"".join(
        (
            head,
            b"\x32\x1c",
            *hands,
            b"\x3a%c" % count,
            deal.actions,
            b"\x42%c" % count,
            deal.actors,
            declared,
            tail.SerializeToString(),
        )
    )
    return end.wire


def notice_to_message(notice: NoticeOut) -> referee_pb2.Notice:
    """Return a notice as a message.

    >>> from arena.referee.session import NoticeOut
    >>> notice_to_message(NoticeOut("SHUTDOWN", "the run is over", in_ms=2000)).in_ms
    2000
    """
    kinds = referee_pb2.Notice
    fault = referee_pb2.FAULT_KIND_UNSPECIFIED
    if notice.fault:
        fault = referee_pb2.FaultKind.Value(f"FAULT_KIND_{notice.fault.value}")
    return kinds(
        kind=kinds.Kind.Value(f"KIND_{notice.kind}"),
        fault=fault,
        table=notice.table,
        decision_id=notice.decision_id,
        late_ms=notice.late_ms,
        in_ms=notice.in_ms,
        detail=notice.detail,
    )


def request_from_bytes(data: bytes) -> referee_pb2.PlayRequest:
    """Parse a bot's message.

    Raises `MalformedFrame` when the bytes are no `PlayRequest`.

    >>> request_from_bytes(bytes.fromhex("12070d07000000103a")).answers[0].action
    58
    """
    try:
        return referee_pb2.PlayRequest.FromString(data)
    except DecodeError as error:
        msg = f"expected a PlayRequest, got {len(data)} bytes that are none"
        raise MalformedFrame(msg) from error


_ANSWER_BYTES: Final = 9
"""An encoded answer with an action below 128: `12 07 0d <id> 10 <action>`."""


def answers_from_bytes(data: bytes) -> list[tuple[int, int]] | None:
    """Return the answers of a message that has nothing else, or `None` for any other message.

    This is the quick way for what bots send all the time, laid out as every protobuf encoder
    lays it out; anything else goes through `request_from_bytes`.

    >>> answers_from_bytes(bytes.fromhex("12070d07000000103a"))
    [(7, 58)]
    >>> answers_from_bytes(b"") is None
    True
    """
    count, rest = divmod(len(data), _ANSWER_BYTES)
    if (
        rest
        or not count
        or data[0::9].count(0x12) != count
        or data[1::9].count(0x07) != count
        or data[2::9].count(0x0D) != count
        or data[7::9].count(0x10) != count
        or max(data[8::9]) > 0x7F
    ):
        return None
    unpack = int.from_bytes
    return [(unpack(data[at : at + 4], "little"), data[at + 5]) for at in range(3, len(data), 9)]
