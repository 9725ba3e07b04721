"""`faircall format build`: the splits of a run to the prompts that every arm gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faircall.cli import options
from faircall.cli.console import JsonFlag, new_group, print_json, print_text, print_written

app = new_group(help="Render the prompts of a run with the model's own chat template.")


@app.command(epilog="Example: faircall format build -c faircall.yaml")
def build(config: options.ConfigOfRun, run_id: options.StartedRun = None, as_json: JsonFlag = False) -> None:
    """Render the prompts of a run with the model's own chat template."""
    from faircall.pipeline.format import STAGE, build_prompts
    from faircall.pipeline.runs import open_run_with_config
    from faircall.store.manifest import read_stage_manifest

    run, loaded = open_run_with_config(config, run_id)
    build_prompts(loaded, run=run)
    facts = read_stage_manifest(run, STAGE)["facts"]
    if as_json:
        print_json({"run": str(run.path), **facts})
    else:
        print_text(_template_line(facts, loaded.formatting.chat_template_from))
    print_written(run.path / "formatted", json_on_stdout=as_json)


def _template_line(facts: Mapping[str, Any], origin: str) -> str:
    digest = facts["template_sha256"]
    if digest is None:
        return "messages and tools as JSON: the server renders them with its own chat template"
    return f"chat template {digest[:16]} from {origin}"
