"""Plays, ignores SIGTERM and SIGINT, and does not leave when the referee says goodbye."""

from __future__ import annotations

import signal
import time

from arena.bot import Action, View, run


def choose(view: View) -> Action:
    return view.legal_actions[0]


if __name__ == "__main__":
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    run(choose, name="stubborn")
    while True:
        time.sleep(60)
