"""What a run tells people while it plays: how far it is, and what has happened, in words."""

from __future__ import annotations

from time import monotonic_ns
from typing import TYPE_CHECKING

from arena.league.processes import OUTPUT_ENDS
from arena.league.progress import Progress, Snapshot, TopRow
from arena.league.schedule import Play, boards_per_pass
from arena.league.standings import Standing, leaders
from arena.printable import printable
from arena.referee.values import EventKind

if TYPE_CHECKING:
    from arena.league.config import League
    from arena.league.journal import Journal
    from arena.league.standings_fold import StandingsFold
    from arena.referee.referee import Referee
    from arena.referee.values import Event

DETAIL_SHOWN = 160
"""Characters of an event's detail that are told; all of it is in the record."""


class Telling:
    """Tells the progress of one run."""

    def __init__(
        self, league: League, referee: Referee, progress: Progress, *, deals_before: int
    ) -> None:
        self.say = progress.say
        self._league = league
        self._referee = referee
        self._progress = progress
        self._before = deals_before
        self._started_ns = monotonic_ns()
        names = [bot.name for bot in league.bots]
        per_pass = boards_per_pass(league.play, names, league.field)
        self._legs_total = league.passes * per_pass * league.play.legs

    def tell(self, journal: Journal | None, *, is_stopping: bool) -> None:
        """Tell the events that have reached the disk, and how far the run is."""
        if journal and not self._referee.stopped:
            for event in journal.take_news():
                self.say(event_words(event))
        fold = journal.fold if journal else None
        now = monotonic_ns()
        if not self._referee.is_open:
            self._started_ns = now
        done = self._before + (journal.deals if journal else 0)
        self._progress.update(
            Snapshot(
                name=self._league.name,
                deals_done=done,
                deals_total=max(self._deals_total(fold), done),
                deals_before=self._before,
                elapsed_ms=(now - self._started_ns) // 1_000_000,
                faults=journal.faults if journal else 0,
                top=tuple(
                    TopRow(row.name, row.score, _half_width(row))
                    for row in (leaders(fold) if fold and fold.boards else ())
                    if row.score is not None
                ),
                state="stopping" if is_stopping else self._who_is_away(),
            )
        )

    def _who_is_away(self) -> str:
        """Return whom the run waits for and whom it plays without, "" when all are here."""
        away = [session for session in self._referee.sessions if not session.stream]
        waiting = [session.name for session in away if not session.is_played_safe]
        without = [session.name for session in away if session.is_absent]
        parts = [f"waiting for {', '.join(waiting)}"] if waiting else []
        parts += [f"without {', '.join(without)}"] if without else []
        return "; ".join(parts)

    def _deals_total(self, fold: StandingsFold | None) -> int:
        """Return all deals of the league; of games to points, by the mean length so far."""
        if self._league.play is not Play.POINTS:
            return self._legs_total
        if not fold or not fold.boards:
            return self._legs_total * self._league.target
        return self._legs_total * fold.counted_deals // (fold.boards * self._league.play.legs)


def event_words(event: Event) -> str:
    """Return an event as a sentence for people."""
    name = f"bot {event.entrant!r}"
    # What a bot has printed is in its log; here the reason is enough.
    detail = printable(event.detail.partition(OUTPUT_ENDS)[0])[:DETAIL_SHOWN]
    match event.kind:
        case EventKind.CRASHED:
            return f"{name} crashed (incident {event.incident}): {detail}"
        case EventKind.DISCONNECTED:
            return (
                f"{name} was away (incident {event.incident}): {detail};"
                " until it is back it is played by safe actions"
            )
        case EventKind.BENCHED:
            return f"{name} is benched, and played by safe actions from now on: {detail}"
        case _:
            return f"{name}: {event.kind.value.lower()} (incident {event.incident}): {detail}"


def _half_width(row: Standing) -> float | None:
    return (row.interval.high - row.interval.low) / 2 if row.interval else None
