"""TOML text into checked tables: overrides, unknown keys, types, and where each value is from.

Every error names the file (or `--set`), the key, what was expected and what came.
"""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import tomllib
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect

from arena.errors import ConfigError
from arena.files import is_file
from arena.league.config_schema import NOT_YET, SECTIONS, Table
from arena.league.toml_text import parse_toml, shown_key
from arena.printable import printable, quoted, shortened, shown_path

T = TypeVar("T", bound=Table)

SET: Final = "--set"
"""The origin of a value given on the command line."""
_SCHEMA: Final = "arena config schema prints every key"
LARGEST_FILE: Final = 4 << 20
"""Bytes of a TOML file that are read at most; no honest one comes near."""


@dataclass(frozen=True, slots=True)
class Override:
    """One `--set section.key=value`."""

    keys: tuple[str, ...]
    """The path, such as `("clock", "move")` or `("bot", "greedy", "env", "BOLDNESS")`."""
    text: str
    """The value as typed."""

    @property
    def value(self) -> Any:
        """The value as TOML, or the text itself where it is none."""
        try:
            parsed = parse_toml(f"value = {self.text}")
        except ValueError:
            return self.text
        return parsed["value"] if list(parsed) == ["value"] else self.text


@dataclass(slots=True)
class Document:
    """A file's tables with the overrides applied."""

    label: str
    """What errors call it: the file's path as given, or `match`."""
    data: dict[str, Any]
    overridden: dict[tuple[str, ...], str] = field(default_factory=dict)
    """Paths given by `--set`, with their text."""
    options: dict[tuple[str, ...], str] = field(default_factory=dict)
    """Paths given by an option of their own, with its name, such as `--seed`."""
    is_file: bool = True
    """Whether a person wrote it as a file, or as words of a command line."""

    def place(self, *keys: str) -> str:
        """Return how an error begins: the source and the key."""
        if keys in self.options:
            return self.options[keys]
        if keys[0] == "bot.toml":
            return ": ".join((self.label, *map(shown_key, keys[1:])))
        near = any(given[: len(keys)] == keys for given in self.overridden) and len(keys) > 1
        name = _bot_place(keys) if keys[:1] == ("bot",) else ".".join(map(shown_key, keys))
        return f"{SET} {name}" if near else f"{self.label}: {name}"


def _bot_place(keys: tuple[str, ...]) -> str:
    name = keys[1] if len(keys) > 1 else ""
    label = name if re.fullmatch(r"#\d+", name) else quoted(name)
    return ": ".join((f"bot {label}", *map(shown_key, keys[2:])))


