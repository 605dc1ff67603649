"""Checking that the right deals are there: decks, dealers, seats, order and passes.

With the seed (a finished record has it in its footer) everything is computed again. Without it
an unfinished record is checked as far as it goes: its keys, and that the legs of a board agree.
"""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING

from arena.league import schedule
from arena.league.legs import DoneLegs
from arena.league.schedule import Board, Play
from arena.league.verify_values import DiffersError, expect, require
from arena.rules.cards import hand_to_pbn
from arena.rules.deck import board_start, deal_hands, deck

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.league.record import DealLine, Header

Points = tuple[int, int, int, int]


class Game:
    """The deals of one leg so far; in other plays than points a single one."""

    def __init__(self, header: Header) -> None:
        self.target = header.target
        self.max_deals = header.max_deals
        self.totals = [0, 0, 0, 0]
        self.deals = 0

    def add(self, points: Points) -> bool:
        """Count a deal and return whether it ends the leg."""
        self.deals += 1
        for seat, won in enumerate(points):
            self.totals[seat] += won
        if self.target is None:
            return True
        return max(self.totals) >= self.target or self.deals == self.max_deals


class Cards:
    """The hands and dealers that the key gives."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._place = (0, 0)
        self._hands: tuple[str, ...] = ()
        self._dealer = 0

    def check(self, deal: DealLine) -> None:
        """Raise `DiffersError` when dealer or hands are not those of the seed."""
        if self._place != (deal.board, deal.number):
            self._place = deal.board, deal.number
            cards, first = board_start(self._key, deal.board)
            self._dealer = (first + deal.number - 1) % 4
            if deal.number > 1:
                cards = deck(self._key, deal.board, deal.number)
            self._hands = tuple(map(hand_to_pbn, deal_hands(cards, self._dealer)))
        expect("dealer (from the seed)", self._dealer, deal.dealer)
        expect("hands (from the seed)", self._hands, deal.hands)


class FinishedOrder:
    """Walks through a finished record beside its schedule."""

    def __init__(self, header: Header, key: bytes, stopped: int | None) -> None:
        self.header = header
        whole = _length(header)
        self.boards = whole if stopped is None else max(min(stopped, whole), 0)
        self._stopped = stopped
        self._legs = self._all_legs(key)
        self._cards = Cards(key)
        self._leg = next(self._legs, None)
        self._game = Game(header)
        self._last: tuple[int, int, int] | None = None

    def _all_legs(self, key: bytes) -> Iterator[tuple[int, int, schedule.Seats]]:
        header = self.header
        boards = schedule.boards(header.play, header.names, key, field=header.field)
        for board in islice(boards, self.boards):
            for leg, seats in zip(board.legs, board.seats, strict=True):
                yield board.number, leg, seats

    def take(self, deal: DealLine) -> None:
        """Raise `DiffersError` when a deal is not the next one, or not with these cards."""
        if deal.key == self._last:
            raise DiffersError("order", f"{self._next()}", f"{_named(deal.key)} a second time")
        if self._leg is None:
            raise DiffersError("order", self._next(), _named(deal.key))
        board, leg, seats = self._leg
        if deal.key != (board, leg, self._game.deals + 1):
            raise DiffersError("order", self._next(), _named(deal.key))
        expect("seats (from the schedule)", seats, deal.seats)
        self._cards.check(deal)
        self._last = deal.key

    def count(self, points: Points) -> None:
        """Count the deal that was taken, with the points that the rules give."""
        if self._game.add(points):
            self._leg = next(self._legs, None)
            self._game = Game(self.header)

    def end(self, came: str) -> None:
        """Raise `DiffersError` when deals are missing before the line that came."""
        if self._leg is not None:
            raise DiffersError("order", self._next(), came)

    def _next(self) -> str:
        if self._leg is not None:
            return _named((self._leg[0], self._leg[1], self._game.deals + 1))
        if self._stopped is not None:
            return f"no deal after board {self._stopped}, at which the match was stopped"
        return f"no further deal: all {self.header.passes} passes are complete"


class UnfinishedOrder:
    """Checks the deals of an unfinished record, which stand in the order of completion."""

    def __init__(self, header: Header, key: bytes | None) -> None:
        self.header = header
        self.boards = _length(header)
        self.play = Play(header.play)
        self._cards = Cards(key) if key is not None else None
        self._done = DoneLegs()
        self._games: dict[tuple[int, int], Game] = {}
        self._known: list[Board] = []
        self._schedule: Iterator[Board] | None = None
        if key is not None or self.play in {Play.DUEL, Play.GAUNTLET, Play.PAIRED}:
            names, field = header.names, header.field
            self._schedule = schedule.boards(self.play, names, key or b"", field=field)
        self._first: dict[tuple[int, int], tuple[int, tuple[str, ...]]] = {}
        """Dealer and hands of the first leg seen, by board and number."""
        self._rings: dict[int, schedule.Seats] = {}
        """The seats of the first leg seen, turned back to leg 0, by board."""
        self._game_of_deal = Game(header)
        self._key_of_deal = (0, 0)

    def take(self, deal: DealLine) -> None:
        """Raise `DiffersError` when a deal cannot stand here."""
        place = deal.board, deal.leg
        legs = 4 if self.play is Play.INDEPENDENT else self.play.legs
        require("board", f"1 to {self.boards}", deal.board, holds=deal.board <= self.boards)
        require("leg", f"0 to {legs - 1}", deal.leg, holds=0 <= deal.leg < legs)
        if place in self._done:
            raise DiffersError("order", "each deal once", f"{_named(deal.key)} a second time")
        game = self._games.pop(place, None) or Game(self.header)
        expect("number", game.deals + 1, deal.number)
        self._game_of_deal, self._key_of_deal = game, place
        if self._schedule is not None:
            self._check_seats(deal, self._schedule)
        else:
            self._check_ring(deal)
        if self._cards is not None:
            self._cards.check(deal)
        else:
            self._check_agreement(deal)

    def count(self, points: Points) -> None:
        """Count the deal that was taken, with the points that the rules give."""
        if self._game_of_deal.add(points):
            self._done.add(*self._key_of_deal)
        else:
            self._games[self._key_of_deal] = self._game_of_deal

    def end(self, _came: str) -> None:
        """Find nothing: deals may be missing."""

    def _check_seats(self, deal: DealLine, boards: Iterator[Board]) -> None:
        while len(self._known) < deal.board:
            self._known.append(next(boards))
        board = self._known[deal.board - 1]
        legs = " or ".join(map(str, board.legs))
        require("leg (from the schedule)", legs, deal.leg, holds=deal.leg in board.legs)
        seats = board.seats[board.legs.index(deal.leg)]
        expect("seats (from the schedule)", seats, deal.seats)

    def _check_ring(self, deal: DealLine) -> None:
        """Check that the entrants move round from leg to leg."""
        four = len(set(deal.seats)) == 4 and all(name in self.header.names for name in deal.seats)
        require("seats", "four entrants of the header", deal.seats, holds=four)
        a, b, c, d = (deal.seats[(place + deal.leg) % 4] for place in range(4))
        ring = self._rings.setdefault(deal.board, (a, b, c, d))
        a, b, c, d = (ring[(seat - deal.leg) % 4] for seat in range(4))
        expect("seats (moved round from the other legs)", (a, b, c, d), deal.seats)

    def _check_agreement(self, deal: DealLine) -> None:
        """Check that all legs of a board have the same cards."""
        mine = deal.dealer, deal.hands
        dealer, hands = self._first.setdefault((deal.board, deal.number), mine)
        expect("dealer (as in the other legs)", dealer, deal.dealer)
        expect("hands (as in the other legs)", hands, deal.hands)
        if deal.number > 1 and (deal.board, 1) in self._first:
            expected = (self._first[deal.board, 1][0] + deal.number - 1) % 4
            expect("dealer (passing to the left)", expected, deal.dealer)


def _length(header: Header) -> int:
    """Return the boards of a whole league, as many as can be counted."""
    boards = header.passes * schedule.boards_per_pass(header.play, header.names, header.field)
    return min(boards, sys.maxsize)


def _named(key: tuple[int, int, int]) -> str:
    board, leg, number = key
    return f"board {board} leg {leg} deal {number}"
