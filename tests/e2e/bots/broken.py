"""Ends before it says Hello."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    print("cannot load weights.bin\nno such file", file=sys.stderr)
    sys.exit(7)
