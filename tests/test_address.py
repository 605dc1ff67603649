"""Where a referee may listen."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.address import loopback_host
from arena.errors import ConfigError
from arena.league.match import match_league
from arena.shipped import sample_bots


@pytest.mark.parametrize(
    "address, host",
    [("127.0.0.1:0", "127.0.0.1"), ("127.9.9.9:50051", "127.9.9.9"), ("[::1]:1", "[::1]")],
)
def test_addresses_of_this_machine_are_taken(address: str, host: str) -> None:
    assert loopback_host(address) == host


@pytest.mark.parametrize(
    "address, why",
    [
        ("0.0.0.0:4242", "not on loopback"),
        ("127.0.0.1.example.org:1", "not on loopback"),
        ("127.0.0.300:1", "not on loopback"),
        ("127.0.0.1", "expected host:port"),
        ("127.0.0.1:65536", "expected a port up to 65535"),
    ],
)
def test_other_addresses_are_refused_with_the_reason(address: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        loopback_host(address)


def test_a_league_is_refused_before_its_folder_is_made(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not on loopback"):
        match_league(
            ["random"] * 4,
            ['server.address="0.0.0.0:4242"'],
            base=tmp_path,
            samples=sample_bots(),
        )
