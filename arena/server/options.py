"""The option sheet of the gRPC server; each was measured, see docs/explanation/decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.wire.frames import MAX_MESSAGE_BYTES

if TYPE_CHECKING:
    from arena.referee.values import Clock

Option = tuple[str, int]

LEAST_SILENCE_MS: Final = 20_000
"""No ping times out sooner, in ms."""
DESCRIPTORS_A_BOT: Final = 4
"""File descriptors for each bot: its socket, its output, and what starting it takes."""


def server_options(clock: Clock) -> list[Option]:
    """Return the channel arguments of a server for bots under a clock.

    A ping times out after twice the longest silence that a bot is allowed, since some runtimes
    compute on the thread that answers pings. Without a clock there are no pings.
    """
    silence_ms = 2 * (3 * clock.move_ms + clock.bank_ms)
    timeout_ms = max(silence_ms, LEAST_SILENCE_MS)
    options = [
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        ("grpc.max_send_message_length", 1 << 20),
        ("grpc.max_metadata_size", 8192),
        ("grpc.max_concurrent_streams", 64),
        ("grpc.http2.bdp_probe", 0),
        ("grpc.server_handshake_timeout_ms", 5000),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 5000),
    ]
    if not clock.is_off:
        options += [
            ("grpc.keepalive_time_ms", 30_000),
            ("grpc.keepalive_timeout_ms", timeout_ms),
            ("grpc.http2.ping_timeout_ms", timeout_ms),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.max_pings_without_data", 0),
        ]
    return options
