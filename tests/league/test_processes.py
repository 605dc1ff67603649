"""Bots end when they are told to, when they crash, and when their runner goes, with their tree."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ConfigError, MachineError
from arena.league import guardian, processes
from arena.league.output import DETAIL_CHARACTERS, TAIL_BYTES
from arena.league.processes import Exit, Launch, Process, Supervisor, bot_environment
from arena.printable import printable

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 20.0

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(sys.platform != "linux", reason="the full tree is found on Linux"),
]


def launch(code: str, folder: Path, *arguments: str, **env: str) -> Launch:
    argv = [sys.executable, "-I", "-S", "-c", textwrap.dedent(code), *arguments]
    given = bot_environment(env.items(), address="127.0.0.1:1", token="t" * 64)
    return Launch("bot", argv, str(folder), given)


def play(work: Callable[[Supervisor], Coroutine[Any, Any, None]], **options: int) -> None:
    async def main() -> None:
        async with asyncio.timeout(LIMIT_S), Supervisor(**options) as supervisor:
            await work(supervisor)

    asyncio.run(main())


def is_alive(pid: int) -> bool:
    entry = guardian.read_entry(pid)
    return entry is not None and entry.state != "Z"


def until(condition: Callable[[], bool]) -> None:
    """Wait for another process: there is no event to wait on."""
    end = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < end, "it did not come about in time"
        threading.Event().wait(0.01)


async def until_async(condition: Callable[[], bool]) -> None:
    await asyncio.to_thread(until, condition)


def number_in(file: Path) -> int:
    until(lambda: file.is_file() and file.read_text().endswith("\n"))
    return int(file.read_text())


SLEEPER = "import time\nprint('ready', flush=True)\ntime.sleep(600)"

# Leaves a process in a session of its own, without a parent or its environment, which ignores
# polite signals, and writes down its number.
DAEMON = """
    import os, signal, sys, time
    cleared, file = sys.argv[1:3]
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            program = (
                "import os,sys,time\\n"
                "open(sys.argv[1] + '.new', 'w').write(str(os.getpid()) + '\\\\n')\\n"
                "os.rename(sys.argv[1] + '.new', sys.argv[1])\\n"
                "time.sleep(600)"
            )
            env = {} if cleared == "cleared" else os.environ
            os.execve(sys.executable, [sys.executable, "-I", "-S", "-c", program, file], env)
        os._exit(0)
    os.wait()
    time.sleep(600)
