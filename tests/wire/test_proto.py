"""The wire and the rules number and name everything alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorSet

from arena.referee.values import FaultKind
from arena.rules.actions import Action, Contract, Phase
from arena.rules.cards import Card, Suit
from arena.rules.ruleset import CHOICES
from arena.v1 import game_pb2, record_pb2, referee_pb2

FILES: tuple[FileDescriptor, ...] = (
    game_pb2.DESCRIPTOR,
    referee_pb2.DESCRIPTOR,
    record_pb2.DESCRIPTOR,
)


def nested(message: Descriptor) -> Iterable[Descriptor]:
    yield message
    for inner in message.nested_types:
        yield from nested(inner)


MESSAGES = {
    message.full_name: message
    for file in FILES
    for outer in file.message_types_by_name.values()
    for message in nested(outer)
}
ENUMS: dict[str, EnumDescriptor] = {
    enum.full_name.removeprefix("arena.v1."): enum
    for file in FILES
    for enum in (
        *file.enum_types_by_name.values(),
        *(inner for message in MESSAGES.values() for inner in message.enum_types),
    )
}


def numbers(enum: type[IntEnum]) -> dict[int, str]:
    return {member.value: member.name for member in enum}


def knob(name: str) -> dict[int, str]:
    return {place: str(choice).upper() for place, choice in enumerate(CHOICES[name], 1)}


EXPECTED: Mapping[str, tuple[str, Mapping[int, str]]] = {
    "Suit": ("SUIT", numbers(Suit)),
    "Card": ("CARD", {card: f"{card.suit.name}_{card.rank.name}" for card in Card}),
    "Contract": ("CONTRACT", numbers(Contract)),
    "Phase": ("PHASE", {n: name for n, name in numbers(Phase).items() if name != "OVER"}),
    "Action": ("ACTION", numbers(Action)),
    "Ruleset.Opening": ("OPENING", knob("opening")),
    "Ruleset.Void": ("VOID", knob("void")),
    "Ruleset.TrumpOrder": ("TRUMP_ORDER", knob("trump_order")),
    "Ruleset.PassedOutWinner": ("PASSED_OUT_WINNER", knob("passed_out_winner")),
    "Ruleset.PassedOutTie": ("PASSED_OUT_TIE", knob("passed_out_tie")),
    "FaultKind": ("FAULT_KIND", dict(enumerate(FaultKind, 1))),
    "Notice.Kind": (
        "KIND",
        {1: "FAULT", 2: "SHUTDOWN", 3: "REPLACED", 4: "BENCHED", 5: "VIOLATION"},
    ),
}


def test_every_enum_of_the_wire_is_compared() -> None:
    assert set(ENUMS) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_an_enum_has_the_numbers_and_names_of_the_rules(name: str) -> None:
    prefix, expected = EXPECTED[name]
    values = {value.number: value.name for value in ENUMS[name].values}
    assert values.pop(0) == f"{prefix}_UNSPECIFIED"
    assert values == {number: f"{prefix}_{text}" for number, text in expected.items()}


def test_every_action_fits_into_one_byte() -> None:
    assert max(value.number for value in ENUMS["Action"].values) < 128


def test_no_field_of_a_bots_wire_is_a_64_bit_integer() -> None:
    wide = {"int64", "uint64", "sint64", "fixed64", "sfixed64"}
    types = {getattr(FieldDescriptor, f"TYPE_{kind.upper()}") for kind in wide}
    for file in FILES[:2]:
        assert [field.full_name for field in _fields(file) if field.type in types] == []


def _fields(file: FileDescriptor) -> list[FieldDescriptor]:
    return [
        field
        for outer in file.message_types_by_name.values()
        for message in nested(outer)
        for field in message.fields
    ]


def test_a_decision_has_no_message_inside() -> None:
    decision = referee_pb2.Decision.DESCRIPTOR
    assert [field.name for field in decision.fields if field.message_type] == []


def test_the_schema_that_changes_are_held_against_is_the_latest() -> None:
    kept = Path(__file__).parents[2] / "scripts" / "wire.binpb"
    files = FileDescriptorSet.FromString(kept.read_bytes()).file
    found = {
        name: {(field.name, field.number, field.type) for field in message.field}
        for file in files
        for outer in file.message_type
        for name, message in _named(outer, file.package)
    }
    assert found == {
        name: {(field.name, field.number, field.type) for field in message.fields}
        for name, message in MESSAGES.items()
    }


def _named(message: DescriptorProto, outside: str) -> Iterable[tuple[str, DescriptorProto]]:
    name = f"{outside}.{message.name}"
    yield name, message
    for inner in message.nested_type:
        yield from _named(inner, name)
