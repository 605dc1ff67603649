"""Plays a league: bots' processes, the server, the record, signals. The only user of the server.

A run begins in a new folder (`run`, `commit`) or goes on in an old one (`resume`); what is missing
is found from the record alone, so both play the same way.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import threading
import traceback
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import dataclass, field
from time import monotonic_ns
from typing import TYPE_CHECKING, Any, Final

from arena.errors import ArenaError, ConfigError
from arena.league.endings import error_of
from arena.league.folder import RunFolder, new_token
from arena.league.header import header_of
from arena.league.journal import Journal
from arena.league.lock import check_header
from arena.league.log import arena_log
from arena.league.plans import board_plans
from arena.league.processes import (
    Launch,
    Process,
    Supervisor,
    bot_environment,
    descriptors_needed,
    raise_nofile,
)
from arena.league.progress import Progress
from arena.league.record_reader import read_header
from arena.league.record_resume import Resumption, look
from arena.league.record_writer import RecordWriter
from arena.league.schedule import Play
from arena.league.standings_fold import StandingsFold
from arena.league.statistics import t_quantile
from arena.league.telling import Telling
from arena.league.trace import Trace
from arena.referee.attendance import Order, OrderKind
from arena.referee.referee import Referee
from arena.referee.values import (
    Clock,
    EntrantSpec,
    Game,
    History,
    Policy,
    Stop,
)
from arena.rules.deck import commitment, league_key
from arena.server.server import RefereeServer
from arena.server.tokens import Tokens
from arena.shipped import sample_bots

if TYPE_CHECKING:
    from pathlib import Path

    from arena.league.config import League
    from arena.v1 import referee_pb2

FLUSH_S: Final = 0.25
"""How often the record reaches the disk and progress is shown."""
DRAIN_S: Final = 10.0
"""How long deals in progress may take to end after the first signal (CONVENTIONS)."""
LEAVE_S: Final = 1.0
"""How long bots have to leave by themselves once their streams have ended."""
CLOSE_LIMIT_S: Final = 30.0
"""After this a close that hangs is cut short: bots are killed, the record is already on disk."""
EXIT_HUNG: Final = 70
_log = logging.getLogger("arena.league")
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a league is run, beside what its file says."""

    strict: bool = False
    """Whether the first fault ends the run."""
    trace: frozenset[str] = field(default_factory=frozenset)
    """Bots whose messages are written down."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    folder: Path
    record: Path
    is_finished: bool
    commitment: str
    sha256: str = ""
    """The digest of a finished record, as in its footer."""
    signal: int = 0
    """The signal that ended the run, if one did."""


def run(league: League, folder: Path | None, options: RunOptions, progress: Progress) -> Outcome:
    """Play a league in a new folder, `runs/NAME-N` when none is named."""
    with RunFolder.create(league, folder) as run_folder:
        progress.say(f"run folder: {run_folder.path}")
        return _play(league, run_folder, options, progress)


def commit(league: League, folder: Path | None) -> tuple[Path, str]:
    """Make a run's folder with its seed; return the folder and the commitment (DECK 3)."""
    with RunFolder.create(league, folder) as run_folder:
        return run_folder.path, commitment(run_folder.seed())


def resume(
    path: Path, options: RunOptions, progress: Progress, *, public: str | None = None
) -> Outcome:
    """Play what a run lacks.

    `public` is the public text of a league that was committed and has not begun. Raises
    `ConfigError` when the lock file, a bot or the text is not what it was.
    """
    with RunFolder.open(path) as run_folder:
        league = run_folder.read_lock(samples=sample_bots()).league
        names = [bot.name for bot in league.entrants]
        for name in options.trace:
            if name not in names:
                raise ConfigError(f"--trace: no bot {name!r}", why=f"bots: {', '.join(names)}")
        if public is not None and public != league.public:
            if run_folder.record.exists():
                raise ConfigError(
                    "--public: the league has begun with another public text",
                    why=f"expected {league.public!r}, got {public!r}",
                    hint="leave --public out",
                )
            league = league.with_public(public)
            run_folder.rewrite_lock(league)
        return _play(league, run_folder, options, progress)


