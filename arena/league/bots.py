"""The bots of a league: where they come from, how they are started, what their digest covers.

The digest of an entrant is the SHA-256 of one compact JSON object in UTF-8, its keys in this
order:

    {"format":"brandeln-bot/1","kind":K,"command":[...],"env":{...},"files":[[PATH,SHA256],...]}

- `kind` is `sample`, `folder`, `command` or `join`.
- `command` is the command as written with its arguments, before programs are looked up, so that
  it does not depend on the machine; for a sample `["python", FILE, ...]`, for `join` empty.
- `env` holds the variables of the league file, sorted by name.
- `files` are sorted by path, each with the SHA-256 of its bytes, 64 hex digits:
  of a sample its one file; of a folder its `bot.toml` and what the patterns of its `files` match,
  by default everything in it but compiled Python (`*.pyc`), `__pycache__`, `node_modules` and
  names that begin with a dot; of a command those of its words that name a file, by the word.
  Links to files count as the files, links to folders are not followed, paths have `/`.

Name and version stand beside it in the record and are not covered.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from msgspec import UNSET

from arena.errors import ConfigError
from arena.files import is_file, is_folder
from arena.league.config_schema import BotTable, BotToml, EachTable
from arena.league.reading import Document, check_table, did_you_mean, read_toml
from arena.league.toml_text import shown_key
from arena.printable import quoted, shortened, shown_path

Kind = Literal["sample", "folder", "command", "join"]

PYTHONS: Final = ("python", "python3")
"""Programs that stand for the interpreter that runs the arena, so that bots find its packages."""
MOST_FILES: Final = 10_000
_SKIPPED: Final = ("__pycache__", "node_modules")


@dataclass(frozen=True, slots=True)
class Bot:
    """An entrant's program, found and hashed."""

    name: str
    kind: Kind
    where: str
    """A sample's name, or the absolute folder that a folder's or command's paths start from."""
    command: tuple[str, ...]
    """As written, with the arguments; empty for a bot that dials in."""
    argv: tuple[str, ...]
    """As it is executed: the program is an absolute path."""
    cwd: str
    """The folder it is started in; empty for a bot that dials in."""
    env: tuple[tuple[str, str], ...]
    """What the league file adds to its environment, sorted."""
    version: str
    """That of `bot.toml`; empty where only its Hello can tell."""
    files: tuple[tuple[str, str], ...]
    """Paths and SHA-256 of what the digest covers."""
    digest: str
    patterns: tuple[str, ...] = field(default=(), repr=False)
    """The `files` of a `bot.toml`."""

    @property
    def joins(self) -> bool:
        """Whether the bot dials in instead of being started."""
        return self.kind == "join"

    @property
    def shown(self) -> str:
        """The command as one line, for the record."""
        return shlex.join(self.command)


@dataclass(frozen=True, slots=True)
class Draft:
    """An entrant before its program has been looked up and its files were read."""

    name: str
    kind: Kind
    where: str
    command: tuple[str, ...]
    env: Mapping[str, str]
    version: str = ""
    patterns: tuple[str, ...] = ()


def resolve(draft: Draft, samples: Mapping[str, Path]) -> Bot:
    """Find a bot's program and hash its files.

    `samples` has the file of every sample bot by name. Raises `ConfigError` when something is
    not there.
    """
    program: tuple[str, ...] = ()
    cwd = draft.where
    if draft.kind == "sample":
        file = samples.get(draft.where)
        if file is None:
            raise ConfigError(
                f"bot {draft.name!r}: no sample bot {quoted(draft.where)}",
                why=did_you_mean(draft.where, samples),
            )
        program = (sys.executable, str(file), *draft.command[2:])
        cwd = str(file.parent)
    elif draft.kind != "join":
        program = (_find_program(draft), *draft.command[1:])
        _check_script(draft)
    files = tuple(sorted(_files(draft, samples)))
    return Bot(
        name=draft.name,
        kind=draft.kind,
        where=draft.where,
        command=draft.command,
        argv=program,
        cwd=cwd,
        env=tuple(sorted(draft.env.items())),
        version=draft.version,
        files=files,
        digest=digest(draft.kind, draft.command, draft.env, files),
        patterns=draft.patterns,
    )