"""


class TestExit:
    @pytest.mark.parametrize(
        "code, detail",
        [
            ("pass", "exit code 0"),
            ("raise SystemExit(3)", "exit code 3"),
            (
                "raise SystemExit('no cards\\nno game')",
                "exit code 1; its output ends: no cards | no game",
            ),
            ("import os; os.kill(os.getpid(), 11)", "killed by SIGSEGV"),
            (
                "import os, sys; print('half', flush=True); os.kill(os.getpid(), 9)",
                "killed by SIGKILL; its output ends: half",
            ),
        ],
    )
    def test_an_exit_says_how_and_what_was_printed_last(
        self, code: str, detail: str, tmp_path: Path
    ) -> None:
        seen: list[str] = []

        def note(process: Process) -> None:
            assert process.exit is not None
            seen.append(process.exit.detail)

        async def work(supervisor: Supervisor) -> None:
            process = supervisor.start(launch(code, tmp_path), tmp_path / "log", note)
            await process.wait()
            assert not process.was_stopped
            assert supervisor.running == ()

        play(work)
        assert seen == [detail]

    def test_a_program_that_cannot_be_executed_says_so(self, tmp_path: Path) -> None:
        program = tmp_path / "bot"
        program.write_text("#!/no/such/interpreter\n")
        program.chmod(0o755)

        async def work(supervisor: Supervisor) -> None:
            bot = Launch("bot", [str(program)], str(tmp_path), {})
            ended = await supervisor.start(bot, tmp_path / "log").wait()
            assert ended.code == 127
            assert ended.tail == f"arena: cannot run {program}: No such file or directory"

        play(work)

    def test_a_folder_that_is_gone_is_an_error_of_the_configuration(self, tmp_path: Path) -> None:
        async def work(supervisor: Supervisor) -> None:
            with pytest.raises(ConfigError, match=r"bot 'bot' cannot start: .* is no folder"):
                supervisor.start(launch("pass", tmp_path / "gone"), tmp_path / "log")

        play(work)

    def test_a_log_that_is_a_link_is_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "log").symlink_to(tmp_path / "elsewhere")

        async def work(supervisor: Supervisor) -> None:
            with pytest.raises(MachineError, match="log"):
                supervisor.start(launch(SLEEPER, tmp_path), tmp_path / "log")
            assert supervisor.running == ()

        play(work)
        assert not (tmp_path / "elsewhere").exists()

    def test_the_tail_fits_a_record_and_obeys_no_terminal(self) -> None:
        assert printable("a\tb\r\n\x1b[1;31mred\x1b[0m\x1b]0;title\x07\n\n\u202ex") == (
            "a b | red\\x1b]0;title\\x07 | \\u202ex"
        )
        assert len(Exit(1, None, "x" * DETAIL_CHARACTERS).detail) <= 500


class TestStop:
    def test_a_polite_bot_may_say_farewell(self, tmp_path: Path) -> None:
        code = """
            import signal, sys
            signal.signal(signal.SIGTERM, lambda *_: sys.exit("farewell"))
            print("ready", flush=True)
            signal.pause()
        """

        async def work(supervisor: Supervisor) -> None:
            process = supervisor.start(launch(code, tmp_path), tmp_path / "log")
            await until_async(lambda: "ready" in (tmp_path / "log").read_text())
            await supervisor.stop(process, grace_ms=10_000)
            assert process.exit == Exit(1, None, "ready | farewell")
            assert process.was_stopped

        play(work)

    def test_a_stubborn_bot_is_killed_after_the_grace(self, tmp_path: Path) -> None:
        code = """
            import signal
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            print("ready", flush=True)
            while True: signal.pause()
        """

        async def work(supervisor: Supervisor) -> None:
            process = supervisor.start(launch(code, tmp_path), tmp_path / "log")
            await until_async(lambda: "ready" in (tmp_path / "log").read_text())
            await supervisor.stop(process, grace_ms=50)
            assert process.exit is not None
            assert process.exit.signal == signal.SIGKILL

        play(work)

    @pytest.mark.parametrize("way", ["kept", "cleared"])
    @pytest.mark.parametrize("end", ["leave", "kill_now"])
    def test_a_daemon_of_a_bot_is_gone_too(self, way: str, end: str, tmp_path: Path) -> None:
        found: list[int] = []

        async def work(supervisor: Supervisor) -> None:
            supervisor.start(launch(DAEMON, tmp_path, way, "pid"), tmp_path / "log")
            found.append(await asyncio.to_thread(number_in, tmp_path / "pid"))
            assert is_alive(found[0])
            if end == "kill_now":
                supervisor.kill_now()

        play(work)
        assert guardian.read_entry(found[0]) is None, "it is alive or was not reaped"

    def test_a_daemon_goes_with_the_crash_of_its_bot(self, tmp_path: Path) -> None:
        async def work(supervisor: Supervisor) -> None:
            process = supervisor.start(launch(DAEMON, tmp_path, "kept", "pid"), tmp_path / "log")
            other = supervisor.start(launch(SLEEPER, tmp_path), tmp_path / "other.log")
            daemon = await asyncio.to_thread(number_in, tmp_path / "pid")
            os.kill(process.pid, signal.SIGKILL)
            await process.wait()
            assert not is_alive(daemon)
            assert is_alive(other.pid)

        play(work)

    def test_nobody_elses_child_is_touched(self, tmp_path: Path) -> None:
        stranger = subprocess.Popen([sys.executable, "-c", SLEEPER], start_new_session=True)
        try:

            async def work(supervisor: Supervisor) -> None:
                await supervisor.start(launch("pass", tmp_path), tmp_path / "log").wait()

            play(work)
            assert stranger.poll() is None
        finally:
            stranger.kill()
            stranger.wait()

    def test_many_bots_come_and_go_without_zombies(self, tmp_path: Path) -> None:
        pids: list[int] = []

        async def work(supervisor: Supervisor) -> None:
            for number in range(40):
                process = supervisor.start(launch(SLEEPER, tmp_path), tmp_path / f"{number}.log")
                pids.append(process.pid)
            await supervisor.stop_all(grace_ms=5000)
            assert supervisor.running == ()

        play(work)
        assert [pid for pid in pids if guardian.read_entry(pid)] == []

    def test_a_supervisor_belongs_to_the_main_thread(self) -> None:
        async def enter() -> None:
            async with Supervisor():
                pass

        def elsewhere() -> None:
            with pytest.raises(RuntimeError, match="main thread"):
                asyncio.run(enter())

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()


RUNNER = """
    import asyncio, sys
    from pathlib import Path
    from arena.league.processes import Launch, Supervisor, bot_environment
    async def main():
        async with Supervisor() as supervisor:
            env = bot_environment((), address="a", token="t")
            folder, *argv = sys.argv[1:]
            process = supervisor.start(Launch("bot", argv, folder, env), Path(folder, "log"))
            print(process.pid, flush=True)
            await process.wait()
    asyncio.run(main())
