"""Every reason for which an action is illegal, and what a person reads."""

from __future__ import annotations

import pytest
from hypothesis import given

from arena.errors import IllegalAction, Reason
from arena.rules.actions import ACTION_TEXTS, Action, Phase, action_from_text
from arena.rules.cards import hand_from_pbn
from arena.rules.deal import Deal
from arena.rules.ruleset import BRANDELN, Ruleset
from tests.rules import slow
from tests.rules.positions import finished_deals, names_of, positions

HANDS = [hand_from_pbn(text) for text in ("AKQ.AK..A7", "JT97.QJT..", "..AKQJT97.", ".97..KQJT9")]
TEXTS = {
    Reason.UNKNOWN_ACTION: "no such action",
    Reason.DEAL_OVER: "the deal is over",
    Reason.NOT_YOUR_TURN: "not your turn",
    Reason.WRONG_PHASE: "not in this phase",
    Reason.OPENING_MUST_BE_BRANDELN: "an opening bid must be BRANDELN",
    Reason.MUST_RAISE: "a bid must be above the standing bid",
    Reason.TRUMP_MISSING: "the declaration must name a trump suit",
    Reason.CONTRACT_BELOW_BID: "the contract is below your bid",
    Reason.CONTRACT_NOT_BID: "the contract must be exactly your bid",
    Reason.NOT_IN_YOUR_HAND: "the card is not in your hand",
    Reason.MUST_FOLLOW: "you must follow the led suit",
    Reason.MUST_TRUMP: "you must play a trump when you cannot follow",
}
EXACT = Ruleset(declare_above_bid=False)
OPEN = Ruleset(opening="any")
# Seat 0 deals, so seat 1 is forehand. These lead into each phase.
OPENED = ["BRANDELN"]
RAISED = ["BRANDELN", "FIVE"]
BOUGHT = ["BRANDELN", "FIVE", "PASS", "PASS", "PASS"]
NAMED = [*BOUGHT, "FIVE:H"]
ALL_PASS = ["PASS", "PASS", "PASS", "PASS"]


def deal_after(texts: list[str], ruleset: Ruleset = BRANDELN) -> Deal:
    deal = Deal(ruleset, 0, HANDS)
    for text in texts:
        deal.apply_action(action_from_text(text, deal.phase))
    return deal


CASES = [
    # ruleset, what was played, the action, the seat (None: whose turn it is), the reason
    (BRANDELN, [], 0, None, Reason.UNKNOWN_ACTION),
    (BRANDELN, [], 59, None, Reason.UNKNOWN_ACTION),
    (BRANDELN, [], -1, None, Reason.UNKNOWN_ACTION),
    (BRANDELN, OPENED, Action.PASS, 1, Reason.NOT_YOUR_TURN),
    (BRANDELN, NAMED, Action.PLAY_CLUBS_ACE, 0, Reason.NOT_YOUR_TURN),
    (BRANDELN, [], Action.DECLARE_NULL, None, Reason.WRONG_PHASE),
    (BRANDELN, [], Action.PLAY_SPADES_ACE, None, Reason.WRONG_PHASE),
    (BRANDELN, BOUGHT, Action.PASS, None, Reason.WRONG_PHASE),
    (BRANDELN, BOUGHT, Action.BID_NULL, None, Reason.WRONG_PHASE),
    (BRANDELN, BOUGHT, Action.BID_ALL_NO_TRUMP, None, Reason.WRONG_PHASE),
    (BRANDELN, BOUGHT, Action.PLAY_DIAMONDS_ACE, None, Reason.WRONG_PHASE),
    (BRANDELN, NAMED, Action.PASS, None, Reason.WRONG_PHASE),
    (BRANDELN, NAMED, Action.BID_FOUR, None, Reason.WRONG_PHASE),
    (BRANDELN, NAMED, Action.DECLARE_NULL, None, Reason.WRONG_PHASE),
    (BRANDELN, [], Action.BID_FOUR, None, Reason.OPENING_MUST_BE_BRANDELN),
    (BRANDELN, ["PASS", "PASS"], Action.BID_ALL_NO_TRUMP, None, Reason.OPENING_MUST_BE_BRANDELN),
    (BRANDELN, OPENED, Action.BID_BRANDELN, None, Reason.MUST_RAISE),
    (BRANDELN, RAISED, Action.BID_FIVE, None, Reason.MUST_RAISE),
    (OPEN, ["ALL_NO_TRUMP"], Action.BID_ALL_NO_TRUMP, None, Reason.MUST_RAISE),
    (BRANDELN, BOUGHT, Action.BID_FIVE, None, Reason.TRUMP_MISSING),
    (BRANDELN, BOUGHT, Action.BID_ALL_TRUMP, None, Reason.TRUMP_MISSING),
    (BRANDELN, BOUGHT, Action.DECLARE_FOUR_HEARTS, None, Reason.CONTRACT_BELOW_BID),
    (EXACT, BOUGHT, Action.DECLARE_BRANDELN_CLUBS, None, Reason.CONTRACT_BELOW_BID),
    (EXACT, BOUGHT, Action.DECLARE_SIX_DIAMONDS, None, Reason.CONTRACT_NOT_BID),
    (EXACT, BOUGHT, Action.DECLARE_NULL, None, Reason.CONTRACT_NOT_BID),
    (BRANDELN, NAMED, Action.PLAY_SPADES_ACE, None, Reason.NOT_IN_YOUR_HAND),
    (BRANDELN, [*ALL_PASS, "SJ"], Action.PLAY_SPADES_JACK, None, Reason.NOT_IN_YOUR_HAND),
    (BRANDELN, [*ALL_PASS, "SJ", "DA", "H7"], Action.PLAY_HEARTS_ACE, None, Reason.MUST_FOLLOW),
    (BRANDELN, [*NAMED, "DA"], Action.PLAY_CLUBS_KING, None, Reason.MUST_TRUMP),
]


