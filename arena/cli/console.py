"""The one module that prints with Rich: colour, tables and the live display.

Data goes to stdout, everything else to stderr. Rich is imported when something is printed.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import IO, TYPE_CHECKING, Final

from arena.cli.options import Color

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.live import Live

_STYLES: Final = {"S": "bold", "H": "bold red", "D": "red", "C": "bold"}
"""Colours of the suits by letter, as on paper: red ones red."""

_color: Color = Color.AUTO


def choose_color(color: Color) -> None:
    """Set for the whole process when to colour; the last call counts."""
    global _color  # noqa: PLW0603 (one process has one terminal)
    _color = color


def _console(stream: IO[str]) -> Console:
    from rich.console import Console

    force = {Color.ALWAYS: True, Color.NEVER: False, Color.AUTO: None}[_color]
    if force is None and os.environ.get("FORCE_COLOR"):
        force = True
    return Console(
        file=stream,
        force_terminal=force,
        no_color=True if _color is Color.NEVER else None,
        highlight=False,
        soft_wrap=True,
    )


def is_terminal(stream: IO[str]) -> bool:
    """Return whether a stream is a terminal that a live display can use."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Return the columns of the terminal that stdout is, 0 if it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def error_lines(message: str, why: str = "", hint: str = "") -> None:
    """Print an error: what, why, and what to try."""
    from rich.text import Text

    console = _console(sys.stderr)
    console.print(Text.assemble(("error: ", "bold red"), message))
    if why:
        console.print(Text(why))
    if hint:
        console.print(Text.assemble(("try: ", "bold"), hint))


def note(message: str) -> None:
    """Print a line for a person, on stderr."""
    print(message, file=sys.stderr, flush=True)


def table(
    headers: Sequence[tuple[str, bool]], rows: Sequence[Sequence[str]], title: str = ""
) -> None:
    """Print a table on stdout. A header is its text and whether its column is of numbers."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    if title:
        grid.title, grid.title_justify, grid.title_style = title, "left", "bold"
    for header, numeric in headers:
        grid.add_column(header, justify="right" if numeric else "left", no_wrap=True)
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    console = _console(sys.stdout)
    # A number that is cut is no number: what does not fit wraps.
    console.width = max(console.width, 300)
    with console.capture() as captured:
        console.print(grid)
    for line in captured.get().rstrip("\n").split("\n"):
        print(line.rstrip())


def lines(parts: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Print lines on stdout, each of (text, style); a suit's letter is a style too."""
    from rich.text import Text

    console = _console(sys.stdout)
    for line in parts:
        pieces = [(text, _STYLES.get(style, style)) for text, style in line]
        console.print(Text.assemble(*pieces))


class LiveLines:
    """Lines on stderr that are drawn over each other."""

    def __init__(self) -> None:
        from rich.live import Live

        self._live: Live = Live(console=_console(sys.stderr), auto_refresh=False, transient=True)
        self._live.start()

    @property
    def columns(self) -> int:
        """The width of the terminal, in characters."""
        return self._live.console.width

    def draw(self, text: str) -> None:
        """Replace what is drawn."""
        from rich.text import Text

        self._live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)

    def print_above(self, line: str) -> None:
        """Print a line that stays, above what is drawn."""
        from rich.text import Text

        self._live.console.print(Text(line))

    def stop(self) -> None:
        """Remove what is drawn and give the terminal back."""
        self._live.stop()
