"""Checking a record's header (RECORD)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from arena.errors import ConfigError
from arena.league.record import NAME_PATTERN, Entrant, Header
from arena.league.schedule import HOUSE, Play, seated
from arena.league.verify_values import DiffersError, expect, require

if TYPE_CHECKING:
    from arena.rules.ruleset import Ruleset

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


def is_digest(text: str) -> bool:
    """Return whether a text is 32 bytes as lower-case hex digits."""
    return bool(_DIGEST.fullmatch(text))


def check_header(header: Header) -> Ruleset:
    """Return the ruleset of a header.

    Raises `DiffersError` when a field is out of range or the numbers do not fit the play.
    """
    plays = " ".join(play.value for play in Play)
    require("play", f"one of {plays}", header.play, holds=header.play in set(Play))
    try:
        ruleset = header.ruleset.rules()
    except ConfigError as error:
        raise DiffersError("ruleset", "", error.message) from error
    _check_numbers(header)
    for what, digest in (
        ("seed_commitment", header.seed_commitment),
        ("config_sha256", header.config_sha256),
    ):
        require(what, "64 lower-case hex digits", digest, holds=is_digest(digest))
    _check_entrants(header)
    return ruleset


def _check_numbers(header: Header) -> None:
    for what, number, least in (
        ("passes", header.passes, 1),
        ("fault_points", header.fault_points, 0),
        ("fault_crashes", header.fault_crashes, 0),
        ("fault_after", header.fault_after, 0),
        ("clock.move_ms", header.clock.move_ms, 0),
        ("clock.bank_ms", header.clock.bank_ms, 0),
    ):
        require(what, f"{least} or more", number, holds=number >= least)
    share = header.fault_share
    require("fault_share", "a share from 0 to 1", share, holds=0 <= share <= 1)
    known = {"none", "leg"}
    isolation = header.isolation
    require("isolation", "none or leg", isolation, holds=isolation in known)
    if header.play == Play.POINTS:
        for what, limit in (("target", header.target), ("max_deals", header.max_deals)):
            require(what, "1 or more", limit, holds=limit is not None and limit >= 1)
    else:
        expect("target", None, header.target)
        expect("max_deals", None, header.max_deals)


def _check_entrants(header: Header) -> None:
    folded = set()
    for entrant in header.entrants:
        _check_entrant(entrant)
        if entrant.name.lower() in folded:
            raise DiffersError("entrants", "unique names", f"{entrant.name} twice")
        folded.add(entrant.name.lower())
    try:
        names = seated(Play(header.play), header.names, header.field)
    except ConfigError as error:
        raise DiffersError("entrants", "", error.message) from error
    expect("entrants", names, header.names)
    houses = [entrant.name for entrant in header.entrants if entrant.house]
    four_with_house = not Play(header.play).has_field and len(names) == 4 and names[3] == HOUSE
    expect("house bots", [HOUSE] if four_with_house else [], houses)


def _check_entrant(entrant: Entrant) -> None:
    name = entrant.name
    form = "1 to 32 of A-Z a-z 0-9 . _ -, the first a letter or digit"
    require("entrant's name", form, name, holds=bool(NAME_PATTERN.fullmatch(name)))
    is_house = name.lower() == HOUSE
    require("entrant's name", "house for the house bot only", name, holds=is_house == entrant.house)
    digest = entrant.digest
    fits = not digest or is_digest(digest)
    require(f"digest of {name}", "64 lower-case hex digits", digest, holds=fits)
