"""The two forms in which the Hugging Face Hub takes evaluation results, as YAML.

`model-index` is a block of a model card's front matter; `.eval_results/*.yaml` is a file of its own, for data
that the Hub knows as a benchmark. Sources: hub-docs `modelcard.md` and `eval_results.yaml`. Both state the
arm in question: of a comparison, the candidate. Values are shares, not rounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import yaml

from faircall.errors import UsageError
from faircall.records import HEADLINE, METRIC_NAMES
from faircall.reporting import numbers
from faircall.reporting.renderers import Renderer, Subject

Json = Mapping[str, Any]

_DATASET: Final = re.compile(r"(?P<id>[\w.-]+/[\w.-]+)(?:@(?P<revision>[\w./-]+))?", re.ASCII)
_TASK: Final = {"type": "text-generation", "name": "Tool calling"}
_UNNAMED: Final = {"type": "tool-calls", "name": "tool calls"}


class _Scope(NamedTuple):
    name: str
    facts: Json
    metrics: Json


def to_model_index(subject: Subject) -> bytes:
    """A `model-index` block: one result per scope, each metric with its counts and its interval."""
    results = [_result(scope, _dataset(subject.dataset)) for scope in _scopes(subject)]
    return _yaml({"model-index": [{"name": _model_name(subject), "results": results}]})


def to_eval_results(subject: Subject) -> bytes:
    """An `.eval_results` file: the strictest metric over all examples.

    Raises:
        UsageError: no dataset of the Hub was named; the form is about benchmarks that are there.
    """
    known = _named_dataset(subject.dataset)
    dataset = {"id": known["type"], "task_id": subject.task}
    if "revision" in known:
        dataset["revision"] = known["revision"]
    metric = next(_scopes(subject)).metrics[HEADLINE]
    return _yaml([{"dataset": dataset, "value": metric["value"], "notes": _notes(subject, metric)}])


def _notes(subject: Subject, metric: Json) -> str:
    counts = numbers.counts(metric["numerator"], metric["denominator"])
    parts = [f"{HEADLINE}, {counts}"]
    if interval := metric.get("interval"):
        bounds = numbers.rate_interval(interval["lower"], interval["upper"])
        parts.append(f"{numbers.level(interval['level'])} CI {bounds}")
    if signature := subject.report.get("signature"):
        parts.append(signature)
    return ", ".join(parts)


def _model_name(subject: Subject) -> str:
    report = subject.report
    return str(report["candidate"]["arm"] if subject.kind == "comparison" else report["name"])


def _scopes(subject: Subject) -> Iterator[_Scope]:
    """Overall first, then the slices."""
    report = subject.report
    comparison = subject.kind == "comparison"
    scopes = {"overall": report["overall"] if comparison else report, **(report.get("slices") or {})}
    for name, scope in scopes.items():
        facts = {
            key: scope[key]
            for key in ("examples", "roots", "prompt_set_sha256")
            if scope.get(key) is not None
        }
        metrics = scope["metrics"]
        if comparison:
            metrics = {metric: delta["candidate"] for metric, delta in metrics.items()}
        yield _Scope(name, facts, metrics)


def _named_dataset(text: str | None) -> dict[str, str]:
    if text is None:
        raise UsageError(
            "eval_results states results on a dataset of the Hub, and none was named",
            hint="--dataset OWNER/NAME, or --format hf for a model-index block",
        )
    return _dataset(text)


def _dataset(text: str | None) -> dict[str, str]:
    if text is None:
        return dict(_UNNAMED)
    match = _DATASET.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} names no dataset of the Hub", hint="--dataset OWNER/NAME[@REVISION]")
    dataset = {"type": match["id"], "name": match["id"]}
    return {**dataset, "revision": match["revision"]} if match["revision"] else dataset


def _result(scope: _Scope, dataset: dict[str, str]) -> dict[str, Any]:
    metrics = [
        _metric(name, scope.metrics[name], scope.facts) for name in METRIC_NAMES if name in scope.metrics
    ]
    return {
        "task": dict(_TASK),
        "dataset": {**dataset, "config": scope.name},
        "metrics": metrics,
    }


def _metric(name: str, metric: Json, facts: Json) -> dict[str, Any]:
    counts = {"numerator": metric["numerator"], "denominator": metric["denominator"]}
    args: dict[str, Any] = {**counts, **facts}
    if interval := metric.get("interval"):
        args["interval"] = dict(interval)
    return {"type": name, "value": metric["value"], "name": name.replace("_", " "), "args": args}


def _yaml(value: Any) -> bytes:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=False, width=110).encode("ascii")


MODEL_INDEX: Final = Renderer(".model-index.yaml", to_model_index, require_dataset=_dataset)
EVAL_RESULTS: Final = Renderer(".eval_results.yaml", to_eval_results, require_dataset=_named_dataset)
