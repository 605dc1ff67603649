"""Addresses a referee listens on: `host:port`, on this machine."""

from __future__ import annotations

from arena.errors import ConfigError
from arena.printable import quoted

HIGHEST_PORT = 65535


def loopback_host(address: str, place: str = "server.address") -> str:
    """Return the host of `host:port` when it is this machine's own.

    `place` is what errors call the address. Raises `ConfigError` for anything else: tokens and
    cards travel in plain text, so they stay on loopback.

    >>> loopback_host("127.0.0.1:0")
    '127.0.0.1'
    """
    host, _, port = address.rpartition(":")
    if not (port.isascii() and port.isdigit()) or not host:
        msg = f"{place}: expected host:port such as 127.0.0.1:0, got {quoted(address)}"
        raise ConfigError(msg)
    if int(port) > HIGHEST_PORT:
        msg = f"{place}: expected a port up to {HIGHEST_PORT}, got {port}"
        raise ConfigError(msg)
    if host not in ("localhost", "[::1]") and not _is_127(host):
        msg = f"{place}: {quoted(address)} is not on loopback"
        raise ConfigError(
            msg,
            why="tokens and cards would travel in plain text; TLS is not yet supported",
            hint="127.0.0.1:0, and a tunnel such as ssh -R for bots elsewhere",
        )
    return host


def _is_127(host: str) -> bool:
    parts = host.split(".")
    in_range = all(part.isascii() and part.isdigit() and int(part) < 256 for part in parts)
    return len(parts) == 4 and parts[0] == "127" and in_range
