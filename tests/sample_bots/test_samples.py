from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bot import Action, Contract, Phase, View
from arena.bot.view import action_number
from arena.rules.ruleset import CHOICES, Ruleset
from sample_bots.python import cautious, greedy, lowest, random_
from tests.sample_bots.simulation import Choose, play_deal, starts

FOLDER = Path(lowest.__file__).parents[1]
BOTS: dict[str, Choose] = {
    "cautious": cautious.choose,
    "greedy": greedy.choose,
    "lowest": lowest.choose,
    "random": random_.choose,
}
RULESETS = [
    Ruleset(**dict(zip(CHOICES, values, strict=True)))  # type: ignore[arg-type]
    for values in itertools.product(*CHOICES.values())
]


@pytest.mark.parametrize("name", BOTS)
def test_a_sample_bot_is_a_legal_pure_function_under_every_ruleset(name: str) -> None:
    choose = BOTS[name]

    def checked(view: View) -> int:
        action = action_number(choose(view))
        assert action in view.legal_actions
        assert action_number(choose(View.of(view.position))) == action
        return action

    for (dealer, hands, seeds), ruleset in zip(
        starts("legal", len(RULESETS)), RULESETS, strict=True
    ):
        deal = play_deal([checked, random_.choose, checked, checked], dealer, hands, seeds, ruleset)
        assert deal.points is not None


def test_random_draws_from_its_seed_and_the_count_of_actions() -> None:
    for dealer, hands, seeds in starts("draw", 20):

        def checked(view: View) -> int:
            choice = random_.choose(view)
            assert len(view.legal_actions) > 1
            place = (view.random_seed + len(view.actions)) % len(view.legal_actions)
            assert choice is view.legal_actions[place]
            return choice

        play_deal([checked] * 4, dealer, hands, seeds)


def test_random_reaches_every_phase_and_contract() -> None:
    deals = [play_deal([random_.choose] * 4, *start) for start in starts("reach", 300)]
    assert {deal.contract for deal in deals} == {0, *Contract}


def test_lowest_never_bids() -> None:
    deals = [play_deal([lowest.choose] * 4, *start) for start in starts("low", 20)]
    assert all(deal.is_passed_out for deal in deals)


@pytest.mark.parametrize("name", ["greedy", "cautious"])
def test_the_thoughtful_bots_reach_null_and_trump_contracts(name: str) -> None:
    deals = [play_deal([BOTS[name]] * 4, *start) for start in starts("reach", 600)]
    reached = {deal.contract for deal in deals}
    assert {0, Contract.BRANDELN, Contract.FOUR, Contract.FIVE, Contract.NULL} <= reached


def test_the_readme_of_the_bots_names_every_file() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\((python/\w+\.py)\)", text))
    assert named == {f"python/{file.name}" for file in (FOLDER / "python").glob("*.py")}


@pytest.mark.parametrize(
    "file", sorted((FOLDER / "python").glob("*.py")), ids=lambda file: file.stem
)
def test_a_sample_bot_runs_as_a_file_and_says_what_it_lacks(file: Path) -> None:
    done = subprocess.run(
        [sys.executable, file],
        env={"PYTHONPATH": str(FOLDER.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: no address of a referee")
    assert "Traceback" not in done.stderr


def test_every_phase_gives_the_bots_something_to_choose() -> None:
    phases: set[Phase] = set()

    def watching(view: View) -> Action:
        phases.add(view.phase)
        return random_.choose(view)

    for start in starts("phase", 10):
        play_deal([watching] * 4, *start)
    assert phases == {Phase.AUCTION, Phase.DECLARATION, Phase.PLAY}
