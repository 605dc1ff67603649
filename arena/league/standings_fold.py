"""The fold from recorded deals to what standings are made of (STATISTICS, Score).

`StandingsFold` takes the deals and events of one record in any order and one at a time, so it
serves a finished record and a league that runs. Its sums are integers: the same deals in
another order give the same standings to the last bit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from arena.errors import RecordError
from arena.league.legs import DoneLegs
from arena.league.record import INCIDENT_EVENTS, Tally, TallyFault
from arena.league.schedule import Play

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.league.record import EventLine, FinishedDeal, Header

UNIT: Final = 72
"""Nets of boards are whole numbers of 1/72 point: 4 or 8 legs x thirds x thirds fit into it."""


@dataclass(slots=True)
class Account:
    """What has been counted of an entrant over complete boards; all numbers are exact."""

    name: str
    digest: str
    version: str
    is_house: bool
    boards: int = 0
    legs: int = 0
    deals: int = 0
    seat_deals: int = 0
    """Deals, counting both seats of a duel."""
    net: int = 0
    """The sum of the boards' nets, in units of 1/72."""
    net_squares: int = 0
    """The sum of their squares, in units of 1/72²."""
    points: int = 0
    declared: int = 0
    made: int = 0
    think_us: int = 0
    slowest_us: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    """Faulty decisions by kind."""
    faulty_deals: int = 0
    """Deals with a fault without incident: each costs a penalty."""
    incidents: Counter[str] = field(default_factory=Counter)
    """Incidents by the kind of their event, whatever boards they hit: each costs a penalty."""
    penalties: int = 0
    """Points of penalty."""
    is_benched: bool = False
    is_withdrawn: bool = False


class _Leg:
    """A finished leg (a deal, or a game in play to points), summed up by seat."""

    __slots__ = ("deals", "declared", "faults", "made", "points", "seats", "slowest", "think")

    def __init__(self, deals: Sequence[Tally]) -> None:
        first = deals[0]
        self.seats = first.seats
        self.deals = len(deals)
        self.points: Sequence[int] = first.points
        self.think: Sequence[int] = first.think_us
        self.slowest: Sequence[int] = first.slowest_us
        self.declared = [0, 0, 0, 0]
        self.made = [0, 0, 0, 0]
        self.faults: list[tuple[int, TallyFault]] = []
        """Each with the place of its deal in the game."""
        if len(deals) > 1:
            self.points = [sum(deal.points[seat] for deal in deals) for seat in range(4)]
            self.think = [sum(deal.think_us[seat] for deal in deals) for seat in range(4)]
            self.slowest = [max(deal.slowest_us[seat] for deal in deals) for seat in range(4)]
        for place, deal in enumerate(deals):
            if deal.declarer >= 0:
                self.declared[deal.declarer] += 1
                self.made[deal.declarer] += deal.points[deal.declarer] > 0
            for fault in deal.faults:
                self.faults.append((place, fault))

    def places(self) -> list[int]:
        """Return opponents beaten less opponents ahead, by seat (STATISTICS, Score)."""
        points = self.points
        return [sum((mine > other) - (mine < other) for other in points) for mine in points]


