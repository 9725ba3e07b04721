"""A small run with formatted prompts and stored answers, made through the store: no model is needed."""

import json

from faircall.canonical import canonical_json
from faircall.config import load_config
from faircall.digest import sha256_json, sha256_text
from faircall.store.atomic import write_json_lines
from faircall.store.layout import run_folder
from faircall.store.manifest import start_run, write_stage_manifest

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = [{"name": "wx", "description": "weather", "parameters": PARAMETERS}]
CITIES = ("Graz", "Oslo", "Rome", "Lima", "Pune", "Bern")
CONFIG = """\
schema_version: faircall.config.v1
project: {name: tiny, artifact_root: artifacts}
model: {base_model_id: owner/tiny, base_model_revision: r1}
arms:
  base: {replay: base.jsonl}
  adapter: {replay: adapter.jsonl, adapter: owner/lora, revision: r2}
datasets:
  - {language: en, path: rows.jsonl}
  - {language: fr, path: rows.fr.jsonl, paired: true}
data: {n_test: 6}
eval: {slices: [en, fr], max_new_tokens: 64, backend: replay}
"""


def prompt_row(number, language):
    root = f"en-{number}"
    text = f"<{language}> weather in {CITIES[number]}"
    return {
        "example_id": root if language == "en" else f"fr-{number}",
        "language": language,
        "source_example_id": None if language == "en" else root,
        "prompt_text": text,
        "target_text": canonical_json({"name": "wx", "arguments": {"city": CITIES[number]}}),
        "prompt_sha256": sha256_text(text),
        "messages_sha256": sha256_text("messages" + text),
        "tools_sha256": sha256_json(TOOLS),
        "tools": TOOLS,
    }


def rows(french=4):
    return [prompt_row(i, "en") for i in range(len(CITIES))] + [prompt_row(i, "fr") for i in range(french)]


def answers(prompts, *, right):
    """One stored answer per prompt; those whose number is in `right` are the gold call."""
    return [
        {
            "example_id": row["example_id"],
            "raw_text": row["target_text"] if int(row["example_id"][3:]) in right else "I cannot say.",
            "finish_reason": "stop",
            "prompt_tokens": 9,
            "new_tokens": 4,
        }
        for row in prompts
    ]


def build(folder, *, config=CONFIG, prompts=None, base=(0, 1), adapter=(0, 1, 2, 3, 4)):
    """Write config, rows, answers and the stages `data` and `format`; returns `(run, config)`."""
    prompts = rows() if prompts is None else prompts
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(config)
    for name in ("rows.jsonl", "rows.fr.jsonl"):
        (folder / name).write_text(json.dumps({"query": "q", "tools": "[]", "answers": "[]"}) + "\n")
    write_json_lines(folder / "base.jsonl", answers(prompts, right=base))
    write_json_lines(folder / "adapter.jsonl", answers(prompts, right=adapter))
    loaded = load_config(folder / "config.yaml")
    run = run_folder(folder / "artifacts", "run-1")
    start_run(run, config_yaml=loaded.to_yaml(), config_sha256=loaded.sha256)
    write_json_lines(run.data_file("test"), [{"example_id": row["example_id"]} for row in prompts])
    write_stage_manifest(run, "data", outputs=[run.data_file("test")])
    write_json_lines(run.formatted_file("test"), prompts)
    facts = {"template_sha256": sha256_text("template")}
    write_stage_manifest(run, "format", outputs=[run.formatted_file("test")], facts=facts)
    return run, loaded
