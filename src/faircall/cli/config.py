"""`faircall config validate`: what a config says, with every default, or what is wrong with it."""

from __future__ import annotations

from faircall.cli import options
from faircall.cli.console import JsonFlag, new_group, print_json, print_text

app = new_group(help="Check a config and show it with every default written out.")


@app.command(epilog="Example: faircall config validate -c faircall.yaml")
def validate(config: options.ConfigFile, as_json: JsonFlag = False) -> None:
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
