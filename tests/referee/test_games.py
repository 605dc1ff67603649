"""Games to points: deals recorded together, no deal while somebody may come back."""

from __future__ import annotations

from itertools import pairwise

from arena.referee.values import Clock, EntrantHistory, FaultKind, Game, History
from tests.referee.stage import Stage
from tests.sim.world import KEY

CLOCK = Clock(move_ms=1000, bank_ms=2000, start_ms=10_000)
GAME = Game(KEY, target=2, max_deals=8)


def games(stage: Stage) -> dict[tuple[int, int], list[int]]:
    """Return the numbers of the deals of each game, in the order of the journal."""
    found: dict[tuple[int, int], list[int]] = {}
    for result in stage.deals:
        found.setdefault((result.board, result.leg), []).append(result.number)
    return found


def test_a_game_ends_with_the_deal_that_reaches_the_target_or_the_last_deal() -> None:
    stage = Stage(boards=12, tables=3, game=GAME)
    stage.play(limit=200_000)
    lengths = set()
    for (board, leg), numbers in games(stage).items():
        assert numbers == list(range(1, len(numbers) + 1))
        totals = [0, 0, 0, 0]
        for result in stage.deals:
            if (result.board, result.leg) == (board, leg):
                assert max(totals) < GAME.target
                points = result.deal.points or (0, 0, 0, 0)
                totals = [total + won for total, won in zip(totals, points, strict=True)]
        assert max(totals) >= GAME.target or len(numbers) == GAME.max_deals
        lengths.add(len(numbers))
    assert len(games(stage)) == 48
    assert len(lengths) > 2


def test_the_deals_of_a_game_are_recorded_together_when_it_ends() -> None:
    stage = Stage(boards=6, tables=6, game=GAME)
    stage.play(limit=200_000)
    order = [(result.board, result.leg) for result in stage.deals]
    changes = sum(one != other for one, other in pairwise(order))
    assert changes == 23, "24 games, none torn apart"
    stage = Stage(boards=1, game=GAME)
    (table,) = stage.referee.tables.in_play
    stage.play(lambda: table.number == 3)
    assert not stage.journal


def test_the_dealer_passes_to_the_left_and_decks_are_fresh() -> None:
    stage = Stage(boards=3, game=GAME)
    stage.play(limit=100_000)
    for result in stage.deals:
        first = next(r for r in stage.deals if (r.board, r.number) == (result.board, 1))
        assert result.deal.dealer == (first.deal.dealer + result.number - 1) % 4
        assert (result.deal.hands == first.deal.hands) == (result.number == 1)


def test_the_legs_of_a_board_have_the_same_decks() -> None:
    stage = Stage(boards=3, game=GAME)
    stage.play(limit=100_000)
    hands: dict[tuple[int, int], tuple[int, ...]] = {}
    for result in stage.deals:
        key = result.board, result.number
        assert hands.setdefault(key, result.deal.hands) == result.deal.hands


def test_a_table_says_the_score_and_number_before_the_deal() -> None:
    stage = Stage(boards=1, game=GAME)
    (table,) = stage.referee.tables.in_play
    totals = [0, 0, 0, 0]
    stage.play(lambda: table.number == 2)
    points = table.game_results[0].deal.points or ()
    assert table.scores == [total + won for total, won in zip(totals, points, strict=True)]


def test_a_game_is_one_table_on_the_wire() -> None:
    stage = Stage(boards=2, game=GAME)
    stage.play(limit=100_000)
    for name in "abcd":
        starts = [key for f in stage.frames(name) for key, _, _ in f.starts]
        ends = [end for f in stage.frames(name) for _, end in f.ends]
        assert len(starts) == 8
        assert {end.number for end in ends} <= {n[-1] for n in games(stage).values()}


def test_no_deal_starts_while_an_entrant_may_come_back() -> None:
    stage = Stage(boards=2, game=GAME, clock=CLOCK)
    (table,) = stage.referee.tables.in_play
    stage.ask("a")
    stage.crash("a")
    stage.play()
    assert table.deal.is_over
    number = table.number
    stage.wait(900)
    stage.play()
    assert table.number == number == 2
    stage.restart("a")
    stage.wait(5000)
    over = table.deal
    assert over.is_over
    stage.connect("a")
    assert table.deal is not over
    asked = stage.ask("a")
    assert asked.table.number == 2
    assert not any(asked.table.autopilot)
    stage.play(limit=100_000)
    assert len(stage.faults("a")) == 1


def test_after_start_the_game_goes_on_by_safe_actions_charged_once_a_leg() -> None:
    stage = Stage(boards=2, game=GAME, clock=CLOCK)
    stage.ask("a")
    stage.cut("a")
    stage.live(10_500, silent="a")
    stage.play(limit=100_000)
    assert stage.referee.is_finished
    assert len(games(stage)) == 8
    for board, leg in games(stage):
        faults = [
            (result.number, fault.kind, fault.incident)
            for result in stage.deals
            for fault in result.faults
            if (result.board, result.leg) == (board, leg)
        ]
        assert faults == [(1, FaultKind.DISCONNECT, 1)]


def test_an_absence_that_begins_within_a_game_is_charged_in_its_next_deal() -> None:
    stage = Stage(boards=1, game=GAME, clock=CLOCK)
    (table,) = stage.referee.tables.in_play
    stage.play(lambda: table.number == 2 and not stage["a"].open)
    stage.cut("a")
    stage.live(10_500, silent="a")
    stage.play(limit=100_000)
    first = [result for result in stage.deals if result.leg == stage.deals[0].leg]
    assert sum(len(result.faults) for result in first) == 1
    assert not first[0].faults


def test_a_bench_lets_the_game_end_as_it_began() -> None:
    stage = Stage(boards=3, game=GAME)
    (table,) = stage.referee.tables.in_play
    stage.play(lambda: table.number == 2)
    assert not stage.journal
    stage.referee.ledger.bench(stage["a"], "for the test")
    key = table.table_ids[table.seats_of(stage["a"])[0]]
    stage.play(limit=100_000)
    asked = [a for f in stage.frames("a") for a in f.asked]
    assert len({a.deal for a in asked}) > 2, "it is asked in later deals of the game"
    assert {a.deal for a in asked} <= {r.deal for r in stage.deals if r.leg == stage.deals[0].leg}
    assert [k for f in stage.frames("a") for k, _, _ in f.starts] == [key]


def test_a_game_with_benched_seats_only_goes_on_without_them() -> None:
    history = History(entrants={name: EntrantHistory(is_benched=True) for name in "abcd"})
    stage = Stage(boards=5, game=GAME, is_set=False, history=history)
    stage.open()
    stage.pull()
    assert stage.referee.is_finished
    assert len(games(stage)) == 20
