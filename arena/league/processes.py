"""The processes of bots: started, watched, drained, and killed with all that came of them.

A bot is spawned from the main thread through `launcher.py`, in a session of its own, and dies with
the runner. What it has spawned in turn is found by session, group, a mark in its environment or
its parent; what has cut all these ties is adopted by the runner, which is a child subreaper. The
guardian does the same when the runner itself is killed. Linux has all of it; elsewhere process
groups are killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from arena.errors import ConfigError, MachineError
from arena.league import guardian
from arena.league.guardian import Root, kill_offspring, read_entry
from arena.league.output import Output

OPEN_FILES: Final = 256
"""That a bot may have (SANDBOX)."""
ONE_THREAD: Final = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
    "JULIA_NUM_THREADS",
    "GOMAXPROCS",
)
"""Variables that are 1 for bots, so that a neighbour's thread pool does not decide a clock."""
GRACE_MS: Final = 2000
"""Between SIGTERM and SIGKILL, unless said otherwise."""
_HERE: Final = Path(__file__).parent
_SWEEP_S: Final = 1.0
_POLL_S: Final = 0.05
_LIGHT_PYTHON: Final = ("-I", "-S")
PR_SET_CHILD_SUBREAPER: Final = 36


@dataclass(frozen=True, slots=True)
class Launch:
    """What is needed to start a bot."""

    name: str
    argv: Sequence[str]
    """The program, an absolute path, and its arguments."""
    cwd: str
    env: Mapping[str, str]
    """The whole environment; see `bot_environment`."""


OUTPUT_ENDS: Final = "; its output ends: "
"""What stands in an exit's detail between how it ended and what was printed before."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended."""

    code: int | None
    """The exit code, or nothing when a signal ended it."""
    signal: int | None
    tail: str
    """The end of what it printed, on one line, fit to be shown."""

    @property
    def detail(self) -> str:
        """A sentence for people and for the record: `exit code 1; its output ends: ...`."""
        if self.signal is None:
            how = f"exit code {self.code}"
        else:
            known = {int(each): each.name for each in signal.Signals}
            how = f"killed by {known.get(self.signal, f'signal {self.signal}')}"
        return f"{how}{OUTPUT_ENDS}{self.tail}" if self.tail else how


class Process:
    """A bot's process. Made by a `Supervisor`."""

    def __init__(self, launch: Launch, popen: subprocess.Popen[bytes], output: Output) -> None:
        self.name = launch.name
        self.pid = popen.pid
        self.exit: Exit | None = None
        """How it ended; nothing while it runs."""
        self.was_stopped = False
        """Whether the end was asked for."""
        self._popen = popen
        self._output = output
        self._ended = asyncio.Event()

    @property
    def tail(self) -> str:
        """The end of what it has printed so far, on one line, fit to be shown."""
        return self._output.tail

    @property
    def tail_lines(self) -> list[str]:
        """The last whole lines of what it has printed so far, each fit to be shown."""
        return self._output.tail_lines

    async def wait(self) -> Exit:
        """Wait until the process and all that came of it have ended."""
        await self._ended.wait()
        assert self.exit is not None  # noqa: S101 - it is set before the event
        return self.exit

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process's group, if it still runs."""
        if self.exit is None:
            with contextlib.suppress(OSError):
                os.killpg(self.pid, number)