def read_toml(path: Path, label: str = "") -> dict[str, Any]:
    """Return the tables of a TOML file. Raises `ConfigError` with the place when it cannot."""
    label = label or str(path)
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST_FILE + 1)
        if len(text) > LARGEST_FILE:
            raise ConfigError(f"{label}: expected at most {LARGEST_FILE} bytes of TOML")
        return parse_toml(text.decode())
    except FileNotFoundError as error:
        beside = {file.stem.casefold(): file.name for file in path.parent.glob("*.toml")}
        near = get_close_matches(path.stem.casefold(), beside, n=1)
        raise ConfigError(
            f"{label}: there is no such file",
            why=f"did you mean {beside[near[0]]!r}?" if near else "",
            hint="arena match BOT BOT needs no file" if path.name != "bot.toml" else "",
        ) from error
    except OSError as error:
        what = f"{shown_path(label)}: cannot be read: {error.strerror}"
        raise ConfigError(what) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{label}: is not UTF-8 text (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{label}: is not TOML: {shortened(str(error), 160)}") from error
    except ValueError as error:  # of these a path with a NUL in it is one
        raise ConfigError(f"{shown_path(label)}: cannot be read: {error}") from error


def require_text(place: str, text: str) -> None:
    """Raise `ConfigError` for a word of a command line that is no UTF-8, so no text either."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"{place}: is not UTF-8 text") from error


def parse_override(text: str) -> Override:
    """Return `section.key=value` in its parts; TOML's quotes may stand round a part of the key.

    >>> parse_override('bot."a.b".env.X=1').keys
    ('bot', 'a.b', 'env', 'X')
    >>> parse_override("bot.#3.env.X=1").keys
    ('bot', '#3', 'env', 'X')
    """
    require_text(f"{SET} {shown_key(text)}", text)
    key, equals, value = text.partition("=")
    key = re.sub(r"^\s*bot\.(#\d+)(?=\.)", r'bot."\1"', key)
    keys: list[str] = []
    try:
        table: Any = parse_toml(f"{key.strip()} = 0") if equals else {}
    except ValueError:
        table = {}
    while isinstance(table, dict) and len(table) == 1:
        (step,) = table
        keys.append(step)
        table = table[step]
    if len(keys) < 2 or table != 0:
        raise ConfigError(
            f"{SET} {shown_key(text)}: expected section.key=value", hint=f"{SET} clock.move=500ms"
        )
    return Override(tuple(keys), value.strip())


def apply_overrides(document: Document, overrides: Sequence[str], base: Path) -> None:
    """Write overrides into a document's tables; `base` is where its paths start from.

    Raises `ConfigError` for a section or a bot that does not exist; keys and types are checked
    later, as those of the file are.
    """
    for given in map(parse_override, overrides):
        keys = given.keys
        section, *path = keys
        if section == "bot":
            label, table = _bot_table(document, path.pop(0), given, base)
            keys = ("bot", label, *path)
        elif section in SECTIONS:
            table = document.data.setdefault(section, {})
        else:
            raise ConfigError(
                f"{SET} {shown_key('.'.join(given.keys))}: no section {quoted(section)}",
                why=did_you_mean(section, (*SECTIONS, "bot")),
            )
        deepest = 2 if path[0] == "env" else 1
        if not isinstance(table, dict) or not 1 <= len(path) <= deepest:
            raise ConfigError(f"{SET} {shown_key('.'.join(given.keys))}: no such key")
        value = given.value
        if len(path) == 2:
            value = value if isinstance(value, str) else given.text
            table = table.setdefault("env", {})
        if isinstance(table, dict):
            table[path[-1]] = value
        document.overridden[keys] = given.text


def _bot_table(document: Document, name: str, given: Override, base: Path) -> tuple[str, Any]:
    """Return the `[[bot]]` that is meant by its name or by `#` and its number, and its label."""
    tables = document.data.get("bot", [])
    named = {bot_label(table, n, base): table for n, table in enumerate(tables, 1)}
    at = f"{SET} {shown_key('.'.join(given.keys))}"
    if len(given.keys) < 3:
        raise ConfigError(f"{at}: expected bot.NAME.key=value")
    if name in named:
        return name, named[name]
    number = int(name[1:]) if re.fullmatch(r"#\d{1,6}", name) else 0
    if 1 <= number <= len(tables):
        return bot_label(tables[number - 1], number, base), tables[number - 1]
    raise ConfigError(f"{at}: no bot {quoted(name)}", why=did_you_mean(name, named))


def bot_label(table: object, number: int, base: Path) -> str:
    """Return what errors and `--set` call a `[[bot]]`: its name, else `#` and its number.

    A bot without a name has that of its `bot.toml`, in its folder below `base`.
    """
    if isinstance(table, Mapping):
        for key in ("name", "bot"):
            if isinstance(table.get(key), str):
                return str(table[key])
        if isinstance(table.get("dir"), str):
            toml = base / table["dir"] / "bot.toml"
            with contextlib.suppress(ConfigError):  # that it cannot be read is told later
                name = read_toml(toml).get("name") if is_file(toml) else None
                return name if isinstance(name, str) else f"#{number}"
    return f"#{number}"


def check_table(document: Document, keys: tuple[str, ...], table: object, kind: type[T]) -> T:
    """Return a table as its checked value.

    `keys` is its path: `("clock",)`, or `("bot", NAME)`. Raises `ConfigError` for the first key
    that is unknown, not yet supported, of a wrong type or missing.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{document.place(*keys)}: expected a table, got {spelling(table)}")
    refuse_not_yet(document, keys, table)
    fields = {info.name: info for info in _fields(kind)}
    hints = typing.get_type_hints(kind, include_extras=True)
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in fields:
            raise ConfigError(
                f"{document.place(*keys, key)}: no such key",
                why=_near_key(key, keys[0], fields),
                hint=_SCHEMA if keys[0] in SECTIONS or keys[0] == "bot" else "",
            )
        raw = document.overridden.get((*keys, key))
        values[key] = _convert(document, (*keys, key), value, raw, hints[key], fields[key])
    for name, info in fields.items():
        if info.required and name not in values:
            raise ConfigError(
                f"{document.place(*keys, name)}: is missing",
                why=f"expected {expected(info.type)}",
            )
    return kind(**values)


def _fields(kind: type[Table]) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)  # noqa: S101 - a Table is a Struct
    return info.fields


def _convert(
    document: Document,
    keys: tuple[str, ...],
    value: object,
    raw: str | None,
    hint: Any,
    info: inspect.Field,
) -> Any:
    try:
        return msgspec.convert(value, type=hint)
    except msgspec.ValidationError:
        pass
    if raw is not None:  # `--set league.seed=12345` means the text
        try:
            return msgspec.convert(raw, type=hint)
        except msgspec.ValidationError:
            pass
    why = ""
    if isinstance(value, str):
        why = did_you_mean(value, tuple(_choices(info.type)))
    raise ConfigError(
        f"{document.place(*keys)}: expected {expected(info.type)}, got {spelling(value)}",
        why=why,
        hint=_remedy(keys[-1], value, expected(info.type)),
    )


