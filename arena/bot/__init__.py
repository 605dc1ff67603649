"""The front door for bots: `run(choose)` and everything that `choose` meets.

A bot is a function that is given a `View` and returns one of its legal actions:

    from arena.bot import Action, View, run


    def choose(view: View) -> Action:
        return view.legal_actions[0]


    if __name__ == "__main__":
        run(choose)

`run` connects to the referee named by the environment, answers its questions at any number of
tables, and returns when the run is over.
"""

from __future__ import annotations

from arena.bot.entry import run
from arena.bot.events import Notice, NoticeKind, TableResult
from arena.bot.view import Table, View
from arena.rules.actions import Action, Contract, Phase, play_of
from arena.rules.cards import Card, Rank, Suit
from arena.rules.ruleset import Ruleset
from arena.rules.view import Call, Trick
from arena.wire.game import FinishedDeal

__all__ = [
    "run",
    "View",
    "Table",
    "Action",
    "Card",
    "Suit",
    "Rank",
    "Contract",
    "Phase",
    "Call",
    "Trick",
    "Ruleset",
    "TableResult",
    "FinishedDeal",
    "Notice",
    "NoticeKind",
    "play_of",
]
