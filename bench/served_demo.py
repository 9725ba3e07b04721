"""The demo's base model behind the llama.cpp server, against the shipped answers of `transformers`.

    python bench/served_demo.py [--folder DIR] [--port PORT]

Needs the extras `demo` and `openai`, and the package xllamacpp. Both arms hold the same GGUF's weights: the
reference run has them in float32, the server as they are (Q4_1). All 240 prompts take minutes on two cores; a
run in DIR that was stopped goes on with the same port. Rewrites its block in docs/servers.md.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml

from faircall.config import load_config
from faircall.demo.project import create_project, link_model
from faircall.demo.replay import reference_run
from faircall.errors import Incomparable
from faircall.generating.hugging_face.embedded_model import ensure_embedded_model
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.arms import StoredArm, read_arm
from faircall.pipeline.comparison import compare_stored, write_comparison
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.run import ready_run
from faircall.reporting.numbers import interval, points, rate

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from servers.llama_cpp import NAME, serve  # noqa: E402

PAGE = ROOT / "docs" / "servers.md"
BLOCK = re.compile(r"(<!-- written by bench/served_demo.py -->\n).*?(<!-- end -->)", re.DOTALL)
VARY = ("model", "backend")


def write_config(folder: Path) -> Path:
    """The demo's full config with one arm behind a server, one request in flight."""
    config = yaml.safe_load((folder / "full.yaml").read_text("utf-8"))
    config["arms"] = {"llama_cpp": {"served_as": NAME}}
    config["server"] = {"concurrency": 1, "deadline_seconds": 600, "extra_body": {"cache_prompt": False}}
    del config["claims"]
    path = folder / "served.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False), "utf-8")
    return path


def ask(folder: Path, *, port: int) -> StoredArm:
    """Let the server answer the demo's prompts."""
    create_project(folder)
    link_model(folder, ensure_embedded_model())
    config = load_config(write_config(folder))
    run = ready_run(config)
    with serve(port) as base_url:
        evaluate_arm(run, config, plan_arm(config, "llama_cpp", base_url=base_url))
    return read_arm(run, "llama_cpp")


def refusal(baseline: StoredArm, candidate: StoredArm) -> str:
    """What the gate says to the pair when nothing is declared."""
    try:
        compare_stored(baseline, candidate)
    except Incomparable as refused:
        return str(refused)
    raise SystemExit("the gate let two engines pass: that is a fault")


def equal_start(one: str, other: str) -> int:
    """Characters until two texts part."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def describe_texts(baseline: StoredArm, candidate: StoredArm) -> list[str]:
    """How many texts are equal, and where the others part."""
    texts = [dict(zip(arm.scores.ids, to_texts(arm), strict=True)) for arm in (baseline, candidate)]
    pairs = [(texts[0][name], text) for name, text in texts[1].items()]
    parted = sorted(equal_start(*pair) for pair in pairs if pair[0] != pair[1])
    lines = [f"{len(pairs) - len(parted)} of {len(pairs)} texts are identical."]
    if parted:
        lines.append(
            f"The others part after {parted[0]} to {parted[-1]} characters, "
            f"half of them within {statistics.median_low(parted)}."
        )
    return lines


def to_texts(arm: StoredArm) -> Sequence[str]:
    return [generation.raw_text for generation in arm.generations]


def block(baseline: StoredArm, candidate: StoredArm, report: dict[str, Any]) -> str:
    """What the page shows."""
    lines = [
        " ".join(describe_texts(baseline, candidate)),
        "",
        "| | transformers | llama.cpp | difference |",
        "|---|---|---|---|",
        *metric_lines(report["overall"]["metrics"]),
        *status_lines(baseline, candidate),
        "",
        "Without `--vary` the pair is refused. Declared (`--vary model --vary backend`), it differs in:",
        "",
        "| condition | transformers | llama.cpp |",
        "|---|---|---|",
        *condition_lines(report["treatment"]["differs"]),
        "",
        f"transformers {version('transformers')}, xllamacpp {version('xllamacpp')}.",
    ]
    return "\n".join(lines) + "\n"


def metric_lines(metrics: Mapping[str, Any]) -> Iterator[str]:
    for name, metric in metrics.items():
        sides = (rate(metric[side]["value"]) for side in ("baseline", "candidate"))
        bounds = metric["interval"]
        change = f"{points(metric['delta'])} {interval(bounds['lower'], bounds['upper'])}"
        yield f"| `{name}` | {' | '.join(sides)} | {change} |"


def status_lines(*arms: StoredArm) -> Iterator[str]:
    found = [Counter(row.status for row in arm.scores.parsed) for arm in arms]
    for status in ("ok", "invalid_shape", "invalid_json", "no_json"):
        yield f"| parse status `{status}` | {' | '.join(str(counts[status]) for counts in found)} | |"


def condition_lines(differs: Mapping[str, Any]) -> Iterator[str]:
    for path, pair in differs.items():
        yield f"| `{path}` | {brief(pair['baseline'])} | {brief(pair['candidate'])} |"


def brief(value: Any) -> str:
    text = "unknown" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--folder", type=Path)
    options.add_argument("--port", type=int, default=8091)
    given = options.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="served-demo-"))
    candidate = ask(folder, port=given.port)
    baseline = read_arm(reference_run(), "base")
    print(refusal(baseline, candidate))
    report = compare_stored(baseline, candidate, vary=VARY)
    write_comparison(report, folder / "report", arms=(baseline, candidate))
    text = block(baseline, candidate, report)
    print(text)
    page = PAGE.read_text("utf-8")
    PAGE.write_text(BLOCK.sub(lambda match: match[1] + text + match[2], page), "utf-8")


if __name__ == "__main__":
    main()