@pytest.mark.parametrize("ruleset,played,action,seat,reason", CASES)
def test_an_illegal_action_has_its_reason(
    ruleset: Ruleset, played: list[str], action: int, seat: int | None, reason: Reason
) -> None:
    deal = deal_after(played, ruleset)
    with pytest.raises(IllegalAction) as caught:
        deal.apply_action(action, seat)
    assert caught.value.reason is reason
    text = str(caught.value)
    name = ACTION_TEXTS[action] if 1 <= action <= 58 else f"action {action}"
    assert text.startswith(f"{name}: {TEXTS[reason]}; seat {deal.turn} is to act, legal: ")
    legal = text.partition("legal: ")[2].split()
    assert legal == [ACTION_TEXTS[number] for number in deal.legal_actions()]
    if seat is None:
        assert deal.illegal_reason(action) == TEXTS[reason]


@given(finished_deals())
def test_after_the_end_the_reason_is_the_end(deal: Deal) -> None:
    with pytest.raises(IllegalAction) as caught:
        deal.apply_action(Action.PASS, 0)
    assert caught.value.reason is Reason.DEAL_OVER
    assert str(caught.value) == "PASS: the deal is over; nobody is to act, legal: nothing"


def test_every_reason_has_a_case_and_a_text() -> None:
    assert set(TEXTS) == set(Reason)
    assert {reason: reason.value for reason in Reason} == TEXTS
    assert {reason for *_, reason in CASES} | {Reason.DEAL_OVER} == set(Reason)


def test_a_void_hand_must_trump() -> None:
    deal = deal_after([*NAMED, "DA"])
    assert [ACTION_TEXTS[action] for action in deal.legal_actions()] == ["H7", "H9"]


def test_a_void_hand_may_discard_where_the_ruleset_lets_it() -> None:
    deal = deal_after([*NAMED, "DA"], Ruleset(void="any"))
    legal = [ACTION_TEXTS[action] for action in deal.legal_actions()]
    assert legal == ["C9", "CT", "CJ", "CQ", "CK", "H7", "H9"]


def explained(deal: Deal, text: str) -> Reason | None:
    """Return why an action is illegal for the seat in turn, from RULES with texts and sets."""
    bids, cards = slow.CONTRACTS, slow.DECK
    hand = names_of(deal.holding[deal.turn])
    phase = Phase(deal.phase)
    number = slow.ALL_ACTIONS.index(text) + 1 if text in slow.ALL_ACTIONS else 0
    if phase is Phase.AUCTION:
        standing = deal.bid
        if text not in bids:
            return None if text == "PASS" else Reason.WRONG_PHASE
        if standing:
            return None if bids.index(text) + 1 > standing else Reason.MUST_RAISE
        only = deal.ruleset.opening == "brandeln" and text != "BRANDELN"
        return Reason.OPENING_MUST_BE_BRANDELN if only else None
    if phase is Phase.DECLARATION:
        contract, _, suit = text.partition(":")
        if contract not in bids:
            return Reason.WRONG_PHASE
        if not suit and contract not in slow.WITHOUT_TRUMP:
            return Reason.TRUMP_MISSING
        rank = bids.index(contract) + 1
        if rank < deal.bid:
            return Reason.CONTRACT_BELOW_BID
        above = rank > deal.bid and not deal.ruleset.declare_above_bid
        return Reason.CONTRACT_NOT_BID if above else None
    if text not in cards or not number:
        return Reason.WRONG_PHASE
    if text not in hand:
        return Reason.NOT_IN_YOUR_HAND
    played = [ACTION_TEXTS[action] for action in deal.actions[deal.play_start :]]
    trick = played[len(played) // 4 * 4 :]
    if not trick or text[0] == trick[0][0]:
        return None
    if any(card[0] == trick[0][0] for card in hand):
        return Reason.MUST_FOLLOW
    trump = slow.SUITS[deal.trump - 1] if deal.trump else None
    must = deal.ruleset.void == "must_trump" and any(card[0] == trump for card in hand)
    return Reason.MUST_TRUMP if must and text[0] != trump else None


@given(positions())
def test_the_reason_is_what_the_rules_say(deal: Deal) -> None:
    for action in Action:
        text = ACTION_TEXTS[action]
        if action in (Action.BID_NULL, Action.BID_ALL_NO_TRUMP) and deal.phase != Phase.AUCTION:
            continue  # as texts these bids are declarations too
        if action in (Action.DECLARE_NULL, Action.DECLARE_ALL_NO_TRUMP) and (
            deal.phase != Phase.DECLARATION
        ):
            continue
        reason = explained(deal, text)
        assert deal.illegal_reason(action) == (TEXTS[reason] if reason else "")
        assert (deal.legal >> action & 1) == (reason is None)