class Supervisor:
    """Starts bots and lets none of them outlive it.

    Use it with `async with`, on the main thread, one at a time. While it is open, children of this
    process in sessions of their own are taken for bots' offspring, unless they were there before.
    """

    def __init__(self, *, output_bytes: int = 1 << 20) -> None:
        self._output_bytes = output_bytes
        self._running: dict[int, tuple[Process, Root]] = {}
        self._adopted: dict[int, Root] = {}
        self._foreign: set[int] = set()
        self._guardian: subprocess.Popen[bytes] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._sweeper: asyncio.Task[None] | None = None
        self._reaped_before = 0

    async def __aenter__(self) -> Self:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("bots die with the thread that starts them: use the main thread")
        self._reaped_before = _subreaper(1)
        self._foreign = _children()
        self._guardian = subprocess.Popen(  # noqa: ASYNC220 - a spawn takes a millisecond
            [sys.executable, *_LIGHT_PYTHON, str(_HERE / "guardian.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            start_new_session=True,
            bufsize=0,
        )
        self._foreign.add(self._guardian.pid)
        self._sweeper = asyncio.create_task(self._sweep_for_ever())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def running(self) -> tuple[Process, ...]:
        """The processes that have not ended."""
        return tuple(process for process, _ in self._running.values())

    def start(
        self,
        launch: Launch,
        log: Path,
        on_exit: Callable[[Process], object] | None = None,
    ) -> Process:
        """Start a bot, its output going to `log`.

        `on_exit` is called on the loop once the process has ended, was reaped and has its `exit`.
        Raises `ConfigError` when its folder is gone, `MachineError` when the machine refuses.
        """
        mark = secrets.token_hex(8)
        reading, writing = _pipe()
        try:
            popen = _spawn(launch, mark, writing)
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        entry = read_entry(popen.pid)
        root = Root(popen.pid, entry.started if entry else 0, mark)
        self._tell_guardian(f"+ {root.pid} {root.started} {root.mark}")
        try:
            output = Output(reading, log, self._output_bytes)
        except OSError as error:
            os.close(reading)
            kill_offspring([root])
            popen.wait()
            self._tell_guardian(f"- {root.pid}")
            raise MachineError(f"{log}: {error.strerror}") from error
        process = Process(launch, popen, output)
        output.note(f"process {process.pid} started")
        self._running[process.pid] = (process, root)
        _watch(process.pid, popen, lambda: self._spawn_task(self._finish(process, root, on_exit)))
        return process

    async def stop(self, process: Process, grace_ms: int = GRACE_MS) -> None:
        """End a process: SIGTERM, and SIGKILL for all that came of it after the grace."""
        await self._stop([process], grace_ms)

    async def stop_all(self, grace_ms: int = GRACE_MS) -> None:
        """End all processes, with one grace for all."""
        await self._stop(self.running, grace_ms)

    def kill_now(self) -> None:
        """Kill all processes at once, without waiting for anything: the second Ctrl-C."""
        for process in self.running:
            process.was_stopped = True
            process.signal(signal.SIGKILL)
        kill_offspring(self._roots())

    async def close(self) -> None:
        """Kill what is left, reap it, and let the guardian go. Calling it again does nothing."""
        if self._sweeper is None:
            return
        self._sweeper.cancel()
        self._sweeper = None
        await self._stop(self.running, 0)
        self._sweep()
        await self._kill(lambda: list(self._adopted.values()))
        self._sweep()
        while self._tasks:
            await asyncio.wait(self._tasks)
        _subreaper(self._reaped_before)
        if self._guardian and self._guardian.stdin:
            self._guardian.stdin.close()
            await asyncio.to_thread(self._guardian.wait)

    async def _stop(self, processes: Iterable[Process], grace_ms: int) -> None:
        processes = list(processes)
        for process in processes:
            process.was_stopped = True
            if grace_ms:
                process.signal(signal.SIGTERM)
        waiting = [asyncio.ensure_future(process.wait()) for process in processes]
        if not waiting:
            return
        _, late = await asyncio.wait(waiting, timeout=grace_ms / 1000)
        if late:
            pids = [process.pid for process in processes]
            await self._kill(lambda: [self._running[p][1] for p in pids if p in self._running])
            await asyncio.wait(waiting)

    async def _finish(
        self, process: Process, root: Root, on_exit: Callable[[Process], object] | None
    ) -> None:
        """Take leave of a process that has ended; its number is free only once this reaps it."""
        await self._kill(lambda: [root])
        process._output.close()  # noqa: SLF001 - the two are one
        code = process._popen.wait()  # noqa: SLF001
        del self._running[process.pid]
        self._tell_guardian(f"- {process.pid}")
        tail = process.tail
        process.exit = Exit(code, None, tail) if code >= 0 else Exit(None, -code, tail)
        process._ended.set()  # noqa: SLF001
        if on_exit:
            on_exit(process)

    async def _kill(self, roots: Callable[[], list[Root]]) -> None:
        """Kill all that came of some processes until nothing of it is alive."""
        for _ in range(guardian.ROUNDS):
            if not await asyncio.to_thread(kill_offspring, roots()):
                return
            await asyncio.sleep(guardian.PAUSE_S)

    def _roots(self) -> list[Root]:
        return [root for _, root in self._running.values()] + list(self._adopted.values())

    def _spawn_task(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _sweep_for_ever(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_S)
            self._sweep()

    def _sweep(self) -> None:
        """Reap adopted children that have ended, and tell the guardian of those that live."""
        children = _children() - self._foreign - self._running.keys()
        for pid in self._adopted.keys() - children:
            self._adopted.pop(pid)
            self._tell_guardian(f"- {pid}")
        for pid in children:
            entry = read_entry(pid)
            if entry is None or entry.session == os.getsid(0):
                continue
            if entry.state == "Z":
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            elif pid not in self._adopted:
                self._adopted[pid] = Root(pid, entry.started, "-")
                self._tell_guardian(f"+ {pid} {entry.started} -")

    def _tell_guardian(self, line: str) -> None:
        if self._guardian and self._guardian.stdin and not self._guardian.stdin.closed:
            with contextlib.suppress(OSError):  # it was killed; bots still die with the runner
                self._guardian.stdin.write(f"{line}\n".encode())


def bot_environment(
    own: Iterable[tuple[str, str]],
    *,
    address: str,
    token: str,
    inherited: Mapping[str, str] = os.environ,
) -> dict[str, str]:
    """Return the environment of a bot: the arena's, less its secrets, and what the bot needs.

    `own` are the variables of the league file; they prevail over what is inherited and over the
    limits of threads. Nothing in it names the run.
    """
    env = {
        name: value
        for name, value in inherited.items()
        if not name.startswith("ARENA_") and name not in {"PWD", "OLDPWD", "_"}
    }
    if env.get("PYTHONPATH"):  # the bot starts in another folder
        parts = env["PYTHONPATH"].split(os.pathsep)
        env["PYTHONPATH"] = os.pathsep.join(str(Path(part).absolute()) for part in parts)
    env |= dict.fromkeys(ONE_THREAD, "1")
    env |= {"PYTHONUNBUFFERED": "1", "GRPC_ENABLE_FORK_SUPPORT": "0"}
    env |= dict(own)
    return env | {"ARENA_ADDRESS": address, "ARENA_TOKEN": token}


def descriptors_needed(bots: int) -> int:
    """Return how many open files a runner of so many bots wants: at least four a bot (GRPC)."""
    return 128 + 6 * bots


def raise_nofile(need: int) -> None:
    """Let this process open at least so many files. Raises `MachineError` when it may not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= need:
        return
    if hard != resource.RLIM_INFINITY and hard < need:
        raise MachineError(
            f"this process may open {hard} files, and so many bots need {need}",
            hint=f"ulimit -Hn {need}, or fewer bots",
        )
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (need, hard))
    except (OSError, ValueError) as error:
        raise MachineError(f"cannot raise the limit of open files to {need}: {error}") from error


def _pipe() -> tuple[int, int]:
    try:
        return os.pipe()
    except OSError as error:
        raise MachineError(f"cannot start a bot: {error.strerror}") from error


def _spawn(launch: Launch, mark: str, output: int) -> subprocess.Popen[bytes]:
    """Start the launcher, which becomes the bot."""
    launcher = [sys.executable, *_LIGHT_PYTHON, str(_HERE / "launcher.py")]
    try:
        return subprocess.Popen(
            [*launcher, str(os.getpid()), str(OPEN_FILES), *launch.argv],
            cwd=launch.cwd,
            env={**launch.env, guardian.MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ConfigError(f"bot {launch.name!r} cannot start: {launch.cwd} is no folder") from error
    except OSError as error:
        raise MachineError(f"bot {launch.name!r} cannot start: {error.strerror}") from error


def _watch(pid: int, popen: subprocess.Popen[bytes], ended: Callable[[], None]) -> None:
    """Call `ended` once, on the running loop, when a child has ended."""
    loop = asyncio.get_running_loop()
    if hasattr(os, "pidfd_open"):
        descriptor = os.pidfd_open(pid)

        def readable() -> None:
            loop.remove_reader(descriptor)
            os.close(descriptor)
            ended()

        loop.add_reader(descriptor, readable)
        return

    def poll() -> None:
        if popen.poll() is None:
            loop.call_later(_POLL_S, poll)
        else:
            ended()

    loop.call_later(_POLL_S, poll)


def _children() -> set[int]:
    """Return the process ids of this process's children, on Linux."""
    found: set[int] = set()
    if guardian.HAS_PROC:
        for path in Path("/proc/self/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found.update(map(int, path.read_text().split()))
    return found


def _subreaper(value: int) -> int:
    """Make this process a child subreaper, or no longer one; return what it was. Linux only."""
    if not guardian.HAS_PROC:
        return 0
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    before = ctypes.c_int(0)
    libc.prctl(PR_SET_CHILD_SUBREAPER + 1, ctypes.byref(before), 0, 0, 0)
    libc.prctl(PR_SET_CHILD_SUBREAPER, value, 0, 0, 0)
    return before.value
