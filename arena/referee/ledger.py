"""What is written down: deals, events, and the counts that lead to a bench."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.referee.values import (
    DETAIL_LENGTH,
    DealResult,
    Event,
    EventKind,
    FaultKind,
    History,
    Policy,
)

if TYPE_CHECKING:
    from arena.referee.session import Session

_EVENT_OF_FAULT = {
    FaultKind.CRASH: EventKind.CRASHED,
    FaultKind.DISCONNECT: EventKind.DISCONNECTED,
}
_ROUNDING = 1e-9
"""29 of 100 deals are not more than a share of 0.29, though 0.29 * 100 is below 29."""


class Ledger:
    """Collects deals and events in the order in which they are to be recorded."""

    def __init__(self, policy: Policy, history: History) -> None:
        self.policy = policy
        self.incidents = history.incidents
        """The number of the last incident."""
        self.highest_board = history.highest_board
        """The highest board begun."""
        self.journal: list[DealResult | Event] = []
        """What has happened since the shell took it last."""

    def open_incident(self, session: Session, kind: FaultKind, detail: str) -> int:
        """Write down a crash or a disconnect and return the number of its incident."""
        self.incidents += 1
        session.incident = self.incidents
        session.incident_kind = kind
        session.incident_detail = detail[:DETAIL_LENGTH]
        self._event(_EVENT_OF_FAULT[kind], session, detail, self.incidents)
        if kind is FaultKind.CRASH:
            session.crashes += 1
            if session.crashes > self.policy.crashes:
                self.bench(session, f"crashed {session.crashes} times")
        return self.incidents

    def close_violations(self, session: Session) -> None:
        """Write down a stream's protocol violations, as one incident."""
        if session.violations:
            self.incidents += 1
            detail = f"{session.violations} messages against the protocol on one stream"
            self._event(EventKind.PROTOCOL, session, detail, self.incidents)
            session.violations = 0

    def bench(self, session: Session, detail: str) -> None:
        """Bench an entrant; it acts at the start of legs."""
        if session.is_benched:
            return
        session.is_benched = True
        self.journal.append(
            Event(
                EventKind.BENCHED,
                entrant=session.name,
                detail=detail,
                board=self.highest_board,
                crashes=session.crashes,
                deals=session.deals,
                faulty=session.faulty,
            )
        )

    def count_deal(self, result: DealResult, sessions: list[Session]) -> list[Session]:
        """Count a finished deal for its entrants and return those whom it benched."""
        benched = []
        for session in dict.fromkeys(sessions):
            if session.is_benched:
                continue
            session.deals += 1
            self._count_faults(result, sessions, session)
            policy = self.policy
            many = session.faulty > policy.share * session.deals + _ROUNDING
            if many and session.deals >= policy.after:
                share = f"{session.faulty} of {session.deals} deals with a fault"
                self.bench(session, share)
                benched.append(session)
        return benched

    def _count_faults(self, result: DealResult, sessions: list[Session], session: Session) -> None:
        """Count a deal with a fault once, and an incident with the first deal that it hits."""
        # 0 stands for the faults of this deal that belong to no incident.
        incidents = {f.incident for f in result.faults if sessions[f.seat] is session}
        if incidents - session.charged_incidents:
            session.faulty += 1
            session.charged_incidents |= incidents - {0}

    def _event(self, kind: EventKind, session: Session, detail: str, incident: int) -> None:
        self.journal.append(
            Event(kind, entrant=session.name, detail=detail[:DETAIL_LENGTH], incident=incident)
        )
