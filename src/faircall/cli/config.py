"""`faircall config validate`: what a config says, with every default, or what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from faircall.cli.console import JsonFlag, new_app, print_json, print_text

app = new_app(help="Check a config and show it with every default written out.")

ConfigOption: TypeAlias = Annotated[Path, typer.Option("--config", "-c", help="The config.")]


@app.callback()
def _verbs() -> None:
    """Keep `validate` a word of its own while it is the only one."""


@app.command(epilog="Example: faircall config validate -c faircall.yaml")
def validate(config: ConfigOption, as_json: JsonFlag = False) -> None:
    """Check a config and show it with every default written out."""
    from faircall.config import load_config
    from faircall.pipeline.arm_request import require_known_names

    loaded = load_config(config)
    require_known_names(loaded)
    if as_json:
        print_json({"config_sha256": loaded.sha256, **loaded.resolved()})
        return
    print_text(loaded.to_yaml())
    print_text(f"valid: {config}")