"""


class TestRunnerKilled:
    def run(self, folder: Path, *words: str) -> subprocess.Popen[str]:
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        runner = [sys.executable, "-c", textwrap.dedent(RUNNER), str(folder)]
        python = [sys.executable, "-I", "-S", "-c"]
        return subprocess.Popen(
            [*runner, *python, *words], stdout=subprocess.PIPE, text=True, env=env
        )

    def test_a_bot_dies_with_its_runner(self, tmp_path: Path) -> None:
        with self.run(tmp_path, SLEEPER) as runner:
            assert runner.stdout is not None
            bot = int(runner.stdout.readline())
            until(lambda: "ready" in (tmp_path / "log").read_text())
            assert is_alive(bot)
            runner.kill()
        until(lambda: not is_alive(bot))

    def test_a_daemon_of_a_bot_dies_with_the_runner(self, tmp_path: Path) -> None:
        with self.run(tmp_path, textwrap.dedent(DAEMON), "kept", "pid") as runner:
            daemon = number_in(tmp_path / "pid")
            assert is_alive(daemon)
            runner.kill()
        until(lambda: not is_alive(daemon))

    def test_a_daemon_that_hides_dies_with_the_runner_once_it_was_seen(
        self, tmp_path: Path
    ) -> None:
        with self.run(tmp_path, textwrap.dedent(DAEMON), "cleared", "pid") as runner:
            daemon = number_in(tmp_path / "pid")
            entry = guardian.read_entry(daemon)
            assert entry is not None
            assert entry.parent == runner.pid, "the runner did not adopt it"
            threading.Event().wait(2 * processes._SWEEP_S)
            runner.kill()
        until(lambda: not is_alive(daemon))

    def test_a_bot_whose_runner_is_gone_already_does_not_start(self, tmp_path: Path) -> None:
        launcher = ROOT / "arena" / "league" / "launcher.py"
        command = [sys.executable, "-I", "-S", str(launcher), "1", "256", "/bin/echo", "started"]
        ended = subprocess.run(command, capture_output=True, check=False)
        assert (ended.returncode, ended.stdout) == (127, b"")


class TestOutput:
    def test_both_streams_go_to_the_log(self, tmp_path: Path) -> None:
        code = "import sys; print('one', flush=True); print('two', file=sys.stderr)"

        async def work(supervisor: Supervisor) -> None:
            process = supervisor.start(launch(code, tmp_path), tmp_path / "log")
            await process.wait()
            assert process.tail == "one | two"

        play(work)
        first, *lines = (tmp_path / "log").read_text().splitlines()
        assert first.startswith("[arena] process ")
        assert lines == ["one", "two"]
        assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600

    def test_a_flood_is_capped_and_its_end_is_kept(self, tmp_path: Path) -> None:
        code = """
            import os
            for _ in range(40): os.write(2, b"x" * 99999 + b"\\n")
            os.write(2, b"the end")
        """

        async def work(supervisor: Supervisor) -> None:
            ended = await supervisor.start(launch(code, tmp_path), tmp_path / "log").wait()
            assert ended.tail.endswith("| the end")
            assert len(ended.tail) == DETAIL_CHARACTERS

        play(work, output_bytes=100_000)
        log = (tmp_path / "log").read_text()
        assert log.count("x") == 99_999
        assert log.endswith("\n[arena] over 100kB: the rest is dropped\n")
        assert TAIL_BYTES < 100_000

    def test_output_of_just_the_limit_is_whole(self, tmp_path: Path) -> None:
        async def work(supervisor: Supervisor) -> None:
            code = "import os; os.write(1, b'y' * 1000)"
            await supervisor.start(launch(code, tmp_path), tmp_path / "log").wait()

        play(work, output_bytes=1000)
        assert (tmp_path / "log").read_text().endswith("\n" + "y" * 1000)


class TestEnvironment:
    def test_a_bot_is_told_what_it_needs_and_nothing_of_the_run(self) -> None:
        inherited = {
            "PATH": "/bin",
            "PWD": "/runs/x",
            "ARENA_LEAGUE_RUN_SEED": "secret",
            "ARENA_TOKEN": "another's",
            "OMP_NUM_THREADS": "8",
            "PYTHONPATH": "lib:/opt",
        }
        own = [("BOLDNESS", "0.3"), ("MKL_NUM_THREADS", "2")]
        env = bot_environment(own, address="127.0.0.1:7", token="abc", inherited=inherited)
        assert {name: env[name] for name in env if name.startswith("ARENA_")} == {
            "ARENA_ADDRESS": "127.0.0.1:7",
            "ARENA_TOKEN": "abc",
        }
        assert "PWD" not in env
        assert (env["OMP_NUM_THREADS"], env["MKL_NUM_THREADS"], env["BOLDNESS"]) == (
            "1",
            "2",
            "0.3",
        )
        assert env["PYTHONPATH"] == f"{Path.cwd() / 'lib'}:/opt"

    def test_a_bot_leads_its_session_within_limits_and_inherits_no_file(
        self, tmp_path: Path
    ) -> None:
        code = """
            import os, resource
            print(*map(resource.getrlimit, (resource.RLIMIT_CORE, resource.RLIMIT_NOFILE)))
            print(os.getsid(0) == os.getpid(), os.listdir("/proc/self/fd"))
        """

        async def work(supervisor: Supervisor) -> None:
            ended = await supervisor.start(launch(code, tmp_path), tmp_path / "log").wait()
            assert ended.tail == "(0, 0) (256, 256) | True ['0', '1', '2', '3']"

        play(work)

    def test_sigpipe_ends_a_bot_as_it_ends_any_program(self, tmp_path: Path) -> None:
        async def work(supervisor: Supervisor) -> None:
            grep = ["/bin/grep", "SigIgn", "/proc/self/status"]
            ended = await supervisor.start(
                Launch("bot", grep, str(tmp_path), {}), tmp_path / "log"
            ).wait()
            ignored = int(ended.tail.split()[-1], 16)
            assert not ignored & 1 << (signal.SIGPIPE - 1)

        play(work)


class TestOpenFiles:
    def test_the_limit_is_raised_as_far_as_it_may_be(self, monkeypatch: pytest.MonkeyPatch) -> None:
        limits = [(100, 1000)]

        def setrlimit(_: int, pair: tuple[int, int]) -> None:
            limits.append(pair)

        monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
        monkeypatch.setattr(resource, "setrlimit", setrlimit)
        processes.raise_nofile(90)
        assert limits == [(100, 1000)]
        processes.raise_nofile(800)
        assert limits[-1] == (800, 1000)
        with pytest.raises(MachineError, match="may open 1000 files, and so many bots need 1001"):
            processes.raise_nofile(1001)

    def test_there_are_at_least_four_for_each_bot(self) -> None:
        assert all(processes.descriptors_needed(bots) >= 4 * bots for bots in (1, 4, 256))


def test_negative_control_a_process_group_alone_misses_a_daemon(tmp_path: Path) -> None:
    """Shows that the daemon of these tests is one that needs more than killpg."""
    bot = subprocess.Popen(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            textwrap.dedent(DAEMON),
            "cleared",
            str(tmp_path / "pid"),
        ],
        start_new_session=True,
    )
    daemon = number_in(tmp_path / "pid")
    os.killpg(bot.pid, signal.SIGKILL)
    bot.wait()
    assert is_alive(daemon)
    os.kill(daemon, signal.SIGKILL)
