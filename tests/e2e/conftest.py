"""What tests with real processes share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.runs import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    """A folder for a test; at its end none of the test's processes is left."""
    made = Folder(tmp_path)
    yield made
    made.end_all()
