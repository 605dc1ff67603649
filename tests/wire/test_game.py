from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import MalformedFrame
from arena.rules.deal import Deal
from arena.rules.deck import board_start, bot_seed, deal_hands, league_key, parse_seed
from arena.rules.ruleset import BRANDELN, CHOICES, Ruleset
from arena.rules.view import view_of
from arena.v1 import game_pb2, referee_pb2
from arena.wire.game import (
    deal_from_end,
    deal_to_end,
    decision_to_message,
    encode_answer,
    ruleset_from_message,
    ruleset_to_message,
    view_from_message,
)

KEY = league_key(parse_seed("wire"))

rulesets = st.builds(
    Ruleset,
    name=st.text(min_size=1, max_size=64),
    passed_out_points=st.integers(-100, 100),
    passed_out_all_tricks=st.integers(-100, 100),
    **{knob: st.sampled_from(choices) for knob, choices in CHOICES.items()},
)


@st.composite
def deals(draw: st.DrawFn) -> Deal:
    """A deal in which somebody is to act: anywhere from its first call to its last card."""
    cards, dealer = board_start(KEY, draw(st.integers(1, 10_000)))
    deal = Deal(draw(rulesets), dealer, deal_hands(cards, dealer))
    chance = draw(st.randoms(use_true_random=False))
    stop = draw(st.integers(0, 50))
    while len(deal.actions) < stop and sum(hand.bit_count() for hand in deal.holding) > 1:
        deal.push(chance.choice(deal.legal_actions()))
    return deal


@given(rulesets)
def test_a_ruleset_comes_back_from_its_message(ruleset: Ruleset) -> None:
    sent = ruleset_to_message(ruleset).SerializeToString()
    assert ruleset_from_message(game_pb2.Ruleset.FromString(sent)) == ruleset


def test_every_knob_of_the_wire_is_named_after_its_value() -> None:
    message = game_pb2.Ruleset.DESCRIPTOR
    for knob, choices in CHOICES.items():
        enum = message.fields_by_name[knob].enum_type
        if enum is None:
            continue
        names = [value.name for value in enum.values][1:]
        assert names == [f"{knob}_{choice}".upper() for choice in choices]


@pytest.mark.parametrize("number", [0, 3])
def test_a_knob_of_the_future_is_refused(number: int) -> None:
    message = ruleset_to_message(BRANDELN)
    message.void = number  # type: ignore[assignment]
    with pytest.raises(MalformedFrame, match=r"ruleset\.void"):
        ruleset_from_message(message)


@given(deals(), st.integers(0, 2**32 - 1), st.booleans())
def test_a_view_comes_back_from_its_message(deal: Deal, seed: int, to_points: bool) -> None:
    target = 20 if to_points else None
    view = view_of(
        deal,
        deal.turn,
        random_seed=seed,
        number=7 if to_points else None,
        scores=(1, -2, 30, 0) if to_points else (),
        target=target,
    )
    sent = decision_to_message(view, decision_id=9, table=5).SerializeToString()
    message = referee_pb2.Decision.FromString(sent)
    assert (message.id, message.table) == (9, 5)
    assert view_from_message(message, deal.ruleset, target) == view


@given(deals())
def test_a_finished_deal_comes_back_from_the_end_of_its_table(deal: Deal) -> None:
    while not deal.is_over:
        deal.push(deal.legal_actions()[0])
    message = referee_pb2.TableEnd()
    deal_to_end(deal, message)
    finished = deal_from_end(referee_pb2.TableEnd.FromString(message.SerializeToString()))
    assert finished is not None
    assert finished.hands == deal.hands
    assert finished.points == deal.points
    again = Deal.replay(deal.ruleset, finished.dealer, finished.hands, finished.actions)
    assert again.points == finished.points
    assert finished.actors == bytes(again.actors)
    assert finished.taken == tuple(again.taken)
    assert (finished.contract or 0, finished.trump or 0) == (again.contract, again.trump)
    assert finished.declarer == (again.declarer if again.declarer >= 0 else None)


def test_a_void_table_shows_no_deal() -> None:
    assert deal_from_end(referee_pb2.TableEnd(is_void=True)) is None


def test_an_end_without_its_hands_is_malformed() -> None:
    with pytest.raises(MalformedFrame, match="28 cards"):
        deal_from_end(referee_pb2.TableEnd(points=[0, 0, 0, 0]))


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 200)), max_size=5))
def test_answers_by_hand_are_the_bytes_of_the_generated_encoder(
    answers: list[tuple[int, int]],
) -> None:
    request = referee_pb2.PlayRequest()
    for decision_id, action in answers:
        request.answers.add(decision_id=decision_id, action=action)
    assert b"".join(itertools.starmap(encode_answer, answers)) == request.SerializeToString()


def test_a_bot_seed_of_32_bits_fits_the_wire() -> None:
    seeds = [bot_seed(KEY, board, 1, 0) for board in range(1, 50)]
    for seed in (*seeds, 2**32 - 1):
        assert referee_pb2.Decision(random_seed=seed).random_seed == seed