def digest(
    kind: Kind,
    command: Sequence[str],
    env: Mapping[str, str],
    files: Sequence[tuple[str, str]],
) -> str:
    """Return the digest of an entrant, 64 hex digits. Source: the head of this module."""
    covered = {
        "format": "brandeln-bot/1",
        "kind": kind,
        "command": list(command),
        "env": dict(sorted(env.items())),
        "files": [list(pair) for pair in sorted(files)],
    }
    text = json.dumps(covered, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def draft_bot(
    document: Document,
    label: str,
    table: BotTable,
    each: EachTable,
    base: Path,
    samples: Mapping[str, Path],
) -> Draft:
    """Return the entrant of a `[[bot]]`; `base` is the folder that its paths start from.

    Raises `ConfigError` unless it has exactly one source, a name, and an environment that may
    be set.
    """
    place = document.place("bot", label)
    source = _source(table) or _source(each)
    if len(source) != 1:
        what = f"it has {' and '.join(source)}" if source else "it has none of them"
        raise ConfigError(f"{place}: expected one of bot, dir, command, join", why=what)
    chosen = table if _source(table) else each
    env = {**each.env, **table.env}
    _check_env(place, env)
    args = table.args or each.args
    _refuse_nul(document.place("bot", label, "args"), args)
    name = "" if table.name is UNSET else table.name
    if chosen.bot is not UNSET:
        file = samples.get(chosen.bot)
        script = file.name if file else ""
        where, command = chosen.bot, ("python", script)
        return Draft(name or chosen.bot, "sample", where, (*command, *args), env)
    if chosen.dir is not UNSET:
        folder = base / chosen.dir
        hint = 'dir = "FOLDER", with a bot.toml'
        if not document.is_file:
            hint = "a bot.toml in it with command = [...], or the command in quotes"
        return draft_folder(folder, place=place, name=name, args=args, env=env, hint=hint)
    if not name:
        raise ConfigError(f"{place}: name: is missing", hint='name = "mine"')
    if chosen.command is not UNSET:
        _refuse_nul(document.place("bot", label, "command"), chosen.command)
        return Draft(name, "command", str(base.absolute()), (*chosen.command, *args), env)
    # What [each] gives is for those that are started.
    if table.args or table.env:
        raise ConfigError(f"{place}: a bot that dials in takes no args or env")
    return Draft(name, "join", "", (), {})


def draft_folder(
    folder: Path, *, place: str, name: str, args: Sequence[str], env: Mapping[str, str], hint: str
) -> Draft:
    """Return the entrant in a folder with a `bot.toml`; without `name`, that of `bot.toml`.

    `hint` is what to try where there is no `bot.toml`.
    """
    file = folder / "bot.toml"
    if not is_file(file):
        missing = "has no bot.toml" if is_folder(folder) else "is no folder"
        raise ConfigError(f"{place}: {shown_path(folder)} {missing}", hint=hint)
    document = Document(str(file), read_toml(file))
    toml = check_table(document, ("bot.toml",), document.data, BotToml)
    for key, words in (("command", toml.command), ("files", toml.files)):
        _refuse_nul(document.place("bot.toml", key), words)
    name = name or ("" if toml.name is UNSET else toml.name)
    if not name:
        raise ConfigError(f"{place}: name: is missing, here and in {file}", hint='name = "mine"')
    return Draft(
        name,
        "folder",
        str(folder.absolute()),
        (*toml.command, *args),
        env,
        toml.version,
        toml.files,
    )


def _source(table: BotTable | EachTable) -> tuple[str, ...]:
    given = tuple(key for key in ("bot", "dir", "command") if getattr(table, key) is not UNSET)
    return (*given, "join") if table.join else given


def _refuse_nul(place: str, words: Sequence[str]) -> None:
    for word in words:
        if "\0" in word:
            raise ConfigError(f"{place}: expected texts without NUL, got {quoted(word)}")


def _check_env(place: str, env: Mapping[str, str]) -> None:
    for key, value in env.items():
        if not key or "=" in key or "\0" in key + value:
            raise ConfigError(
                f"{place}: env: {quoted(key)} = {quoted(value)} cannot be an environment variable"
            )
        if key.startswith("ARENA_"):
            raise ConfigError(
                f"{place}: env: {shown_key(key)} is the arena's own",
                why="names with ARENA_ are set by it",
            )


def _find_program(draft: Draft) -> str:
    """Return the program as an absolute path; `python` is the arena's own interpreter."""
    program = draft.command[0]
    if program in PYTHONS and sys.executable:
        return sys.executable
    if not is_folder(Path(draft.where)):
        raise ConfigError(
            f"bot {draft.name!r} cannot start: {shown_path(draft.where)} is no folder"
        )
    if "/" in program:
        path = Path(draft.where, program).absolute()
        if is_file(path) and os.access(path, os.X_OK):
            return str(path)
        state = "is not executable" if is_file(path) else "is not there"
        raise ConfigError(
            f"bot {draft.name!r} cannot start: no command {quoted(program)}",
            why=f"{shown_path(path)} {state}",
            hint=f"chmod +x {shlex.quote(str(path))}" if is_file(path) else "",
        )
    found = shutil.which(program)
    if found is None:
        local = Path(draft.where, program)
        raise ConfigError(
            f"bot {draft.name!r} cannot start: no command {quoted(program)}",
            why=f"looked for in PATH: {shortened(os.environ.get('PATH', ''), 120)}",
            hint=f'write "./{program}" for the file beside it' if is_file(local) else "",
        )
    return str(Path(found).absolute())


def _check_script(draft: Draft) -> None:
    """Raise `ConfigError` when a Python command's script is not there.

    Only that case is certain: other programs mean what they like by their arguments.
    """
    program, *words = draft.command
    if not Path(program).name.startswith("python") or not words or words[0].startswith("-"):
        return
    script = Path(draft.where, words[0])
    if not is_file(script) and not is_folder(script):
        raise ConfigError(
            f"bot {draft.name!r} cannot start: no file {quoted(words[0])}",
            why=f"looked for {shown_path(script)}",
            hint="paths are relative to the league file, or to the folder of bot.toml",
        )


def _files(draft: Draft, samples: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    """Yield path and SHA-256 of the files that the digest covers."""
    match draft.kind:
        case "sample":
            file = samples[draft.where]
            yield file.name, _sha256(file)
        case "command":
            for word in dict.fromkeys(draft.command):
                if is_file(Path(draft.where, word)):
                    yield word, _sha256(Path(draft.where, word))
        case "folder":
            yield from _folder_files(draft)


def _folder_files(draft: Draft) -> Iterator[tuple[str, str]]:
    root = Path(draft.where)
    found = {root / "bot.toml"}
    if draft.patterns:
        for pattern in draft.patterns:
            matched = _glob(draft, root, pattern)
            if not matched:
                raise ConfigError(
                    f"bot {draft.name!r}: nothing in {root} matches {quoted(pattern)}",
                    why="it stands in files of bot.toml",
                )
            found |= matched
    else:
        found.update(islice(_walk(root), MOST_FILES + 1))
    if len(found) > MOST_FILES:
        raise ConfigError(
            f"bot {draft.name!r}: {root} holds over {MOST_FILES} files",
            hint="name what the digest covers in bot.toml: files = [...]",
        )
    for file in found:
        yield file.relative_to(root).as_posix(), _sha256(file)


def _glob(draft: Draft, root: Path, pattern: str) -> set[Path]:
    wrong = ConfigError(
        f"bot {draft.name!r}: files: expected a pattern inside the folder, got {quoted(pattern)}"
    )
    if not pattern or ".." in Path(pattern).parts or Path(pattern).is_absolute():
        raise wrong
    try:
        paths = list(root.glob(pattern))
    except (OSError, ValueError, NotImplementedError) as error:
        raise wrong from error
    matched: set[Path] = set()
    for path in paths:
        matched.update(_walk(path) if path.is_dir() else {path} if path.is_file() else ())
    return matched


def _walk(root: Path) -> Iterator[Path]:
    """Yield the files below a folder, without what is hidden, compiled or installed."""
    for folder, folders, names in os.walk(root):
        folders[:] = [each for each in folders if each not in _SKIPPED and each[0] != "."]
        for name in names:
            path = Path(folder, name)
            if name[0] != "." and not name.endswith(".pyc") and path.is_file():
                yield path


def _sha256(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
