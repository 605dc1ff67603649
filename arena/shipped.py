"""Where the files that come with the arena are: in its wheel, or in a checkout."""

from __future__ import annotations

from pathlib import Path

from arena.errors import MachineError

_PACKAGE = Path(__file__).parent


def proto_folder() -> Path:
    """Return the folder that holds `arena/v1/*.proto`."""
    return _find("_proto", "proto")


def sample_bots_folder() -> Path:
    """Return the folder with the sample bots, one folder a language in it."""
    return _find("_sample_bots", "sample_bots")


def sample_bots() -> dict[str, Path]:
    """Return the file of every sample bot that a league can name, by its name.

    A file `random_.py` is the bot `random`: the mark keeps it from hiding the library's module.
    """
    files = sorted((sample_bots_folder() / "python").glob("[a-z]*.py"))
    return {file.stem.rstrip("_"): file for file in files}


def _find(in_wheel: str, in_checkout: str) -> Path:
    for folder in (_PACKAGE / in_wheel, _PACKAGE.parent / in_checkout):
        if folder.is_dir():
            return folder
    raise MachineError(
        f"the arena's installation lacks its folder {in_checkout}",
        hint="install the arena anew",
    )
