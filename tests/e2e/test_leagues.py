"""Every kind of league comes to its end, and anyone can check it."""

from __future__ import annotations

import pytest

from tests.e2e.runs import SEED, Folder

pytestmark = pytest.mark.e2e


def play(folder: Folder, file: str, name: str = "run", *words: str) -> None:
    """Play a league to its end and have it checked."""
    ended = folder.arena("league", "run", file, "--run", name, *words).succeeded()
    folder.nothing_runs()
    sha256 = folder.run(name).of_kind("footer")[0]["sha256"]
    commitment = folder.run(name).header["seed_commitment"]
    assert f"sha256: {sha256}" in ended.err
    assert f"commitment: {commitment}" in ended.err
    checks = ("--commitment", commitment, "--sha256", sha256)
    folder.arena("verify", name, *checks).succeeded()


def test_a_league_of_the_four_samples_ends_and_does_not_depend_on_tables(folder: Folder) -> None:
    file = folder.league(folder.samples(), boards=8)
    play(folder, file, "one", "--set", "league.tables=1")
    play(folder, file, "many", "--set", "league.tables=32", "--set", "league.thinking=0")
    one, many = folder.run("one"), folder.run("many")
    assert one.unmeasured() == many.unmeasured()
    assert one.bytes() != many.bytes()  # what is measured differs: the comparison left it out
    assert len(one.of_kind("deal")) == 32
    assert one.of_kind("event") == []
    assert one.of_kind("footer")[0]["seed"]


def test_a_duel_ends(folder: Folder) -> None:
    play(folder, folder.league(folder.samples("greedy", "random"), play="duel"))
    deals = folder.run().of_kind("deal")
    assert len(deals) == 8
    assert {tuple(sorted(deal["seats"])) for deal in deals} == {
        ("greedy", "greedy", "random", "random")
    }


def test_a_gauntlet_ends(folder: Folder) -> None:
    bots = folder.samples("greedy", "cautious", "random", "lowest")
    field = ["cautious", "random", "lowest"]
    play(folder, folder.league(bots, play="gauntlet", field=field))
    header = folder.run().header
    assert (header["play"], header["field"]) == ("gauntlet", field)


def test_a_paired_match_ends(folder: Folder) -> None:
    bots = folder.samples() + "\n" + folder.table("random-2", 'bot = "random"')
    field = ["random", "lowest", "random-2"]
    play(folder, folder.league(bots, play="paired", field=field))
    deals = folder.run().of_kind("deal")
    assert {("greedy" in deal["seats"]) + ("cautious" in deal["seats"]) for deal in deals} == {1}


def test_games_to_points_end_at_their_target(folder: Folder) -> None:
    file = folder.league(folder.samples(), play="points", boards=1, target=3, max_deals=20)
    play(folder, file)
    run = folder.run()
    assert (run.header["target"], run.header["max_deals"]) == (3, 20)
    games: dict[tuple[int, int], list[list[int]]] = {}
    for deal in run.of_kind("deal"):
        games.setdefault((deal["board"], deal["leg"]), []).append(deal["points"])
    for points in games.values():
        scores = [sum(seat) for seat in zip(*points, strict=True)]
        assert max(scores) >= 3 or len(points) == 20


def test_independent_play_ends(folder: Folder) -> None:
    play(folder, folder.league(folder.samples(), play="independent", boards=6))
    assert {deal["leg"] for deal in folder.run().of_kind("deal")} <= {0, 1, 2, 3}


def test_three_entrants_are_joined_by_the_house_bot(folder: Folder) -> None:
    play(folder, folder.league(folder.samples("greedy", "cautious", "random")))
    entrants = folder.run().header["entrants"]
    assert [entrant["name"] for entrant in entrants] == ["greedy", "cautious", "random", "house"]
    assert [entrant.get("house", False) for entrant in entrants] == [False, False, False, True]


def test_every_knob_of_the_ruleset_can_be_turned(folder: Folder) -> None:
    knobs = {
        "opening": "any",
        "declare_above_bid": "false",
        "void": "any",
        "trump_order": "jack_seven",
        "passed_out_winner": "fewest",
        "passed_out_tie": "all",
        "passed_out_points": "2",
        "passed_out_all_tricks": "-5",
    }
    words = [word for knob in knobs.items() for word in ("--set", "ruleset.{}={}".format(*knob))]
    play(folder, folder.league(folder.samples("random", "greedy", "cautious")), "run", *words)
    ruleset = folder.run().header["ruleset"]
    assert {knob: str(ruleset[knob]).lower() for knob in knobs} == knobs


def test_a_match_of_two_is_a_duel(folder: Folder) -> None:
    words = ("--boards", "4", "--set", "league.seed=e2e", "--run", "run")
    folder.arena("match", "greedy", "lowest", *words).succeeded()
    folder.arena("verify", "run").succeeded()
    assert folder.run().header["play"] == "duel"


# ---------------------------------------------------------------------- commitment, public text


def test_a_committed_league_plays_with_the_public_text(folder: Folder) -> None:
    file = folder.league(folder.samples(), seed=SEED)
    commitment = folder.arena("league", "commit", file, "--run", "run").succeeded().out.strip()
    run = folder.run()
    assert not run.record.exists()
    folder.arena("league", "resume", "run", "--public", "lottery 4 8 15").succeeded()
    assert run.header["public"] == "lottery 4 8 15"
    assert run.header["seed_commitment"] == commitment
    folder.arena("verify", "run", "--commitment", commitment).succeeded()
    assert folder.arena("verify", "run", "--commitment", "0" * 64).code == 1
    folder.arena("league", "run", file, "--run", "other").succeeded()
    hands = [deal["hands"] for deal in run.of_kind("deal")]
    assert hands != [deal["hands"] for deal in folder.run("other").of_kind("deal")]
    before = run.bytes()
    refused = folder.arena("league", "resume", "run", "--public", "another")
    assert refused.code == 2
    assert "public" in refused.err
    assert run.bytes() == before
