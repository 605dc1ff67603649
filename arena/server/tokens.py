"""Tokens: who may sit down as which entrant."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SCHEME: Final = "bearer "


class Tokens:
    """Knows the tokens of a run by their digests and compares them in constant time."""

    def __init__(self, tokens: Mapping[str, str]) -> None:
        """Take the token of each entrant by its name."""
        self._digests = {name: _digest(token) for name, token in tokens.items()}

    def entrant_of(self, metadata: Iterable[tuple[str, str | bytes]] | None) -> str | None:
        """Return whose token the metadata of a call carries, `None` if it is nobody's."""
        presented = _digest(_bearer(metadata or ()))
        found = None
        for name, digest in self._digests.items():
            if hmac.compare_digest(presented, digest):
                found = name
        return found


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _bearer(metadata: Iterable[tuple[str, str | bytes]]) -> str:
    """Return the token in `authorization: Bearer TOKEN`, "" when there is none."""
    for key, value in metadata:
        if key == "authorization" and isinstance(value, str) and value[:7].lower() == _SCHEME:
            return value[len(_SCHEME) :].strip()
    return ""
