"""The legs that have been played, in a byte a board."""

from __future__ import annotations


class DoneLegs:
    """The legs that are in a record, one byte a board: `(board, leg) in done`."""

    __slots__ = ("_boards", "count")

    def __init__(self) -> None:
        self._boards = bytearray()
        self.count = 0
        """The number of legs."""

    def add(self, board: int, leg: int) -> None:
        """Note a leg, 0 to 7, of a board, from 1."""
        if board >= len(self._boards):
            self._boards.extend(bytes(board + 1024 - len(self._boards)))
        if not self._boards[board] >> leg & 1:
            self._boards[board] |= 1 << leg
            self.count += 1

    def __contains__(self, leg: object) -> bool:
        board, number = leg if isinstance(leg, tuple) else (0, 0)
        return board < len(self._boards) and bool(self._boards[board] >> number & 1)
