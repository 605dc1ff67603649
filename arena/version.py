"""The versions that `arena --version` prints and that records and handshakes carry."""

from typing import Final

__version__ = "0.1.0"
"""The version of the distribution `brandeln-arena`."""

WIRE_VERSION: Final = "arena.v1"
"""The protobuf package of the wire."""

RULES_VERSION: Final = "brandeln"
"""The name of the default ruleset."""