class StandingsFold:
    """Counts the deals and events of one record, in any order.

    A board counts once all its legs are there; a board that lacks one counts nowhere.
    """

    def __init__(self, header: Header) -> None:
        self.header = header
        self.play = Play(header.play)
        self.accounts = {
            entrant.name: Account(entrant.name, entrant.digest, entrant.version, entrant.house)
            for entrant in header.entrants
        }
        self.boards = 0
        """Complete boards."""
        self.deals = 0
        """All deals seen, those of incomplete boards too."""
        self.counted_deals = 0
        """Deals of complete boards."""
        self.is_finished = False
        """Set by whoever has read the footer."""
        self._waiting: dict[int, dict[int, _Leg]] = {}
        """The finished legs of boards that lack one, by board and leg."""
        self._games: dict[tuple[int, int], list[Tally]] = {}
        """The deals of games to points that have not ended, by board and leg."""
        self._seen = DoneLegs()
        """The legs that have ended."""

    def add_deal(self, deal: Tally) -> None:
        """Count a deal. Raises `RecordError` when it is there twice or has strangers in it."""
        self.deals += 1
        if (deal.board, deal.leg) in self._seen:
            raise RecordError(f"board {deal.board} leg {deal.leg} is recorded twice")
        if self.header.target is None:
            self._add_leg(deal.board, deal.leg, _Leg((deal,)))
            return
        game = self._games.setdefault((deal.board, deal.leg), [])
        game.append(deal)
        if self._has_ended(game):
            game.sort(key=lambda one: one.number)
            del self._games[deal.board, deal.leg]
            self._add_leg(deal.board, deal.leg, _Leg(game))

    def add_result(self, result: FinishedDeal) -> None:
        """Count a deal as the referee hands it over."""
        a, b, c, d = result.seats
        deal = result.deal
        points = deal.points or (0, 0, 0, 0)
        self.add_deal(
            Tally(
                board=result.board,
                leg=result.leg,
                number=result.number,
                seats=(a, b, c, d),
                points=(points[0], points[1], points[2], points[3]),
                think_us=_four(result.think_us),
                slowest_us=_four(result.slowest_us),
                faults=tuple(
                    TallyFault(fault.seat, str(fault.kind), fault.incident)
                    for fault in result.faults
                ),
                declarer=deal.declarer,
            )
        )

    def add_event(self, event: EventLine) -> None:
        """Count an event; those that concern no entrant change nothing."""
        account = self.accounts.get(event.entrant)
        if account is None:
            return
        if event.kind in INCIDENT_EVENTS:
            account.incidents[event.kind] += 1
            account.penalties += self.header.fault_points
        account.is_benched |= event.kind == "BENCHED"
        account.is_withdrawn |= event.kind == "WITHDRAWN"

    def _has_ended(self, game: Sequence[Tally]) -> bool:
        """Return whether the deals of a game, in any order, are all of it."""
        last = max(deal.number for deal in game)
        if last != len(game):
            return False
        best = max(sum(deal.points[seat] for deal in game) for seat in range(4))
        return best >= (self.header.target or 0) or last == self.header.max_deals

    def _add_leg(self, board: int, number: int, leg: _Leg) -> None:
        if any(name not in self.accounts for name in leg.seats):
            raise RecordError(f"board {board} leg {number}: a seat is held by a stranger")
        self._seen.add(board, number)
        waiting = self._waiting.setdefault(board, {})
        waiting[number] = leg
        if len(waiting) == self.play.legs:
            del self._waiting[board]
            self.boards += 1
            self._settle(list(waiting.values()))

    def _settle(self, legs: Sequence[_Leg]) -> None:
        """Count a complete board."""
        for leg in legs:
            self._count(leg)
        for name, net in self._nets(legs).items():
            account = self.accounts[name]
            account.boards += 1
            account.net += net
            account.net_squares += net * net

    def _count(self, leg: _Leg) -> None:
        """Count what is a sum over legs."""
        self.counted_deals += leg.deals
        for name in set(leg.seats):
            account = self.accounts[name]
            account.legs += 1
            account.deals += leg.deals
        for seat, name in enumerate(leg.seats):
            account = self.accounts[name]
            account.seat_deals += leg.deals
            account.points += leg.points[seat]
            account.declared += leg.declared[seat]
            account.made += leg.made[seat]
            account.think_us += leg.think[seat]
            account.slowest_us = max(account.slowest_us, leg.slowest[seat])
        if leg.faults:
            self._count_faults(leg)

    def _count_faults(self, leg: _Leg) -> None:
        faulty = set()
        for place, fault in leg.faults:
            name = leg.seats[fault.seat]
            self.accounts[name].faults[fault.kind] += 1
            if not fault.incident:
                faulty.add((name, place))
        for name, _ in faulty:
            self.accounts[name].faulty_deals += 1
            self.accounts[name].penalties += self.header.fault_points

    def _nets(self, legs: Sequence[_Leg]) -> dict[str, int]:
        """Return each entrant's net of a board, in units of 1/72 (STATISTICS, Score)."""
        if self.play is Play.DUEL:
            return self._duel_nets(legs)
        # A leg's net is own points less the mean of the other three: (4 own - all) / 3.
        is_game = self.play is Play.POINTS
        sums: dict[str, list[int]] = {}
        for leg in legs:
            points = leg.places() if is_game else leg.points
            everybody = sum(points)
            for seat, name in enumerate(leg.seats):
                sums.setdefault(name, []).append(4 * points[seat] - everybody)
        thirds = 9 if is_game else 3
        return {name: sum(nets) * UNIT // (thirds * len(nets)) for name, nets in sums.items()}

    def _duel_nets(self, legs: Sequence[_Leg]) -> dict[str, int]:
        """Return x for A and -x for B, x the difference of their points over both legs / 4."""
        one, other = self.header.names[:2]
        difference = 0
        for leg in legs:
            for seat, name in enumerate(leg.seats):
                difference += leg.points[seat] if name == one else -leg.points[seat]
        x = difference * UNIT // 4
        return {one: x, other: -x}


def _four(values: Sequence[int]) -> tuple[int, int, int, int]:
    a, b, c, d = values
    return a, b, c, d
