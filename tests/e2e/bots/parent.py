"""Plays, and has a child in a session of its own that would live for an hour."""

from __future__ import annotations

import subprocess
import sys

from arena.bot import Action, View, run


def choose(view: View) -> Action:
    return view.legal_actions[0]


if __name__ == "__main__":
    command = [sys.executable, "-c", "import time; time.sleep(3600)"]
    with subprocess.Popen(command, start_new_session=True):
        run(choose, name="parent", max_in_flight=128)
        sys.exit(0)  # waits for the child, in vain
