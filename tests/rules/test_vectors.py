"""The deals of an independent implementation, step by step."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from arena.rules.actions import ACTION_TEXTS, Contract, Phase, action_from_text
from arena.rules.cards import CARD_BY_TEXT, Suit, cards_of
from arena.rules.deal import Deal
from arena.rules.deck import deal_hands
from arena.rules.ruleset import Ruleset
from arena.rules.view import tricks_of, view_of

VECTORS = Path(__file__).parent.parent / "vectors" / "rules.jsonl.gz"


@pytest.fixture(scope="module")
def vectors() -> list[dict[str, Any]]:
    with gzip.open(VECTORS, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def start(vector: dict[str, Any]) -> Deal:
    deck = [CARD_BY_TEXT[card] for card in vector["deck"]]
    dealer = vector["dealer"]
    return Deal(Ruleset.from_dict(vector["rules"]), dealer, deal_hands(deck, dealer))


def test_there_are_1200_deals(vectors: list[dict[str, Any]]) -> None:
    assert len(vectors) == 1200


def test_a_deck_is_dealt_in_the_recorded_hands(vectors: list[dict[str, Any]]) -> None:
    for vector in vectors:
        hands = [sorted(card.name for card in cards_of(hand)) for hand in start(vector).hands]
        assert hands == vector["hands"]


def test_every_step_has_the_recorded_turn_phase_and_legal_actions(
    vectors: list[dict[str, Any]],
) -> None:
    for vector in vectors:
        deal = start(vector)
        for step, number in zip(vector["steps"], vector["actions"], strict=True):
            assert (Phase(deal.phase).name, deal.turn) == (step["phase"], step["seat"])
            legal = sorted(ACTION_TEXTS[action] for action in deal.legal_actions())
            assert legal == step["legal"]
            action = action_from_text(step["action"], deal.phase)
            assert action == number
            deal.apply_action(action, step["seat"])
        assert deal.is_over


def test_every_deal_has_the_recorded_result(vectors: list[dict[str, Any]]) -> None:
    for vector in vectors:
        first = start(vector)
        deal = Deal.replay(first.ruleset, first.dealer, first.hands, vector["actions"])
        contract = Contract(deal.contract).name if deal.contract else "PASSED_OUT"
        assert contract == vector["contract"]
        assert deal.is_passed_out == (contract == "PASSED_OUT")
        assert (deal.declarer if deal.declarer >= 0 else None) == vector["declarer"]
        assert (Suit(deal.trump).letter if deal.trump else None) == vector["trump"]
        assert deal.taken == vector["tricks_won"]
        assert deal.points is not None
        assert list(deal.points) == vector["points"]


def test_every_trick_has_the_recorded_leader_cards_and_winner(
    vectors: list[dict[str, Any]],
) -> None:
    for vector in vectors:
        first = start(vector)
        deal = Deal.replay(first.ruleset, first.dealer, first.hands, vector["actions"])
        recorded = vector["tricks"]
        tricks = [
            {"leader": trick.leader, "cards": [str(c) for c in trick.cards], "winner": trick.winner}
            for trick in view_of(deal, 0).tricks
        ]
        assert tricks == recorded
        leaders = [trick["leader"] for trick in recorded]
        assert list(deal.leaders) == [*leaders, recorded[-1]["winner"]]


def test_the_play_starts_after_the_last_call(vectors: list[dict[str, Any]]) -> None:
    for vector in vectors:
        first = start(vector)
        deal = Deal.replay(first.ruleset, first.dealer, first.hands, vector["actions"])
        phases = [step["phase"] for step in vector["steps"]]
        assert deal.play_start == phases.index("PLAY")
        trump = Suit(deal.trump) if deal.trump else None
        plays = tricks_of(deal.ruleset, trump, bytes(deal.actions), bytes(deal.actors))
        assert len(plays) == 7
