"""A league without a file: the bots of a command line (`arena match BOT BOT ...`)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from arena.errors import ConfigError
from arena.files import is_file, is_folder
from arena.league.config import League, build_league
from arena.league.reading import (
    Document,
    apply_overrides,
    did_you_mean,
    read_toml,
    refuse_unknown_sections,
    require_text,
)
from arena.printable import quoted

JOIN: Final = "join:"
"""What stands before the name of a bot that dials in."""
LONGEST_NAME: Final = 32


def match_league(
    bots: Sequence[str],
    overrides: Sequence[str] = (),
    *,
    base: Path,
    samples: Mapping[str, Path],
    name: str = "match",
    boards: int | None = None,
    seed: str | None = None,
) -> League:
    """Return the league of two bots (a duel) or four (a table).

    A bot is the name of a sample, a folder with a `bot.toml`, a command in quotes, or
    `join:NAME`; paths start from `base`. The second of one name is called `NAME-2`. Whoever types
    a match vouches for its bots, so `league.trusted` is true unless an override says otherwise.
    `boards` and `seed` are those of the options that are called so, and go before overrides.
    Raises `ConfigError`.
    """
    if len(bots) not in {2, 4}:
        raise ConfigError(
            f"match: expected 2 or 4 bots, got {len(bots)}",
            hint="arena league run FILE plays any number",
        )
    tables = [bot_table(bot, base, samples) for bot in bots]
    _number_doubles(tables)
    play = "duel" if len(bots) == 2 else "boards"
    data = {"league": {"name": name, "play": play}, "bot": tables}
    document = Document("match", data, is_file=False)
    apply_overrides(document, overrides, base)
    for key, value in (("boards", boards), ("seed", seed)):
        if value is not None:
            document.data["league"][key] = value
            document.options["league", key] = f"--{key}"
    refuse_unknown_sections(document)
    return build_league(document, base, samples, trusted=True)


def bot_table(bot: str, base: Path, samples: Mapping[str, Path]) -> dict[str, Any]:
    """Return the `[[bot]]` that a command line's word stands for, with its name."""
    require_text(f"bot {quoted(bot)}", bot)
    if bot.startswith(JOIN):
        return {"name": bot.removeprefix(JOIN), "join": True}
    if bot in samples:
        return {"name": bot, "bot": bot}
    folder = base / bot
    if bot and is_folder(folder):
        toml = folder / "bot.toml"
        named = read_toml(toml).get("name") if is_file(toml) else None
        return {"name": named or _name_from(folder.resolve().name), "dir": bot}
    try:
        command = shlex.split(bot)
    except ValueError as error:
        raise ConfigError(f"bot {quoted(bot)}: cannot be split into words: {error}") from error
    if not command:
        raise ConfigError("bot '': expected a sample bot, a folder, a command or join:NAME")
    if len(command) == 1 and "/" not in command[0]:
        raise ConfigError(
            f"bot {quoted(bot)}: is no sample bot and no folder",
            why=did_you_mean(bot, samples),
            hint='a command stands in quotes: "python my_bot.py"; one that dials in is join:NAME',
        )
    words = [word for word in command if not word.startswith("-")]
    return {"name": _name_from(Path(words[-1] if words else command[0]).stem), "command": command}


def _name_from(text: str) -> str:
    """Return a name of an entrant that is near to a text."""
    near = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("._-")[:LONGEST_NAME]
    return near if near and near.casefold() != "house" else "bot"


def _number_doubles(tables: Sequence[dict[str, Any]]) -> None:
    """Give the second bot of a name `-2`, the third `-3`."""
    taken = {str(table["name"]).casefold() for table in tables}
    seen: set[str] = set()
    for table in tables:
        name, number = str(table["name"]), 2
        if name.casefold() in seen:
            while (new := f"{name[: LONGEST_NAME - 4]}-{number}").casefold() in taken:
                number += 1
            table["name"] = new
        seen.add(str(table["name"]).casefold())
        taken.add(str(table["name"]).casefold())
