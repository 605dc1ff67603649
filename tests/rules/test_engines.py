"""Two engines that share nothing tell the same deals; the tree of the game has its known size."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from arena.rules.actions import ACTION_TEXTS, Contract, Phase
from arena.rules.cards import CARD_BY_TEXT, Suit
from arena.rules.deal import Deal
from arena.rules.deck import deal_hands
from arena.rules.ruleset import Ruleset
from arena.rules.view import view_of
from tests.rules import slow
from tests.rules.positions import choices, fresh_deals, names_of, picked
from tests.rules.slow import SlowDeal

VECTORS = Path(__file__).parent.parent / "vectors" / "rules.jsonl.gz"


def told(deal: Deal) -> SlowDeal:
    """Return the same deal as the slow engine tells it."""
    hands = [names_of(hand) for hand in deal.hands]
    actions = [ACTION_TEXTS[action] for action in deal.actions]
    return slow.after(deal.ruleset.to_dict(), deal.dealer, hands, actions)


def agree(deal: Deal, other: SlowDeal) -> None:
    """Fail unless both engines ask the same."""
    question = other.question
    assert question is not None
    assert (Phase(deal.phase).name, deal.turn) == (question.phase, question.seat)
    legal = {ACTION_TEXTS[action] for action in deal.legal_actions()}
    assert legal == question.legal


def test_the_engines_number_the_58_actions_alike() -> None:
    assert list(ACTION_TEXTS[1:]) == slow.ALL_ACTIONS


@settings(max_examples=500)
@given(fresh_deals(), choices)
def test_both_engines_tell_the_same_deal(deal: Deal, picks: bytes) -> None:
    other = told(deal)
    for pick in picks:
        if deal.is_over:
            break
        agree(deal, other)
        action = picked(deal, pick)
        deal.apply_action(action)
        other.play(ACTION_TEXTS[action])
    result = other.result
    assert deal.is_over
    assert result is not None
    assert (deal.declarer if deal.declarer >= 0 else None) == result.declarer
    assert (Contract(deal.contract).name if deal.contract else "PASSED_OUT") == result.contract
    assert (Suit(deal.trump).letter if deal.trump else None) == result.trump
    assert deal.taken == result.taken
    assert list(deal.points or ()) == result.points
    tricks = [
        (trick.leader, [card.name for card in trick.cards], trick.winner)
        for trick in view_of(deal, 0).tricks
    ]
    assert tricks == [(trick.leader, trick.cards, trick.winner) for trick in result.tricks]


# ---------------------------------------------------------------------- perft

PERFT = [
    # A deal of the vectors, how many of its actions are played, positions 1, 2, 3 … actions on.
    (0, 0, [2, 9, 37, 121, 396, 1507, 5363]),
    (0, 9, [5, 35, 35, 103, 357, 2142, 6198]),
    (0, 14, [6, 12, 64, 124, 620, 1778, 4372]),
    (1, 4, [7, 12, 19, 22, 132, 237, 765, 2376]),
    (1, 20, [3, 9, 27, 81, 162, 324, 648, 1296]),
    (604, 0, [2, 9, 37, 121, 324, 783, 2121, 6507]),
    (618, 0, [8, 36, 120, 330, 983, 3951]),
    (618, 5, [7, 29, 33, 79, 474, 1340, 4060]),
    (618, 22, [1, 3, 3, 6, 11, 18, 24, 24]),
    (1199, 5, [1, 7, 10, 17, 28, 168, 285, 466]),
]


def vector(place: int) -> dict[str, Any]:
    with gzip.open(VECTORS, "rt", encoding="utf-8") as lines:
        for _ in range(place):
            next(lines)
        found: dict[str, Any] = json.loads(next(lines))
        return found


def quick_count(deal: Deal, depth: int) -> int:
    """Count the positions that are so many actions away, with the engine of the arena."""
    legal = deal.legal_actions()
    if depth == 1:
        return len(legal)
    nodes = 0
    for action in legal:
        child = Deal.replay(deal.ruleset, deal.dealer, deal.hands, [*deal.actions, action])
        nodes += quick_count(child, depth - 1)
    return nodes


def slow_count(start: tuple[Any, int, list[set[str]]], actions: list[str], depth: int) -> int:
    """Count the same with the slow engine."""
    question = slow.after(*start, actions).question
    if question is None:
        return 0
    if depth == 1:
        return len(question.legal)
    return sum(slow_count(start, [*actions, text], depth - 1) for text in question.legal)


@pytest.mark.parametrize("place,played,nodes", PERFT)
def test_the_tree_has_its_known_number_of_positions(
    place: int, played: int, nodes: list[int]
) -> None:
    given_deal = vector(place)
    ruleset = Ruleset.from_dict(given_deal["rules"])
    deck = [CARD_BY_TEXT[card] for card in given_deal["deck"]]
    hands = deal_hands(deck, given_deal["dealer"])
    actions = given_deal["actions"][:played]
    deal = Deal.replay(ruleset, given_deal["dealer"], hands, actions)
    depths = range(1, len(nodes) + 1)
    assert [quick_count(deal, depth) for depth in depths] == nodes
    start = (given_deal["rules"], given_deal["dealer"], [set(hand) for hand in given_deal["hands"]])
    texts = [step["action"] for step in given_deal["steps"][:played]]
    assert [slow_count(start, texts, depth) for depth in depths] == nodes
