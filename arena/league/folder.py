"""The folder of a run: what lies in it, who may read it, and that one runner has it at a time.

    RUN/                    0700
        league.lock.toml    the league as resolved (arena.league.lock)
        seed                0600, 64 hex digits
        deals.jsonl         the record
        bots/NAME.log       what a bot prints
        tokens/NAME         0600, of bots that dial in; kept over resumes
        arena.log
        lock                held with flock while a runner is at work; holds its process id

No name in it is followed when it is a link, so nothing put there leads a runner elsewhere.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from arena.errors import ConfigError, MachineError
from arena.league.config import League, seed_of
from arena.league.lock import Lock, lock_text, read_lock
from arena.rules.deck import commitment

LOCK_FILE: Final = "league.lock.toml"
RECORD_FILE: Final = "deals.jsonl"
RUNS: Final = Path("runs")
"""Where runs are put unless a folder is named."""
TOKEN_BYTES: Final = 32
_PRIVATE: Final = 0o600
_ELSEWHERE: Final = "--run DIR, in a folder that may be written"
_SMALL: Final = 4096
"""Bytes of a seed, token or process id that are read at most."""


def new_token() -> str:
    """Return a fresh token, 256 bits as 64 hex digits."""
    return secrets.token_hex(TOKEN_BYTES)


class RunFolder:
    """A run's folder, held against other runners until it is closed."""

    def __init__(self, path: Path, descriptor: int, held: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._held = held

    @classmethod
    def create(cls, league: League, path: Path | None = None, *, runs: Path = RUNS) -> RunFolder:
        """Make the folder of a new run, with its seed, lock file and tokens, and hold it.

        Without `path` it is `runs/NAME-N` with the first free N. Raises `MachineError` when the
        folder is taken or cannot be made.
        """
        seed = seed_of(league)
        path = _make(path) if path else _make_numbered(runs, league.name)
        folder = cls._hold(path)
        try:
            folder._fill(league, seed)  # noqa: SLF001 - its own class
        except BaseException:
            folder.close()
            shutil.rmtree(path, ignore_errors=True)  # it was empty before, and is no run
            raise
        return folder

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Hold the folder of an earlier run.

        Raises `ConfigError` when it is none, `MachineError` when another runner has it.
        """
        if not path.is_dir():
            raise ConfigError(f"{path}: is no folder of a run", hint="arena league ls")
        if not (path / LOCK_FILE).is_file():
            raise ConfigError(f"{path}: is no folder of a run", why=f"it has no {LOCK_FILE}")
        return cls._hold(path)

    @classmethod
    def _hold(cls, path: Path) -> RunFolder:
        with _machine(path):
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        held = -1
        try:
            with _machine(path / "lock"):
                held = os.open(
                    "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, _PRIVATE, dir_fd=descriptor
                )
            _flock(path, held)
        except BaseException:
            if held >= 0:
                os.close(held)
            os.close(descriptor)
            raise
        return cls(path, descriptor, held)

    def _fill(self, league: League, seed: bytes) -> None:
        """Write what a new run starts with; the lock file last, since it makes the run."""
        self._write("seed", f"{seed.hex()}\n")
        for bot in league.bots:
            if bot.joins:
                self.token(bot.name)
        self.rewrite_lock(league)

    def close(self) -> None:
        """Let the folder go. Calling it again does nothing."""
        for descriptor in (self._held, self._descriptor):
            if descriptor >= 0:
                os.close(descriptor)
        self._held = self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def record(self) -> Path:
        """The record's file."""
        return self.path / RECORD_FILE

    @property
    def arena_log(self) -> Path:
        """The arena's own log."""
        return self.path / "arena.log"

    def log(self, name: str) -> Path:
        """Return the file for what a bot prints; its folder is there."""
        return self._folder("bots") / f"{name}.log"

    def trace(self, name: str) -> Path:
        """Return the file for a bot's messages, beside its log."""
        return self._folder("bots") / f"{name}.trace.jsonl"

    def token_file(self, name: str) -> Path:
        """Return the file of a bot's token."""
        return self.path / "tokens" / name

    def token(self, name: str) -> str:
        """Return the token of a bot that dials in; the first call makes it.

        Raises `MachineError` when the file holds something else.
        """
        self._folder("tokens")
        file = f"tokens/{name}"
        try:
            token = self._read(file).strip()
        except FileNotFoundError:
            token = new_token()
            self._write(file, token)
        if re.fullmatch(r"[0-9a-f]{64}", token) is None:
            raise MachineError(
                f"{self.path / file}: expected 64 hex digits",
                hint="remove the file to have a new token made",
            )
        return token

    def seed(self) -> bytes:
        """Return the run's seed, 32 bytes. Raises `ConfigError` when it is not there."""
        file = self.path / "seed"
        try:
            text = self._read("seed").strip()
        except FileNotFoundError:
            raise ConfigError(
                f"{file}: is missing", why="without its seed a run cannot go on"
            ) from None
        if re.fullmatch(r"[0-9A-Fa-f]{64}", text) is None:
            raise ConfigError(f"{file}: expected 64 hex digits")
        return bytes.fromhex(text)

    def read_lock(self, *, samples: Mapping[str, Path]) -> Lock:
        """Read the lock file, find the bots, and see that the seed is that of the commitment.

        Raises `ConfigError` when something that decides results is not what it was.
        """
        lock = read_lock(self.path / LOCK_FILE, samples=samples)
        came = commitment(self.seed())
        if came != lock.seed_commitment:
            raise ConfigError(
                f"{self.path / 'seed'}: is not the seed that this run was committed to",
                why=f"expected commitment {lock.seed_commitment}, got {came}",
                hint="put the original back, or start a new run",
            )
        return lock

    def rewrite_lock(self, league: League) -> None:
        """Put a lock file in place of the one there, in one step: `--public` was given."""
        self._write(f".{LOCK_FILE}.new", lock_text(league, commitment(self.seed())), again=True)
        os.replace(
            f".{LOCK_FILE}.new",
            LOCK_FILE,
            src_dir_fd=self._descriptor,
            dst_dir_fd=self._descriptor,
        )
        os.fsync(self._descriptor)

    def _folder(self, name: str) -> Path:
        """Make a folder in the run's, unless it is there, and return it."""
        path = self.path / name
        with _machine(path), contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=self._descriptor)
        if path.is_symlink():
            raise MachineError(f"{path}: is a link, and links are not followed")
        return path

    def _write(self, name: str, text: str, *, again: bool = False) -> None:
        """Write a private file that must not be there yet, and sync it."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | (os.O_TRUNC if again else os.O_EXCL)
        with _machine(self.path / name):
            descriptor = os.open(name, flags, _PRIVATE, dir_fd=self._descriptor)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())

    def _read(self, name: str) -> str:
        """Read a small file. Raises `FileNotFoundError` when it is not there."""
        with _machine(self.path / name, passing=FileNotFoundError):
            # Not blocking: a pipe in its place reads as empty instead of waiting for a writer.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            descriptor = os.open(name, flags, dir_fd=self._descriptor)
            with os.fdopen(descriptor, encoding="utf-8", errors="replace") as file:
                return file.read(_SMALL)


def _make(path: Path) -> Path:
    """Make the folder that was named; an empty one will do."""
    with _machine(path, hint=_ELSEWHERE):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            if not path.is_dir() or any(path.iterdir()):
                resumable = (path / LOCK_FILE).is_file()
                raise MachineError(
                    f"{path}: is taken",
                    why="it holds an earlier run" if resumable else "it is not an empty folder",
                    hint=f"arena league resume {path}" if resumable else "--run DIR",
                ) from None
            path.chmod(0o700)
    return path


def _make_numbered(runs: Path, name: str) -> Path:
    """Make `runs/NAME-N` with the first free N after the highest."""
    with _machine(runs, hint=_ELSEWHERE):
        runs.mkdir(parents=True, exist_ok=True)
        pattern = re.compile(rf"{re.escape(name)}-([0-9]+)", re.IGNORECASE)
        matches = [pattern.fullmatch(path.name) for path in runs.iterdir()]
        number = max((int(match[1]) for match in matches if match), default=0)
        while True:
            number += 1
            path = runs / f"{name}-{number}"
            with contextlib.suppress(FileExistsError):
                path.mkdir(mode=0o700)
                return path


def _flock(path: Path, descriptor: int) -> None:
    """Take the lock and write who has it. Raises `MachineError` when another process has."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(descriptor, _SMALL, 0).decode(errors="replace").strip()
        raise MachineError(
            f"{path}: another arena process (pid {owner or 'unknown'}) runs this folder",
            hint="wait for it, or stop it",
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)


@contextlib.contextmanager
def _machine(path: Path, passing: type[OSError] | None = None, hint: str = "") -> Iterator[None]:
    """Turn what the machine refuses into a `MachineError` that names the path."""
    try:
        yield
    except OSError as error:
        if passing and isinstance(error, passing):
            raise
        if error.errno == errno.ELOOP:
            raise MachineError(f"{path}: is a link, and links are not followed") from error
        raise MachineError(f"{path}: {error.strerror}", hint=hint) from error
