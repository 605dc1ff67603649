"""A run can be stopped at any instant, by anything, and goes on to the same record."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator

import pytest

from tests.e2e.runs import Folder, Run, Running

pytestmark = pytest.mark.e2e

BOARDS = 60
KILLS = 10


def slow_league(folder: Folder, pace_ms: float, **settings: object) -> str:
    """Write a league whose pace can be set while it runs."""
    pace = folder.pace(pace_ms)
    bots = "\n".join(
        (folder.own("steady.py", pace), folder.samples("greedy", "cautious", "lowest"))
    )
    return folder.league(bots, **{"boards": BOARDS, "tables": 4, **settings})


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    """A folder with a league and a run of it, `whole`, that nothing has interrupted."""
    folder = Folder(tmp_path_factory.mktemp("shared"))
    file = slow_league(folder, 0)
    folder.arena("league", "run", file, "--run", "whole").succeeded()
    folder.arena("verify", "whole").succeeded()
    yield folder
    folder.end_all()


def going(folder: Folder, file: str = "league.toml", name: str = "run") -> tuple[Running, Run]:
    """Start a league and return it once its first deals are recorded."""
    run = folder.run(name)
    running = folder.start("league", "run", file, "--run", name)
    running.until(lambda: run.deals_so_far > 0, "the first deals")
    return running, run


def test_ten_sigkills_at_random_instants_change_nothing(shared: Folder) -> None:
    chance = random.Random(20261130)
    shared.pace(4)
    run = shared.run("killed")
    running = shared.start("league", "run", "league.toml", "--run", "killed")
    for _ in range(KILLS):
        before = run.deals_so_far
        running.until(lambda seen=before: run.deals_so_far > seen, "new deals")  # type: ignore[misc]
        time.sleep(chance.uniform(0, 0.3))
        assert running.process.poll() is None
        running.kill()
        running = shared.start("league", "resume", "killed")
    shared.pace(0)
    running.ended().succeeded()
    shared.nothing_runs()
    shared.arena("verify", "killed").succeeded()
    assert run.unmeasured() == shared.run("whole").unmeasured()
    assert len(run.of_kind("deal")) == 4 * BOARDS
    assert run.of_kind("event") == []


def test_bots_die_with_a_runner_that_is_killed(folder: Folder) -> None:
    file = folder.league(
        "\n".join(
            (
                folder.own("steady.py", folder.pace(3)),
                folder.own("stubborn.py"),
                folder.own("parent.py"),
                folder.samples("lowest"),
            )
        ),
        boards=200,
    )
    running, _ = going(folder, file)
    assert len(folder.processes()) >= 5
    running.kill()
    folder.nothing_runs(within_s=5)


@pytest.mark.parametrize("number,code", [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_stops_a_run_that_goes_on_later(
    shared: Folder, number: signal.Signals, code: int
) -> None:
    shared.pace(3)
    running, run = going(shared, name=number.name)
    running.signal_group(number)
    ended = running.ended()
    assert ended.code == code
    assert f"arena league resume {number.name}" in ended.err
    assert "Traceback" not in ended.err
    shared.nothing_runs()
    assert 0 < len(run.of_kind("deal")) < 4 * BOARDS
    assert run.of_kind("event") == run.of_kind("footer") == []
    assert not any(deal.get("faults") for deal in run.of_kind("deal"))
    assert "unfinished" in shared.arena("verify", number.name).succeeded().out
    shared.pace(0)
    shared.arena("league", "resume", number.name).succeeded()
    shared.arena("verify", number.name).succeeded()
    assert run.unmeasured() == shared.run("whole").unmeasured()


def test_a_second_signal_stops_at_once(folder: Folder) -> None:
    running, _ = going(folder, slow_league(folder, 5, boards=20))
    folder.pace(60_000)  # deals in progress will not end by themselves
    time.sleep(0.1)
    running.signal_group(signal.SIGTERM)
    running.until(lambda: "stopping" in running.err, "word of the first signal")
    begun = time.monotonic()
    running.signal_group(signal.SIGTERM)
    assert running.ended().code == 143
    assert time.monotonic() - begun < 5
    folder.nothing_runs()
    folder.pace(0)
    folder.arena("league", "resume", "run").succeeded()
    folder.arena("verify", "run").succeeded()


def test_a_bot_that_ignores_every_signal_is_ended(folder: Folder) -> None:
    bots = folder.own("stubborn.py") + "\n" + folder.samples("greedy", "cautious", "lowest")
    ended = folder.arena("league", "run", folder.league(bots), "--run", "run").succeeded()
    assert "faults" in ended.out
    folder.nothing_runs()
    folder.arena("verify", "run").succeeded()


def test_what_a_bot_has_started_is_ended_too(folder: Folder) -> None:
    bots = folder.own("parent.py") + "\n" + folder.samples("greedy", "cautious", "lowest")
    folder.arena("league", "run", folder.league(bots), "--run", "run").succeeded()
    folder.nothing_runs()


def test_a_bot_that_is_killed_costs_one_incident_and_the_league_is_complete(
    folder: Folder,
) -> None:
    running, run = going(folder, slow_league(folder, 3, boards=16))
    (victim,) = folder.processes("steady")
    os.kill(victim, signal.SIGKILL)
    ended = running.ended().succeeded()
    folder.nothing_runs()
    folder.arena("verify", "run").succeeded()
    assert len(run.of_kind("deal")) == 64
    (event,) = run.of_kind("event")
    assert (event["kind"], event["entrant"], event["incident"]) == ("CRASHED", "steady", 1)
    assert "SIGKILL" in event["detail"]
    faults = [
        (deal["seats"][fault["seat"]], fault["kind"], fault["incident"])
        for deal in run.of_kind("deal")
        for fault in deal.get("faults", [])
    ]
    assert faults
    assert set(faults) == {("steady", "CRASH", 1)}
    table = folder.arena("league", "standings", "run", "--format", "json").succeeded()
    penalties = {row["name"]: row["penalties"] for row in folder.standings(table)}
    assert penalties == {"steady": 1, "greedy": 0, "cautious": 0, "lowest": 0}
    assert "bot 'steady' is started again" in ended.err


def test_incidents_go_on_counting_after_a_resume(folder: Folder) -> None:
    running, run = going(folder, slow_league(folder, 3, boards=24))
    for incident in (1, 2):
        running.until(lambda: bool(folder.processes("steady")), "the bot")
        seen = run.deals_so_far
        running.until(lambda seen=seen: run.deals_so_far > seen, "deals with it")  # type: ignore[misc]
        (victim,) = folder.processes("steady")
        os.kill(victim, signal.SIGKILL)
        crashed = f'"kind":"CRASHED","incident":{incident},'.encode()
        running.until(lambda crashed=crashed: crashed in run.bytes(), "the event")  # type: ignore[misc]
        if incident == 1:
            running.kill()
            running = folder.start("league", "resume", "run")
    folder.pace(0)
    running.ended().succeeded()
    folder.arena("verify", "run").succeeded()
    events = [(event["kind"], event["incident"]) for event in run.of_kind("event")]
    assert events == [("CRASHED", 1), ("CRASHED", 2)]
    assert len(run.of_kind("deal")) == 96


def test_games_to_points_go_on_after_a_sigkill(folder: Folder) -> None:
    points = {"play": "points", "target": 2, "max_deals": 6, "boards": 2}
    file = slow_league(folder, 0, **points)
    folder.arena("league", "run", file, "--run", "whole").succeeded()
    folder.pace(3)
    running, run = going(folder, file)
    running.kill()
    folder.pace(0)
    folder.arena("league", "resume", "run").succeeded()
    folder.arena("verify", "run").succeeded()
    assert run.unmeasured() == folder.run("whole").unmeasured()


# ---------------------------------------------------------------------- one runner, one folder


def test_a_second_runner_in_a_folder_is_refused(folder: Folder) -> None:
    file = slow_league(folder, 3, boards=200)
    running, _ = going(folder, file)
    second = folder.arena("league", "resume", "run")
    assert second.code == 4
    assert "Traceback" not in second.err
    assert running.process.poll() is None
    again = folder.arena("league", "run", file, "--run", "run")
    assert again.code in {2, 4}
    running.signal_group(signal.SIGTERM)
    assert running.ended().code == 143
    folder.arena("verify", "run").succeeded()
