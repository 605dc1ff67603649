"""Standings as a listing."""

from __future__ import annotations

from pathlib import Path

from arena.cli.options import Format


def show(runs: list[Path], form: Format) -> None:
    """Print the standings of one or several records."""
