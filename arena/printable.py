"""Texts of strangers, fit for a terminal and for a line."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

VALUE_CHARACTERS: Final = 80
"""What a message shows of a value."""
PATH_CHARACTERS: Final = 200
"""What a message shows of a path."""
_COLOUR: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def printable(text: str) -> str:
    r"""Return a text on one line without anything that a terminal would obey.

    Lines are joined by ` | `, colours go, and other control characters are spelled out.

    >>> printable("a\n\x1b[31mred\x1b[0m\x07\n")
    'a | red\\x07'
    """
    if text.isascii() and text.isprintable():
        return text.strip()
    lines = [line.strip() for line in _COLOUR.sub("", text).splitlines()]
    return visible(" | ".join(line for line in lines if line).replace("\t", " "))


def visible(text: str) -> str:
    r"""Return a text with everything that is no sign spelled out; blanks stay where they are.

    >>> visible(" a\x1b[2J\n")
    ' a\\x1b[2J\\n'
    """
    if text.isprintable():
        return text
    return "".join(
        each.encode("unicode_escape").decode() if unicodedata.category(each) in _UNSEEN else each
        for each in text
    )


def printable_lines(text: str) -> str:
    r"""Return a text without anything that a terminal would obey, its lines and indents kept.

    >>> printable_lines("a\n  \x1b[2Jb\x07")
    'a\n  b\\x07'
    """
    if text.isascii() and text.isprintable():
        return text
    lines = text.expandtabs(4).split("\n")
    return "\n".join(line[: len(line) - len(line.lstrip(" "))] + printable(line) for line in lines)


def shortened(text: str, most: int = VALUE_CHARACTERS) -> str:
    """Return a text of at most so many characters: its beginning and its end.

    >>> shortened("abcdefghijklmnopqrstuvwxyz", 11)
    'abcde...xyz'
    """
    if len(text) <= most:
        return text
    kept = most - 3
    end = kept // 3 + (kept % 3 > 0)
    return f"{text[: kept - end]}...{text[len(text) - end :]}"


def shown_path(path: object) -> str:
    """Return a path as messages show it: on one line, and not too long."""
    return shortened(printable(str(path)), PATH_CHARACTERS)


def quoted(text: str) -> str:
    r"""Return a value as messages show it: in quotes, on one line, and not too long.

    >>> quoted("a\x00b"), quoted("x" * 1000)[:5]
    ("'a\\x00b'", "'xxxx")
    """
    return repr(shortened(text))
