"""The command `arena` in real processes, and what can be seen of a run from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
BOTS = Path(__file__).parent / "bots"
ARENA = (sys.executable, "-c", "from arena.cli.main import main; main()")
PATIENCE_S = 60.0
"""After this what a test waits for does not come."""
MARK = "E2E_RUN"
"""The variable that marks the processes of a test's bots, and all that comes of them."""
ENTRANT = "E2E_ENTRANT"
SAMPLES = ("greedy", "cautious", "random", "lowest")
SEED = "00112233445566778899aabbccddeeff" * 2


def environment() -> dict[str, str]:
    """Return an environment in which nothing of the caller's decides how `arena` prints."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("ARENA_")}
    return {**kept, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "120"}


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    def succeeded(self) -> Ended:
        """Return the command when its exit code is 0."""
        assert self.code == 0, self.err
        return self


class Folder:
    """A test's folder, in which commands run and league files lie."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._running: list[Running] = []

    def arena(self, *words: str) -> Ended:
        """Run a command to its end."""
        return self.start(*words).ended()

    def start(self, *words: str) -> Running:
        """Start a command in a session of its own."""
        running = Running(self.path, words)
        self._running.append(running)
        return running

    def league(self, bots: str, **settings: object) -> str:
        """Write a league file and return its name; settings are keys of `[league]`."""
        own = {"name": "e2e", "seed": "e2e", "boards": 4, **settings}
        text = f"[league]\n{_toml(own)}\n{bots}\n"
        (self.path / "league.toml").write_text(text, encoding="utf-8")
        return "league.toml"

    def samples(self, *names: str) -> str:
        """Return the tables of sample bots."""
        return "\n".join(self.table(name, f'bot = "{name}"') for name in names or SAMPLES)

    def own(self, file: str, *arguments: str) -> str:
        """Return the table of a bot of these tests."""
        command = json.dumps(["python", str(BOTS / file), *arguments])
        return self.table(Path(file).stem, f"command = {command}")

    def table(self, name: str, source: str) -> str:
        """Return the table of a bot, its processes marked as this folder's and the bot's."""
        env = f'{MARK} = "{self.path}"\n{ENTRANT} = "{name}"'
        return f'[[bot]]\nname = "{name}"\n{source}\n[bot.env]\n{env}'

    def pace(self, milliseconds: float) -> str:
        """Set the pace of steady bots and return the folder that says it."""
        path = self.path / "pace" / "ms"
        path.parent.mkdir(exist_ok=True)
        beside = path.with_suffix(".new")
        beside.write_text(str(milliseconds), encoding="ascii")
        beside.replace(path)
        return str(path.parent)

    def run(self, name: str = "run") -> Run:
        """Return the folder of a run."""
        return Run(self.path / name)

    def standings(self, table: Ended) -> list[dict[str, Any]]:
        """Return the rows of standings printed as JSON."""
        rows: list[dict[str, Any]] = json.loads(table.out)["standings"]
        return rows

    def processes(self, entrant: str = "") -> list[int]:
        """Return the processes of this folder's bots, or of one entrant's."""
        wanted = f"{MARK}={self.path}".encode()
        named = f"{ENTRANT}={entrant}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            with suppress(OSError):
                variables = (entry / "environ").read_bytes().split(b"\0")
                if wanted in variables and (not entrant or named in variables):
                    found.append(int(entry.name))
        return found

    def nothing_runs(self, within_s: float = 0.0) -> None:
        """Fail if a bot, or what came of one, still runs after a while."""
        wait_until(lambda: not self.processes(), "bots to be gone", within_s)

    def end_all(self) -> None:
        """End what a failed test has left running."""
        for running in self._running:
            running.kill()
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


class Running:
    """A command that runs."""

    def __init__(self, path: Path, words: tuple[str, ...]) -> None:
        count = len(list(path.glob("*.out")))
        self._out, self._err = path / f"{count}.out", path / f"{count}.err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [*ARENA, *words],
                cwd=path,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    @property
    def err(self) -> str:
        """What it has said on stderr so far."""
        return self._err.read_text(encoding="utf-8")

    def ended(self) -> Ended:
        """Wait for its end."""
        code = self.process.wait(PATIENCE_S)
        return Ended(code, self._out.read_text(encoding="utf-8"), self.err)

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to its process group, as a terminal does."""
        os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """End it with SIGKILL: it alone, nothing that it has started."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until a condition holds while the command runs."""

        def holds() -> bool:
            if condition():
                return True
            assert self.process.poll() is None, f"ended before {what}:\n{self.err}"
            return False

        wait_until(holds, what, PATIENCE_S)


class Run:
    """The folder of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record = path / "deals.jsonl"

    def __str__(self) -> str:
        return str(self.path)

    def bytes(self) -> bytes:
        """Return the record as it is, empty while there is none."""
        return self.record.read_bytes() if self.record.exists() else b""

    @property
    def deals_so_far(self) -> int:
        """The deals that have reached the file."""
        return self.bytes().count(b'\n{"deal":')

    def lines(self) -> list[dict[str, Any]]:
        """Return the lines of the record."""
        return [json.loads(line) for line in self.bytes().splitlines()]

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        """Return the header, deals, events or footer."""
        return [line[kind] for line in self.lines() if kind in line]

    @property
    def header(self) -> dict[str, Any]:
        """The header."""
        (header,) = self.of_kind("header")
        return header

    def unmeasured(self) -> list[str]:
        """Return the lines as they are written, without what is measured or computed over it."""
        lines = []
        for line in self.lines():
            del line["crc32"]
            for key in ("think_us", "slowest_us"):
                line.get("deal", {}).pop(key, None)
            for key in ("lag_p99_us", "sha256"):
                line.get("footer", {}).pop(key, None)
            lines.append(json.dumps(line, separators=(",", ":"), ensure_ascii=False))
        return lines


def wait_until(condition: Callable[[], bool], what: str, within_s: float) -> None:
    """Wait until a condition holds; fail when it does not in time."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, f"waited {within_s} s for {what}"
        time.sleep(0.01)


def _toml(values: dict[str, object]) -> str:
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in values.items())
