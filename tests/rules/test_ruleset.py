"""The knobs of the game."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from arena.errors import ConfigError
from arena.rules.ruleset import BRANDELN, Ruleset
from tests.rules.positions import rulesets


def test_the_default_is_brandeln_as_handed_down() -> None:
    assert Ruleset() == BRANDELN
    assert list(BRANDELN.to_dict().items()) == [
        ("name", "brandeln"),
        ("opening", "brandeln"),
        ("declare_above_bid", True),
        ("void", "must_trump"),
        ("trump_order", "plain"),
        ("passed_out_winner", "most"),
        ("passed_out_tie", "none"),
        ("passed_out_points", 1),
        ("passed_out_all_tricks", -3),
    ]


@given(rulesets)
def test_a_ruleset_comes_back_from_its_knobs(ruleset: Ruleset) -> None:
    assert Ruleset.from_dict(ruleset.to_dict()) == ruleset
    assert hash(Ruleset.from_dict(ruleset.to_dict())) == hash(ruleset)


def test_knobs_left_out_keep_their_defaults() -> None:
    assert Ruleset.from_dict({}) == BRANDELN
    assert Ruleset.from_dict({"void": "any"}) == Ruleset(void="any")


@pytest.mark.parametrize(
    "knobs,message",
    [
        ({"opening": "four"}, "ruleset.opening: expected 'brandeln' or 'any', got 'four'"),
        ({"opening": True}, "ruleset.opening: expected 'brandeln' or 'any', got true"),
        ({"declare_above_bid": 1}, "ruleset.declare_above_bid: expected true or false, got 1"),
        (
            {"declare_above_bid": "true"},
            "ruleset.declare_above_bid: expected true or false, got 'true'",
        ),
        ({"void": ""}, "ruleset.void: expected 'must_trump' or 'any', got ''"),
        (
            {"trump_order": "JACK"},
            "ruleset.trump_order: expected 'plain' or 'jack_seven', got 'JACK'",
        ),
        (
            {"passed_out_winner": None},
            "ruleset.passed_out_winner: expected 'most' or 'fewest', got None",
        ),
        (
            {"passed_out_tie": "some"},
            "ruleset.passed_out_tie: expected 'none' or 'all', got 'some'",
        ),
        (
            {"passed_out_points": 101},
            "ruleset.passed_out_points: expected a whole number from -100 to 100, got 101",
        ),
        (
            {"passed_out_points": 1.0},
            "ruleset.passed_out_points: expected a whole number from -100 to 100, got 1.0",
        ),
        (
            {"passed_out_all_tricks": False},
            "ruleset.passed_out_all_tricks: expected a whole number from -100 to 100, got false",
        ),
        ({"name": ""}, "ruleset.name: expected a text of 1 to 64 characters, got ''"),
        ({"name": 7}, "ruleset.name: expected a text of 1 to 64 characters, got 7"),
        (
            {"name": "x" * 65},
            f"ruleset.name: expected a text of 1 to 64 characters, got {'x' * 65!r}",
        ),
    ],
)
def test_a_value_that_a_knob_does_not_have_is_refused(knobs: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Ruleset.from_dict(knobs)
    assert caught.value.message == message


@pytest.mark.parametrize(
    "knob,hint",
    [
        ("openning", "did you mean 'opening'?"),
        ("trump_ordr", "did you mean 'trump_order'?"),
        ("qqq", "known: name, opening, declare_above_bid, void, trump_order"),
    ],
)
def test_a_knob_that_does_not_exist_is_refused_with_a_hint(knob: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Ruleset.from_dict({knob: "any"})
    assert caught.value.message == f"ruleset.{knob}: no such knob"
    assert caught.value.hint.startswith(hint)
