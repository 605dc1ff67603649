"""`arena proto`: the protocol's files for bots in other languages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import console
from arena.cli.text import examples, group

app = group("The protocol's .proto files, for bots in other languages.")


@app.callback()
def _group() -> None:
    """The protocol's .proto files, for bots in other languages."""


@app.command(epilog=examples("arena proto export proto", "arena proto export mybot/proto"))
def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where arena/v1/*.proto goes.")],
) -> None:
    """Write the .proto files into a folder, to be compiled there."""
    from arena.shipped import proto_folder

    source = proto_folder()
    for file in sorted(source.rglob("*.proto")):
        target = folder / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
        console.note(f"wrote {target}")
