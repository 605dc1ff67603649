"""The legs that have been played, in a byte a board."""

from __future__ import annotations

from typing import Final

_PAGE_BITS: Final = 10
_IN_PAGE: Final = (1 << _PAGE_BITS) - 1


class DoneLegs:
    """The legs that are in a record, one byte a board: `(board, leg) in done`.

    The bytes are in pages, so that a board of any number takes no more than a page.
    """

    __slots__ = ("_pages", "count")

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}
        self.count = 0
        """The number of legs."""

    def add(self, board: int, leg: int) -> None:
        """Note a leg, 0 to 7, of a board, from 1."""
        page = self._pages.get(board >> _PAGE_BITS)
        if page is None:
            page = self._pages[board >> _PAGE_BITS] = bytearray(_IN_PAGE + 1)
        if not page[board & _IN_PAGE] >> leg & 1:
            page[board & _IN_PAGE] |= 1 << leg
            self.count += 1

    def __contains__(self, leg: object) -> bool:
        board, number = leg if isinstance(leg, tuple) else (0, 0)
        page = self._pages.get(board >> _PAGE_BITS)
        return page is not None and bool(page[board & _IN_PAGE] >> number & 1)
