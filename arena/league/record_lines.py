"""Lines of a record as bytes: made, sealed with their checksum, and checked (RECORD).

A deal's line is put together from pieces of text that are looked up, since a league of bots
writes thousands of them a second; `DealLine` has the same keys and is used to read them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from zlib import crc32

import msgspec

from arena.league.record import (
    DETAIL_LENGTH,
    EVENT_FIELDS,
    PASSED_OUT,
    DealLine,
    EventLine,
    FaultLine,
    Footer,
    Header,
)
from arena.rules.actions import ACTION_TEXTS, FIRST_DECLARATION, Contract
from arena.rules.cards import SUIT_LETTERS, hand_to_pbn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.league.record import FaultOfDeal, FinishedDeal
    from arena.referee.values import Event

SEAL_LENGTH: Final = len(',"crc32":"00000000"}')
_SEAL_START: Final = b',"crc32":"'
_TIME_LIMIT: Final = 2**32 - 1
"""Microseconds that a time in a record can say; what is longer is written as this (71 min)."""
_ENCODER: Final = msgspec.json.Encoder()


def seal(body: bytes) -> bytes:
    r"""Return a line from what stands before its checksum, `{"deal":{…}`, with its newline.

    >>> seal(b'{"event":{}')
    b'{"event":{},"crc32":"a77d0a62"}\n'
    """
    return b'%b,"crc32":"%08x"}\n' % (body, crc32(body))


def is_sealed(line: bytes) -> bool:
    """Return whether a line (without its newline) ends in the checksum of what is before it."""
    body = line[:-SEAL_LENGTH]
    return line[-SEAL_LENGTH:] == b',"crc32":"%08x"}' % crc32(body)


def encode_line(kind: str, value: Header | DealLine | EventLine | Footer) -> bytes:
    """Return the sealed line, with its newline, of a header, deal, event or footer.

    `kind` is the line's key: `header`, `deal`, `event` or `footer`.
    """
    return seal(b'{"%b":%b' % (kind.encode(), _ENCODER.encode(value)))


def header_line(header: Header) -> bytes:
    """Return the first line of a record."""
    return encode_line("header", header)


def event_line(event: EventLine) -> bytes:
    """Return the line of an event; its detail is cut to what the record takes."""
    return encode_line("event", msgspec.structs.replace(event, detail=detail_of(event.detail)))


def event_of(event: Event) -> EventLine:
    """Return a referee's event with the fields that its kind has in a record."""
    said = {what: getattr(event, what) for what in EVENT_FIELDS[event.kind.value]}
    return EventLine(kind=event.kind.value, detail=event.detail, **said)


def footer_line(footer: Footer) -> bytes:
    """Return the last line of a finished record."""
    return encode_line("footer", footer)


def detail_of(text: str) -> str:
    """Return a text as a detail: at most 500 characters, and nothing that is no character.

    The middle goes first, since both the reason and the end of a bot's stderr are wanted.
    """
    clean = text.encode("utf-8", "replace").decode("utf-8")
    if len(clean) <= DETAIL_LENGTH:
        return clean
    half = DETAIL_LENGTH // 2
    return f"{clean[: half - 1]}…{clean[-half:]}"


# --- the line of a deal -------------------------------------------------------------------------

_CALLS: Final = tuple(
    tuple(f'"{seat}:{text}"' for text in ACTION_TEXTS[:FIRST_DECLARATION]) for seat in range(4)
)
"""A call's text in quotes, by seat and action."""
_CARDS: Final = ACTION_TEXTS
_CONTRACTS: Final = (f'"{PASSED_OUT}"', *(f'"{contract.name}"' for contract in Contract))
_TRUMPS: Final = ("", *(f',"trump":"{letter}"' for letter in SUIT_LETTERS))
_TRICK_STARTS: Final = tuple(range(0, 28, 4))


def deal_line(result: FinishedDeal) -> bytes:
    """Return the sealed line of a finished deal, with its newline.

    One long function on purpose: it is measured at a third of what an encoder of structs
    needs once the texts of calls, tricks and hands are made for it.
    """
    deal = result.deal
    actions, actors, hands = deal.actions, deal.actors, deal.hands
    taken, points = deal.taken, deal.points
    think, slowest = result.think_us, result.slowest_us
    if max(think) > _TIME_LIMIT:
        think, slowest = _capped(think), _capped(slowest)
    assert points is not None  # noqa: S101 (a deal that is over has points)
    first_card = len(actions) - 28
    contract = deal.contract
    auction = first_card - 1 if contract else first_card
    calls = ",".join(
        [_CALLS[seat][action] for seat, action in zip(actors, actions[:auction], strict=False)]
    )
    cards = [_CARDS[action] for action in actions[first_card:]]
    tricks = '","'.join(
        [
            f"{actors[first_card + at]}:{cards[at]} {cards[at + 1]} {cards[at + 2]} {cards[at + 3]}"
            for at in _TRICK_STARTS
        ]
    )
    seats = '","'.join(result.seats)
    declarer = f',"declarer":{deal.declarer}' if contract else ""
    body = (
        f'{{"deal":{{"board":{result.board},"leg":{result.leg},"number":{result.number}'
        f',"dealer":{deal.dealer},"seats":["{seats}"]'
        f',"hands":["{hand_to_pbn(hands[0])}","{hand_to_pbn(hands[1])}"'
        f',"{hand_to_pbn(hands[2])}","{hand_to_pbn(hands[3])}"],"calls":[{calls}]{declarer}'
        f',"contract":{_CONTRACTS[contract]}{_TRUMPS[deal.trump]},"tricks":["{tricks}"]'
        f',"taken":[{taken[0]},{taken[1]},{taken[2]},{taken[3]}]'
        f',"points":[{points[0]},{points[1]},{points[2]},{points[3]}]'
        f',"think_us":[{think[0]},{think[1]},{think[2]},{think[3]}]'
        f',"slowest_us":[{slowest[0]},{slowest[1]},{slowest[2]},{slowest[3]}]'
        f',"faults":{_faults(result.faults)},"end":"PLAYED"}}'
    ).encode()
    return b'%b,"crc32":"%08x"}\n' % (body, crc32(body))


def _capped(times: Sequence[int]) -> list[int]:
    return [min(time, _TIME_LIMIT) for time in times]


def _faults(faults: Iterable[FaultOfDeal]) -> str:
    if not faults:
        return "[]"
    lines = [
        FaultLine(
            seat=fault.seat,
            action=fault.action,
            kind=getattr(fault.kind, "name", str(fault.kind)),
            incident=fault.incident or None,
            detail=detail_of(fault.detail),
        )
        for fault in faults
    ]
    return _ENCODER.encode(lines).decode()
