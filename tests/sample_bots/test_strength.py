"""Who beats whom, by more than the intervals: 400 boards, as the README of the bots says."""

from __future__ import annotations

import pytest

from arena.bot import Action, View
from sample_bots.python import cautious, greedy, lowest, random_
from tests.sample_bots.simulation import Choose, interval, play_duel, play_league

BOARDS = 400


def test_in_a_league_greedy_beats_cautious_and_both_beat_random() -> None:
    bots: list[Choose] = [greedy.choose, cautious.choose, random_.choose, lowest.choose]
    nets = play_league(bots, BOARDS, "strength")
    lows, highs = zip(*(interval(values) for values in nets), strict=True)
    assert lows[0] > highs[1]
    assert lows[1] > highs[2]
    assert sum(sum(values) for values in nets) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    "stronger, weaker",
    [
        (greedy.choose, cautious.choose),
        (greedy.choose, random_.choose),
        (cautious.choose, random_.choose),
        (greedy.choose, lowest.choose),
        (cautious.choose, lowest.choose),
    ],
)
def test_in_a_duel_the_stronger_bot_wins(stronger: Choose, weaker: Choose) -> None:
    low, _ = interval(play_duel(stronger, weaker, BOARDS, "strength"))
    assert low > 0


def test_a_duel_with_oneself_is_a_tie() -> None:
    low, high = interval(play_duel(greedy.choose, greedy.choose, 20, "strength"))
    assert low == high == 0


def test_boldness_makes_greedy_bid_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def bids(boldness: float) -> int:
        count = 0

        def counting(view: View) -> int:
            nonlocal count
            choice = greedy.choose(view)
            count += isinstance(choice, Action) and choice.bid is not None
            return choice

        monkeypatch.setattr(greedy, "BOLDNESS", boldness)
        play_league([counting, lowest.choose, lowest.choose, lowest.choose], 50, "bold")
        return count

    assert bids(-0.5) < bids(0) < bids(0.5)