def _play(league: League, folder: RunFolder, options: RunOptions, progress: Progress) -> Outcome:
    seed = folder.seed()
    resumption, fold = None, None
    if folder.record.exists():
        header = read_header(folder.record)
        fold = StandingsFold(header)
        resumption = look(folder.record, fold)
        lock = folder.read_lock(samples=sample_bots())
        check_header(
            lock,
            config_sha256=header.config_sha256,
            public=header.public,
            seed_commitment=header.seed_commitment,
        )
        if resumption.footer:
            return Outcome(
                folder.path, folder.record, True, header.seed_commitment, resumption.footer.sha256
            )
    raise_nofile(descriptors_needed(len(league.entrants)))
    t_quantile(2)  # imports scipy now, not on the event loop while clocks run
    league_run = LeagueRun(league, folder, seed, resumption, fold, options, progress)
    with arena_log(folder.arena_log):
        return asyncio.run(league_run.play())


class LeagueRun:
    """One run of a league, from the start of its bots to the end of their processes.

    It is the server's host: it starts and kills what the referee orders, and takes the journal.
    """

    def __init__(
        self,
        league: League,
        folder: RunFolder,
        seed: bytes,
        resumption: Resumption | None,
        fold: StandingsFold | None,
        options: RunOptions,
        progress: Progress,
    ) -> None:
        self._league = league
        self._folder = folder
        self._seed = seed
        self._commitment = commitment(seed)
        self._resumption = resumption
        self._fold = fold
        self._options = options
        self._bots = {bot.name: bot for bot in league.entrants}
        self._tokens = {
            name: folder.token(name) if bot.joins else new_token()
            for name, bot in self._bots.items()
        }
        self.referee = self._make_referee()
        self._server: RefereeServer
        self._supervisor = Supervisor(output_bytes=league.output_bytes)
        self._processes: dict[str, Process] = {}
        self._stopping: set[asyncio.Task[None]] = set()
        self._hello_versions: dict[str, str] = {}
        self.journal: Journal | None = None
        self._writer: RecordWriter
        self._address = ""
        self._wake: asyncio.Event
        self._signal = 0
        self._drain_until = 0
        self._is_cut = False
        self._failure: Exception | None = None
        before = resumption.deals if resumption else 0
        self._telling = Telling(league, self.referee, progress, deals_before=before)

    def _make_referee(self) -> Referee:
        league, past = self._league, self._resumption
        clock, faults = league.clock, league.faults
        key = league_key(self._seed, league.public)
        is_games = league.play is Play.POINTS
        return Referee(
            [EntrantSpec(name, is_local=not bot.joins) for name, bot in self._bots.items()],
            board_plans(
                league.play,
                [bot.name for bot in league.bots],
                key,
                field=league.field,
                passes=league.passes,
                done=past.done if past else None,
            ),
            Game(
                key,
                league.ruleset,
                target=league.target if is_games else 0,
                max_deals=league.max_deals if is_games else 0,
                shows_names=league.play is not Play.DUEL,
            ),
            clock=Clock(clock.move_ms, clock.bank_ms, clock.start_ms),
            policy=Policy(
                faults.points, faults.crashes, faults.share, faults.after, self._options.strict
            ),
            tables=league.tables,
            thinking=league.thinking,
            history=past.history if past else History(),
        )

    async def play(self) -> Outcome:
        """Play to the end of the league, or to what ends the run before it."""
        self._wake = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._on_loop_failure)
        for number in _SIGNALS:
            loop.add_signal_handler(number, self._on_signal, number)
        try:
            with ExitStack() as traces:
                tracers = {
                    name: traces.enter_context(Trace(self._folder.trace(name), self._telling.say))
                    for name in sorted(self._options.trace)
                }
                tokens = Tokens(self._tokens)
                self._server = RefereeServer(self.referee, tokens, self, tracers=tracers)
                async with AsyncExitStack() as stack:
                    await stack.enter_async_context(self._supervisor)
                    stack.push_async_callback(self._close)
                    await self._open()
                    await self._go_on()
            return await self._conclude()
        finally:
            for number in _SIGNALS:
                loop.remove_signal_handler(number)

    async def _open(self) -> None:
        """Listen, start the bots, and say who is waited for."""
        self._address = await self._server.start(self._league.address)
        say = self._telling.say
        say(f"commitment: {self._commitment}")
        for bot in self._league.bots:
            if bot.joins:
                token = self._folder.token_file(bot.name)
                say(
                    f"waiting for {bot.name} at {self._address}, token in {token}"
                    f" (clock.start: {self._league.clock.start_ms / 1000:g} s)"
                )
        self._server.open()
        for session in self.referee.sessions:
            if session.is_local and not session.is_benched:
                self._start(session.name)
        gc.collect()
        gc.freeze()

    async def _go_on(self) -> None:
        """Play, with the record reaching the disk several times a second."""
        while not self._is_over():
            self._wake.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), FLUSH_S)
            await self._flush()
        self.referee.close_books()
        await self._flush()
        for session in self.referee.sessions:
            if session.noise:
                _log.info("%s: %d late or repeated answers, ignored", session.name, session.noise)
        if self._failure:
            self._close_record()
            raise self._failure
        self._raise_if_stopped()

    def _is_over(self) -> bool:
        referee = self.referee
        late = self._drain_until and monotonic_ns() >= self._drain_until
        if self._signal and not referee.is_open:
            return True
        has_ended = referee.stopped or referee.is_finished
        return bool(has_ended or self._is_cut or self._failure or late)

    async def _flush(self) -> None:
        """Bring the journal to the disk and tell how far the league is."""
        if not self.journal and self.referee.is_open:
            self.journal = await asyncio.to_thread(self._begin_record)
        if self.journal:
            self.journal.take(self.referee.take_journal())
            await self.journal.sync()
        self._telling.tell(self.journal, is_stopping=bool(self._signal))

    def _begin_record(self) -> Journal:
        """Write the header, or go on after the last whole line."""
        path, past = self._folder.record, self._resumption
        if past:
            writer = RecordWriter.reopen(path, past.size)
        else:
            header = header_of(self._league, self._commitment, self._hello_versions)
            writer = RecordWriter.create(path, header)
            self._fold = StandingsFold(header)
        self._writer = writer
        assert self._fold is not None  # noqa: S101 (there is a header by now)
        return Journal(self._fold, writer)

    async def _close(self) -> None:
        """Say goodbye, let bots leave, and end those that do not."""
        hung = threading.Timer(CLOSE_LIMIT_S, os._exit, (EXIT_HUNG,))
        hung.daemon = True
        hung.start()
        why = "the run is over" if self.referee.is_finished else "the run stops"
        await self._server.close(why)
        if not self._is_cut:
            leaving = [asyncio.ensure_future(p.wait()) for p in self._supervisor.running]
            if leaving:
                await asyncio.wait(leaving, timeout=LEAVE_S)
            await self._supervisor.stop_all()
        hung.cancel()

    async def _conclude(self) -> Outcome:
        """Put the record in order, if it is complete."""
        record = self._folder.record
        referee = self.referee
        if self.journal and referee.is_finished and not referee.is_draining:
            lag = self._server.clockwork.lag_p99_us
            footer = await asyncio.to_thread(self._writer.finish, seed=self._seed, lag_p99_us=lag)
            return Outcome(self._folder.path, record, True, self._commitment, footer.sha256)
        if self.journal:
            await asyncio.to_thread(self._writer.close)
        return Outcome(self._folder.path, record, False, self._commitment, signal=self._signal)

    def _raise_if_stopped(self) -> None:
        stop = self.referee.stopped
        if stop is None:
            return
        self._close_record()
        raise self._error_of(stop)

    def _close_record(self) -> None:
        if self.journal:
            self._writer.close()

    def _error_of(self, stop: Stop) -> Exception:
        """Return what a person is told when the referee has ended the run."""
        process = self._processes.get(stop.entrant)
        return error_of(
            stop,
            folder=self._folder.path,
            log=self._folder.path / "bots" / f"{stop.entrant}.log",
            output=process.tail_lines if process else (),
            said_hello=stop.entrant in self._hello_versions,
        )

    # ------------------------------------------------------------------ processes and signals

    def _start(self, name: str) -> None:
        bot = self._bots[name]
        env = bot_environment(bot.env, address=self._address, token=self._tokens[name])
        launch = Launch(name, bot.argv, bot.cwd, env)
        log = self._folder.log(name)
        self._processes[name] = self._supervisor.start(launch, log, self._on_exit)
        self._server.process_started(name)

    def _restart(self, name: str) -> None:
        if self._is_over():
            return
        try:
            self._start(name)
        except ArenaError as error:
            # A start that fails is one more crash; the others play on.
            self._server.process_started(name)
            self._server.process_ended(name, f"could not be started: {error.message}")

    def _on_exit(self, process: Process) -> None:
        """Tell the referee of a process that ended without being asked to."""
        if not process.was_stopped and self._processes.get(process.name) is process:
            assert process.exit is not None  # noqa: S101 (it has ended)
            self._server.process_ended(process.name, process.exit.detail)
            self._wake.set()

    def on_order(self, order: Order) -> None:
        """Start or kill a process, as the referee wants it."""
        loop = asyncio.get_running_loop()
        if order.kind is OrderKind.START_PROCESS:
            if self.referee.stopped:
                return
            attempt = self.referee.by_name[order.entrant].crashes
            self._telling.say(
                f"bot {order.entrant!r} is started again"
                f" ({attempt} of {self._league.faults.crashes})"
            )
            loop.call_later(order.delay_ns / 1e9, self._restart, order.entrant)
        elif order.kind is OrderKind.KILL_PROCESS:
            process = self._processes.get(order.entrant)
            if process:
                stopping = loop.create_task(self._supervisor.stop(process, 0))
                self._stopping.add(stopping)
                stopping.add_done_callback(self._has_stopped)

    def _has_stopped(self, stopping: asyncio.Task[None]) -> None:
        self._stopping.discard(stopping)
        if not stopping.cancelled() and stopping.exception():
            # The supervisor tries again when it closes.
            _log.error("a process could not be killed", exc_info=stopping.exception())

    def on_hello(self, name: str, hello: referee_pb2.Hello) -> None:
        """Keep what a bot says of its version, the first time."""
        self._hello_versions.setdefault(name, hello.version)

    def on_failure(self, error: Exception) -> None:
        """End the run, resumable: the arena itself has failed."""
        self._failure = self._failure or error
        self._wake.set()

    def _on_loop_failure(self, _: object, context: dict[str, Any]) -> None:
        """Take an exception that nobody awaits: in a callback or a lost task.

        One that came through the arena's own code ends the run; grpc's are logged: its poller
        finds a socket empty now and then, and its calls end in tasks of their own.
        """
        error = context.get("exception")
        _log.error("%s", context.get("message"), exc_info=error)
        if isinstance(error, Exception) and _is_ours(error):
            self.on_failure(error)

    def on_tick(self) -> None:
        """Take the journal in small portions, so that the loop is never held up for long."""
        if self.journal:
            self.journal.take(self.referee.take_journal())
            self.journal.fold_some()
        if self._is_over():
            self._wake.set()

    def _on_signal(self, number: int) -> None:
        """Stop in two stages: deals in progress may end; then at once."""
        if self._signal:
            self._is_cut = True
            self._supervisor.kill_now()
        else:
            self._signal = number
            self.referee.drain()
            self._drain_until = monotonic_ns() + int(DRAIN_S * 1e9)
            self._telling.say(
                f"stopping: deals in progress may end ({DRAIN_S:g} s); again stops at once"
            )
        self._wake.set()


def _is_ours(error: Exception) -> bool:
    """Return whether an exception passed through the arena's code."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(frame.f_globals.get("__name__", "").startswith("arena.") for frame in frames)
