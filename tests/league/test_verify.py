"""Verify accepts what is right, checks what is unfinished, and refuses what is no record."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard

from arena.errors import RecordError
from arena.league.verify import verify_record
from tests.league.edits import RECORDS, EditedRecord
from tests.league.leagues import SEED, header, record_bytes

ALL = sorted(path.stem for path in RECORDS.glob("*.jsonl"))


@pytest.mark.parametrize("name", ALL)
def test_the_vectors_are_accepted(name: str) -> None:
    verdict = verify_record(RECORDS / f"{name}.jsonl")
    assert verdict.difference is None
    assert verdict.ok
    assert verdict.is_finished
    assert verdict.deals == EditedRecord(name).footer["deals"]


@pytest.mark.parametrize("name", ALL)
def test_sealing_anew_without_an_edit_is_accepted(name: str, tmp_path: Path) -> None:
    assert verify_record(EditedRecord(name).write(tmp_path)).difference is None


@pytest.mark.parametrize("name", ALL)
def test_an_unfinished_record_is_checked_as_far_as_it_goes(name: str, tmp_path: Path) -> None:
    record = EditedRecord(name)
    path = record.write(tmp_path, finished=False)
    seed = bytes.fromhex(record.footer["seed"])
    for known in (None, seed):
        verdict = verify_record(path, seed=known)
        assert verdict.difference is None
        assert not verdict.is_finished
        assert verdict.deals == record.footer["deals"]


PLAYS: list[tuple[str, list[str], list[str]]] = [
    ("boards", ["a", "b", "c", "house"], []),
    ("boards", ["a", "b", "c", "d", "e"], []),
    ("independent", ["a", "b", "c", "d", "e", "f", "g"], []),
    ("points", ["a", "b", "c", "d", "e"], []),
    ("gauntlet", ["a", "b", "c", "d", "e", "f"], ["c", "d", "e", "f"]),
    ("duel", ["a", "b"], []),
    ("paired", ["a", "b", "c", "d", "e", "f"], ["c", "d", "e", "f"]),
]


@pytest.mark.parametrize("play,names,field", PLAYS)
def test_what_we_write_is_accepted(
    play: str, names: list[str], field: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "deals.jsonl"
    path.write_bytes(record_bytes(header(play, names, field=tuple(field))))
    assert verify_record(path).difference is None


# --- the seal and the file ----------------------------------------------------------------------


def test_a_line_that_is_not_sealed_anew_is_found(tmp_path: Path) -> None:
    data = (RECORDS / "boards4.jsonl").read_bytes()
    path = tmp_path / "deals.jsonl"
    path.write_bytes(data.replace(b'"board":3,"leg":2', b'"board":3,"leg":3', 1))
    difference = verify_record(path).difference
    assert difference is not None
    assert difference.line == EditedRecord("boards4").line(3, 2)
    assert "crc32" in str(difference)


def test_a_digest_that_is_not_made_anew_is_found(tmp_path: Path) -> None:
    record = EditedRecord("boards4")
    record.deal(1, 0)["think_us"][0] += 1
    verdict = verify_record(record.write(tmp_path, keep_digest=True))
    assert "footer: sha256" in str(verdict.difference)
    assert verify_record(record.write(tmp_path)).ok  # what a record cannot show by itself


def test_what_was_published_shows_an_exchange(tmp_path: Path) -> None:
    record = EditedRecord("boards4")
    commitment, sha256 = record.header["seed_commitment"], record.footer["sha256"]
    path = RECORDS / "boards4.jsonl"
    assert verify_record(path, commitment=commitment, sha256=sha256).ok
    assert verify_record(path, commitment=commitment.upper(), sha256=sha256.upper()).ok
    record.deal(1, 0)["think_us"][0] += 1
    edited = record.write(tmp_path)
    assert "sha256 (as published)" in str(verify_record(edited, sha256=sha256).difference)
    found = verify_record(path, commitment="ab" * 32).difference
    assert found is not None
    assert found.line == 1
    assert "seed_commitment (as published)" in str(found)
    unfinished = record.write(tmp_path, finished=False)
    assert "unfinished record" in str(verify_record(unfinished, sha256=sha256).difference)


def test_the_seed_of_an_unfinished_record_is_compared(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    path.write_bytes(record_bytes(header()).rpartition(b'{"footer"')[0])
    assert verify_record(path, seed=SEED).ok
    assert "seed_commitment" in str(verify_record(path, seed=bytes(32)).difference)


def test_a_torn_last_line_is_no_difference_before_the_end(tmp_path: Path) -> None:
    data = record_bytes(header())
    path = tmp_path / "deals.jsonl"
    path.write_bytes(data[:-10])
    verdict = verify_record(path)
    assert verdict.ok
    assert verdict.is_torn
    assert not verdict.is_finished
    path.write_bytes(data[:-1])  # an editor took the last newline
    assert verify_record(path).ok
    path.write_bytes(data + b'{"deal"')
    assert "nothing after the footer" in str(verify_record(path).difference)
    path.write_bytes(data + data.splitlines(keepends=True)[1])
    assert not verify_record(path).ok


def test_packed_records_are_read(tmp_path: Path) -> None:
    data = (RECORDS / "points.jsonl").read_bytes()
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(data))
    (tmp_path / "b.jsonl.zst").write_bytes(zstandard.compress(data))
    assert verify_record(tmp_path / "a.jsonl.gz").ok
    assert verify_record(tmp_path / "b.jsonl.zst").ok


@pytest.mark.parametrize("data", [b"", b'{"header":{"format":"brandeln-record/2"}', b"\x1f\x8bnot"])
def test_what_is_no_record_is_refused(data: bytes, tmp_path: Path) -> None:
    from arena.league.record_lines import seal

    path = tmp_path / "deals.jsonl"
    path.write_bytes(seal(data) if data.startswith(b"{") else data)
    with pytest.raises(RecordError):
        verify_record(path)


def test_a_file_that_is_no_record_at_all_differs_in_line_one(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    for data in (b"hello\nworld\n", b"hello", b"\n\n", b"\xff\xfe\n"):
        path.write_bytes(data)
        difference = verify_record(path).difference
        assert difference is not None
        assert difference.line <= 1


def test_unknown_fields_are_ignored(tmp_path: Path) -> None:
    record = EditedRecord("boards4")
    record.header["beacon"] = {"url": "x"}
    record.deal(1, 0)["mood"] = "good"
    record.lines[3]["note"] = [1, 2]
    assert verify_record(record.write(tmp_path)).ok
