"""`arena bot`: the sample bots, and running a bot against a referee that is elsewhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import output
from arena.cli.options import Format, FormatOption
from arena.cli.text import examples, group
from arena.errors import ConfigError, MachineError
from arena.printable import quoted

if TYPE_CHECKING:
    from arena.league.bots import Bot

app = group("The sample bots, and running a bot against a referee elsewhere.")


@app.command("ls", epilog=examples("arena bot ls", "arena bot ls --format json"))
def list_bots(
    form: FormatOption = Format.TABLE,
) -> None:
    """List the sample bots, which leagues and matches know by name."""
    from arena.shipped import sample_bots

    rows = [
        {"name": name, "language": "python", "about": _summary(file), "file": str(file)}
        for name, file in sample_bots().items()
    ]
    columns = [
        output.Column("name", "name"),
        output.Column("language", "language", spare=1),
        output.Column("about", "about", spare=2),
        output.Column("file", "file"),
    ]
    output.show(output.Listing("arena.bots/1", columns, rows, {}, rows_key="bots"), form)


def _summary(file: Path) -> str:
    """Return the first line of what a Python file says about itself."""
    import ast

    text = ast.get_docstring(ast.parse(file.read_bytes())) or ""
    return text.partition("\n")[0].rstrip(".")


def _find(bot: str) -> Bot:
    """Return the bot that a word of the command line stands for, with its program."""
    from arena.league.bots import draft_bot, resolve
    from arena.league.config_schema import BotTable, EachTable
    from arena.league.match import bot_table
    from arena.league.reading import Document, check_table
    from arena.shipped import sample_bots

    samples = sample_bots()
    table = bot_table(bot, Path.cwd(), samples)
    document = Document("bot run", {}, is_file=False)
    checked = check_table(document, ("bot", bot), table, BotTable)
    return resolve(draft_bot(document, bot, checked, EachTable(), Path.cwd(), samples), samples)


@app.command(
    epilog=examples(
        "arena bot run greedy --address 127.0.0.1:4242 --token-file runs/autumn-1/tokens/greedy",
        "ARENA_TOKEN=… arena bot run mybot/ --address 127.0.0.1:4242",
    )
)
def run(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="A sample bot, a folder or a command in quotes.")
    ],
    address: Annotated[
        str,
        typer.Option(
            metavar="HOST:PORT", envvar="ARENA_ADDRESS", help="Where the referee listens."
        ),
    ],
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            envvar="ARENA_TOKEN_FILE",
            help="The file with its token; else ARENA_TOKEN has it.",
        ),
    ] = None,
) -> None:
    """Start a bot that dials in, in the place of this command."""
    if not address.rpartition(":")[2].isdigit() or ":" not in address:
        raise ConfigError(f"--address: expected HOST:PORT, got {quoted(address)}")
    if token_file is None and not os.environ.get("ARENA_TOKEN"):
        raise ConfigError(
            f"bot {quoted(bot)} has no token",
            why="the host of the league gives one to every bot that dials in",
            hint="--token-file FILE, or ARENA_TOKEN in the environment",
        )
    if token_file is not None and not token_file.is_file():
        raise ConfigError(f"--token-file: {token_file} is no file")
    found = _find(bot)
    if found.joins:
        raise ConfigError(f"bot {quoted(bot)} cannot be started from here", hint="name its program")
    environment = os.environ | dict(found.env) | {"ARENA_ADDRESS": address}
    if token_file is not None:
        environment.pop("ARENA_TOKEN", None)
        environment["ARENA_TOKEN_FILE"] = str(token_file.absolute())
    os.chdir(found.cwd)
    try:
        os.execve(found.argv[0], found.argv, environment)  # noqa: S606 (a shell is not wanted)
    except OSError as error:
        raise MachineError(f"cannot start {found.argv[0]}: {error.strerror}") from error
