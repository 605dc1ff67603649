from __future__ import annotations

from pathlib import Path

import pytest

from arena.bot.settings import Settings, find_referee
from arena.errors import ConfigError

HERE = {"ARENA_ADDRESS": "127.0.0.1:1"}


def test_arguments_come_before_the_environment() -> None:
    environ = {**HERE, "ARENA_TOKEN": "theirs"}
    assert find_referee("unix:/x", "mine", environ) == ("unix:/x", "mine")
    assert find_referee(None, None, environ) == ("127.0.0.1:1", "theirs")


def test_a_token_file_is_read_without_its_line_end(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("s3cret\n")
    assert find_referee(None, None, {**HERE, "ARENA_TOKEN_FILE": str(file)})[1] == "s3cret"


def test_the_token_itself_comes_before_its_file(tmp_path: Path) -> None:
    environ = {**HERE, "ARENA_TOKEN": "t", "ARENA_TOKEN_FILE": str(tmp_path / "none")}
    assert find_referee(None, None, environ)[1] == "t"


@pytest.mark.parametrize(
    "environ, message",
    [
        ({}, "no address of a referee"),
        ({"ARENA_TOKEN": "t"}, "no address of a referee"),
        (HERE, "no token for the referee at 127.0.0.1:1"),
        ({**HERE, "ARENA_TOKEN_FILE": "/nowhere/token"}, "cannot read the token in /nowhere/token"),
        ({**HERE, "ARENA_TOKEN": "two words"}, "printable"),
        ({**HERE, "ARENA_TOKEN": "line\nline"}, "printable"),
        ({**HERE, "ARENA_TOKEN": "tökén"}, "printable"),
    ],
)
def test_what_is_missing_is_said_in_three_lines(environ: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        find_referee(None, None, environ)
    assert len(str(caught.value).splitlines()) <= 3


def test_a_token_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not plain text"):
        find_referee(None, None, {**HERE, "ARENA_TOKEN_FILE": str(file)})


@pytest.mark.parametrize("number", [0, 129, -1])
def test_max_in_flight_is_1_to_128(number: int) -> None:
    with pytest.raises(ConfigError, match="max_in_flight: expected 1 to 128"):
        Settings(max_in_flight=number)


@pytest.mark.parametrize("label", ["name", "version"])
def test_a_label_is_at_most_64_characters(label: str) -> None:
    with pytest.raises(ConfigError, match=f"{label}: expected at most 64"):
        Settings(**{label: "x" * 65})  # type: ignore[arg-type]
