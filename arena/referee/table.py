"""A table: one leg in play, with what belongs to each of its four seats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.referee.session import StartOut
from arena.rules.deal import Deal
from arena.rules.deck import board_start, bot_seed, deal_hands, deck

if TYPE_CHECKING:
    from arena.referee.session import Session
    from arena.referee.values import BoardPlan, DealResult, Fault, FaultKind, Game, LegPlan

SEATS = 4


class Table:
    """Where boards are played, one at a time, their legs one after another.

    A table asks one seat at a time, so it is also the open decision: `ask_id` and `soft` belong
    to the seat in turn. Mutable with slots, since every decision passes through it.
    """

    __slots__ = (
        "_board_deals",
        "ask_id",
        "autopilot",
        "bank",
        "benched",
        "board",
        "charges",
        "deal",
        "faults",
        "game",
        "game_results",
        "incidents",
        "leg",
        "legs_left",
        "number",
        "scores",
        "seeds",
        "sessions",
        "slowest",
        "soft",
        "start",
        "table_ids",
        "think",
        "timeouts",
        "wire",
    )

    def __init__(self, game: Game) -> None:
        self.game = game
        self.board = 0
        """The number of the board in play."""
        self.legs_left: list[LegPlan] = []
        """Legs of the board still to be played, the next one last."""
        self.leg: LegPlan | None = None
        """The leg in play; `None` between legs."""
        self.sessions: list[Session] = []
        """Who is asked, by seat."""
        self.table_ids = [0, 0, 0, 0]
        """What the table is called on the wire, by seat; fresh for each leg."""
        self.start = StartOut(())
        """The start of the leg in play, as its seats were told."""
        self.benched = [False, False, False, False]
        """Seats whose entrant was benched when the leg began."""
        self.number = 1
        """The number of the deal in a game to points; 1 elsewhere."""
        self.scores = [0, 0, 0, 0]
        """Scores before this deal, by seat."""
        self.game_results: list[DealResult] = []
        """Deals of the game in play; they are written down together."""
        self.deal: Deal
        self.seeds = [0, 0, 0, 0]
        """Bot seeds, by seat."""
        self.ask_id = 0
        """The id of the open decision; 0 when it has not been sent."""
        self.soft = 0
        """When the open decision begins to draw on the bank, in ns; 0: its clock stands."""
        self.bank = [0, 0, 0, 0]
        """Bank left in this deal, by seat, in ns."""
        self.think = [0, 0, 0, 0]
        self.slowest = [0, 0, 0, 0]
        self.timeouts = [0, 0, 0, 0]
        self.autopilot = [False, False, False, False]
        """Seats that are played by safe actions to the end of the deal."""
        self.charges: list[tuple[FaultKind, int, str] | None] = [None, None, None, None]
        """A fault to be charged at a seat's next real choice: kind, incident, detail."""
        self.incidents = [0, 0, 0, 0]
        """The incident that was last charged in this leg, by seat."""
        self.faults: list[Fault] = []
        self.wire: list[bytes | None] = [None, None, None, None]
        """Kept for `arena.wire.frames`: what is the same in all decisions of a seat in a deal."""
        self._board_deals: dict[int, tuple[tuple[int, int, int, int], int, list[int]]] = {}

    def set_board(self, plan: BoardPlan) -> None:
        """Take a new board."""
        self.board = plan.board
        self.legs_left = list(reversed(plan.legs))
        self._board_deals = {}

    def start_deal(self, bank_ns: int) -> None:
        """Deal the cards of deal `number`."""
        found = self._board_deals.get(self.number)
        if found is None:
            found = self._board_deals[self.number] = self._draw(self.number)
        hands, dealer, self.seeds = found
        self.deal = Deal(self.game.ruleset, dealer, hands)
        self.ask_id = 0
        self.soft = 0
        self.bank = [bank_ns, bank_ns, bank_ns, bank_ns]
        self.think = [0, 0, 0, 0]
        self.slowest = [0, 0, 0, 0]
        self.timeouts = [0, 0, 0, 0]
        self.autopilot = [False, False, False, False]
        self.charges = [None, None, None, None]
        self.faults = []
        self.wire = [None, None, None, None]

    def _draw(self, number: int) -> tuple[tuple[int, int, int, int], int, list[int]]:
        """Return hands, dealer and bot seeds of a deal; the legs of a board share them."""
        key = self.game.key
        cards, dealer = board_start(key, self.board)
        if number > 1:
            cards, dealer = deck(key, self.board, number), (dealer + number - 1) % SEATS
        seeds = [bot_seed(key, self.board, number, seat) for seat in range(SEATS)]
        return deal_hands(cards, dealer), dealer, seeds

    def seats_of(self, session: Session) -> list[int]:
        """Return the seats that a session holds here; none between legs."""
        return [seat for seat, holder in enumerate(self.sessions) if holder is session]

    def add_think_time(self, seat: int, think_ns: int) -> None:
        """Add a decision's think time."""
        self.think[seat] += think_ns
        self.slowest[seat] = max(self.slowest[seat], think_ns)
