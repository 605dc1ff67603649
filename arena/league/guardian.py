"""Kills what is left of bots when their runner has gone without a word.

    python -I -S guardian.py < PIPE

A runner that is killed with -9 takes along the bots it has spawned, since they die with their
parent, but not what those have spawned in turn. So each runner has a guardian: it reads from a
pipe which processes are bots', and when the pipe closes it kills them and all that came of them.

    + PID STARTED MARK      a bot, or a stray that the runner has found (MARK is then `-`)
    - PID                   it is gone, with all that came of it

Executed as a file and without site-packages, so that it is light; the runner imports it for the
same search. Linux only; elsewhere process groups are killed, and no more.
"""

import contextlib
import os
import signal
import sys
import time
from typing import NamedTuple

MARK = "ARENA_PROCESS"
"""The variable by which a bot's descendants are known; it differs for every spawn."""
ROUNDS = 200
PAUSE_S = 0.02
HAS_PROC = os.path.isdir("/proc/self/task")  # noqa: PTH112 - pathlib is not light


class Entry(NamedTuple):
    """A process, as /proc shows it."""

    parent: int
    group: int
    session: int
    state: str
    """`Z` is a zombie."""
    started: int
    """In ticks since the boot; with the process id it names a process for good."""


def read_entry(pid: int) -> Entry | None:
    """Return a process, or nothing when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            text = file.read()
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()  # the name before it may hold anything
    return Entry(
        int(fields[1]), int(fields[2]), int(fields[3]), fields[0].decode(), int(fields[19])
    )


def read_entries() -> dict[int, Entry]:
    """Return all processes there are, by process id."""
    entries = {}
    for name in os.listdir("/proc") if HAS_PROC else ():  # noqa: PTH208
        if name.isdigit():
            entry = read_entry(int(name))
            if entry is not None:
                entries[int(name)] = entry
    return entries


def read_mark(pid: int) -> str:
    """Return the mark in a process's environment, or nothing."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123
            for pair in file.read().split(b"\0"):
                if pair.startswith(MARK.encode() + b"="):
                    return pair[len(MARK) + 1 :].decode(errors="replace")
    except OSError:
        pass  # gone, or another user's
    return ""


class Root(NamedTuple):
    """A process whose whole offspring is to be found."""

    pid: int
    started: int
    mark: str


def offspring(roots: list[Root]) -> set[int]:
    """Return the living processes that came of some, those included.

    They are known by session, by group, by mark or by parent.
    """
    entries = read_entries()
    leaders = {}
    for root in roots:
        entry = entries.get(root.pid)
        if entry is None or entry.started == root.started:  # else the number was used again
            leaders[root.pid] = root.started
    marks = {root.mark for root in roots if root.mark != "-"}
    found = set()
    for pid, entry in entries.items():
        oldest = leaders.get(entry.session, leaders.get(entry.group))
        by_leader = oldest is not None and entry.started >= oldest
        if pid in leaders or by_leader or (marks and read_mark(pid) in marks):
            found.add(pid)
    more = True
    while more:
        children = {pid for pid, entry in entries.items() if entry.parent in found} - found
        found |= children
        more = bool(children)
    return {pid for pid in found if entries[pid].state != "Z"} - {os.getpid()}


def kill_offspring(roots: list[Root]) -> set[int]:
    """Kill what came of some processes, once, and return what was still alive."""
    if not HAS_PROC:
        for root in roots:
            with contextlib.suppress(OSError):
                os.killpg(root.pid, signal.SIGKILL)
        return set()
    found = offspring(roots) if roots else set()
    for pid in found:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    return found


def main() -> None:
    """Read until the runner is gone, then kill."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    roots: dict[int, Root] = {}
    for line in sys.stdin:
        sign, pid, *rest = line.split()
        if sign == "+":
            started, mark = rest
            roots[int(pid)] = Root(int(pid), int(started), mark)
        else:
            roots.pop(int(pid), None)
    for _ in range(ROUNDS):
        if not kill_offspring(list(roots.values())):
            return
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    main()
