"""`arena config`: what a league file may say, and what one says."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import output
from arena.cli.options import Format, FormatOption, OverridesOption, globals_of
from arena.cli.text import examples, group

if TYPE_CHECKING:
    from arena.league.config import Setting

app = group("What a league file may say, and what one says.")


@app.command(epilog=examples("arena config schema > league.schema.json", "arena config schema"))
def schema() -> None:
    """Print the JSON Schema of league files, for editors."""
    from arena.league.config_schema import config_schema

    json.dump(config_schema(), sys.stdout, indent=2, ensure_ascii=False)
    print()


@app.command(
    epilog=examples(
        "arena config show autumn.toml --origin",
        "arena --set clock.move=500ms config show autumn.toml",
    )
)
def show(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A league file.")],
    origin: Annotated[
        bool, typer.Option("--origin", help="Say where each value comes from.")
    ] = False,
    overrides: OverridesOption = None,
    form: FormatOption = Format.TABLE,
) -> None:
    """Print every key of a league with its value, defaults and overrides included."""
    from arena.league.config import load_league, settings
    from arena.shipped import sample_bots

    given = (*globals_of(context).overrides, *(overrides or ()))
    league = load_league(file, given, samples=sample_bots())
    variables = _variables(context, overrides or ())
    rows = [
        {"key": row.key, "value": row.value, "origin": _origin(row, variables)}
        for row in settings(league)
    ]
    columns = [output.Column("key", "key"), output.Column("value", "value", _as_toml)]
    if origin:
        columns.append(output.Column("origin", "from"))
    output.show(
        output.Listing("arena.config/1", columns, rows, {"file": str(file)}, rows_key="keys"),
        form,
    )


def _variables(context: typer.Context, own: Sequence[str]) -> dict[str, str]:
    """Return the keys that were overridden from the environment, with the variable."""
    from arena.league.reading import parse_override

    found: dict[str, str] = {}
    root = context.find_root()
    for each, given, variable in (
        (root, globals_of(context).overrides, "ARENA_SET"),
        (context, own, "ARENA_CONFIG_SHOW_SET"),
    ):
        source = each.get_parameter_source("overrides")
        is_variable = source is not None and source.name == "ENVIRONMENT"
        for text in given:
            key = ".".join(parse_override(text).keys)
            found[key] = variable if is_variable else "--set"
    return found


def _origin(setting: Setting, variables: Mapping[str, str]) -> str:
    """Return where a value is from; what `--set` gave may have come from the environment."""
    if setting.origin != "--set":
        return setting.origin
    below = (name for key, name in variables.items() if key.startswith(f"{setting.key}."))
    return variables.get(setting.key) or next(below, setting.origin)


def _as_toml(value: Any) -> str:
    """Return a value as a league file spells it."""
    match value:
        case dict():
            pairs = ", ".join(f"{key} = {_as_toml(item)}" for key, item in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case _:
            return json.dumps(value, ensure_ascii=False)