def refuse_not_yet(document: Document, keys: tuple[str, ...], table: Mapping[str, Any]) -> None:
    """Raise `ConfigError` for a key that later work builds, unless its value is the default."""
    for key, right in NOT_YET.get(keys[0], {}).items():
        if key in table and table[key] not in right:
            allowed = f" (only {' or '.join(map(spelling, right))})" if right else ""
            raise ConfigError(
                f"{document.place(*keys, key)}: not yet supported{allowed}",
                hint=f"leave {key} out",
            )


def refuse_unknown_sections(document: Document) -> None:
    """Raise `ConfigError` for a top-level table or key that does not exist."""
    for section in document.data:
        if section in SECTIONS or section == "bot":
            continue
        homes = [name for name, kind in SECTIONS.items() if section in kind.__struct_fields__]
        near = f"did you mean {section} in [{homes[0]}]?" if homes else ""
        raise ConfigError(
            f"{document.label}: no section {quoted(section)}",
            why=near or did_you_mean(section, (*SECTIONS, "bot")),
            hint=_SCHEMA,
        )


def did_you_mean(word: str, known: Sequence[str] | Mapping[str, object]) -> str:
    """Return a question with the nearest word, or the words there are, or nothing.

    >>> did_you_mean("grredy", ["greedy", "random"])
    "did you mean 'greedy'?"
    """
    words = list(known)
    folded = {each.casefold(): each for each in words}
    near = get_close_matches(word.casefold(), folded, n=1)
    if near:
        return f"did you mean {quoted(folded[near[0]])}?"
    known = f"known: {', '.join(map(shown_key, words))}"
    return known if words and len(words) <= 20 and len(known) <= 300 else ""


def _near_key(key: str, section: str, fields: Mapping[str, object]) -> str:
    """Return the nearest key of the table, else the table that has the key."""
    if get_close_matches(key, fields, n=1):
        return did_you_mean(key, fields)
    homes = [
        name
        for name, kind in SECTIONS.items()
        if name != section and key in kind.__struct_fields__ and section in SECTIONS
    ]
    return f"did you mean {key} in [{homes[0]}]?" if homes else did_you_mean(key, fields)


def expected(info: inspect.Type) -> str:
    """Return in words what a key takes."""
    match info:
        case inspect.Metadata(type=inner, extra=extra):
            return str(extra["expected"]) if extra and "expected" in extra else expected(inner)
        case inspect.UnionType(types=types):
            return " or ".join(map(expected, types))
        case inspect.LiteralType(values=values):
            return f"{'one of ' if len(values) > 1 else ''}{', '.join(map(spelling, values))}"
        case inspect.IntType(ge=low, le=high) | inspect.FloatType(ge=low, le=high):
            kind = "a whole number" if isinstance(info, inspect.IntType) else "a number"
            return f"{kind} from {low:,} to {high:,}".replace(",", " ")
        case inspect.StrType(min_length=low, max_length=high) if low is not None:
            return f"a text of {low} to {high} characters"
        case inspect.BoolType():
            return "true or false"
    return "a text"


def _choices(info: inspect.Type) -> Iterator[str]:
    if isinstance(info, inspect.Metadata):
        yield from _choices(info.type)
    if isinstance(info, inspect.LiteralType):
        yield from map(str, info.values)


def _remedy(key: str, value: object, wanted: str) -> str:
    """Return the line as it should be written, where that can be told."""
    if wanted.startswith("a list") and isinstance(value, str):
        try:
            words = shlex.split(value)
        except ValueError:
            words = [value]
        return f"{key} = {json.dumps(words, ensure_ascii=False)}"
    if isinstance(value, dict):
        texts = (
            f"{name} = {json.dumps(each if isinstance(each, str) else spelling(each))}"
            for name, each in value.items()
        )
        return f"{key} = {{ {', '.join(texts)} }}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        unit = {"a duration": "ms", "a size": "B", "a text": ""}
        for start, suffix in unit.items():
            if wanted.startswith(start):
                return f'{key} = "{value}{suffix}"'
    return ""


def spelling(value: object) -> str:
    """Return a value as TOML spells it, shortened to fit a line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | list | tuple | dict):
        text = json.dumps(value, ensure_ascii=False, default=str)
        return printable(text if len(text) <= 60 else f"{text[:57]}...")
    return str(value)
