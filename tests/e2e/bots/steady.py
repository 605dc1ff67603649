"""Plays as the sample bot `random` does, at a pace that can be set while it plays.

    python steady.py FOLDER     FOLDER/ms holds the milliseconds that each decision takes

The pace is no part of the bot's files or environment, so runs at every pace are the same league.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from arena.bot import Action, View, run


def choose(view: View) -> Action:
    pace_ms = float((Path(sys.argv[1]) / "ms").read_text(encoding="ascii"))
    if pace_ms:
        time.sleep(pace_ms / 1000)
    legal = view.legal_actions
    return legal[(view.random_seed + view.action_count) % len(legal)]


if __name__ == "__main__":
    run(choose, name="steady")
