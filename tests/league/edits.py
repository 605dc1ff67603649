"""Records that are edited and sealed anew, as whoever holds the file could."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from arena.league.record_lines import seal

VECTORS = Path(__file__).parents[1] / "vectors"
RECORDS = VECTORS / "records"


class EditedRecord:
    """A record as objects; `write` seals every line and the whole again."""

    def __init__(self, name: str) -> None:
        text = (RECORDS / f"{name}.jsonl").read_text(encoding="utf-8")
        self.lines: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]

    @property
    def header(self) -> dict[str, Any]:
        found: dict[str, Any] = self.lines[0]["header"]
        return found

    @property
    def footer(self) -> dict[str, Any]:
        found: dict[str, Any] = self.lines[-1]["footer"]
        return found

    def line(self, board: int, leg: int, number: int = 1) -> int:
        """Return the number of a deal's line, from 1."""
        for place, line in enumerate(self.lines, 1):
            deal = line.get("deal", {})
            if (deal.get("board"), deal.get("leg"), deal.get("number")) == (board, leg, number):
                return place
        raise KeyError(board, leg, number)

    def deal(self, board: int, leg: int, number: int = 1) -> dict[str, Any]:
        found: dict[str, Any] = self.lines[self.line(board, leg, number) - 1]["deal"]
        return found

    def event(self, kind: str, occurrence: int = 0) -> dict[str, Any]:
        found = [line["event"] for line in self.lines if line.get("event", {}).get("kind") == kind]
        event: dict[str, Any] = found[occurrence]
        return event

    def count(self) -> None:
        """Put the right counts into the footer."""
        self.footer["deals"] = sum("deal" in line for line in self.lines)
        self.footer["events"] = sum("event" in line for line in self.lines)

    def bytes(self, *, finished: bool = True, keep_digest: bool = False) -> bytes:
        """Return the record, every line sealed and the footer's digest computed."""
        body = b"".join(_sealed(line) for line in self.lines[:-1])
        if not finished:
            return body
        if not keep_digest:
            self.footer["sha256"] = hashlib.sha256(body).hexdigest()
        return body + _sealed(self.lines[-1])

    def write(self, folder: Path, **how: bool) -> Path:
        path = folder / "edited.jsonl"
        path.write_bytes(self.bytes(**how))
        return path


def _sealed(line: dict[str, Any]) -> bytes:
    content = {key: value for key, value in line.items() if key != "crc32"}
    body = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
    return seal(body[:-1])
