"""Plays what is not legal: always the ace of spades, whoever has it."""

from __future__ import annotations

import sys

from arena.bot import Action, View, run


def choose(view: View) -> Action:
    print("I have every ace", file=sys.stderr)
    return Action.PLAY_SPADES_ACE


if __name__ == "__main__":
    run(choose, name="cheat", max_in_flight=128)
