"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# The machine that runs the tests may be busy: an example that takes long is no failure.
settings.register_profile("arena", deadline=None)
settings.load_profile("arena")
