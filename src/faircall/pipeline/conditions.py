"""The identity of an arm: the named sections that the gate compares, and what binds a journal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faircall.config import Config
from faircall.generating.backend import Description
from faircall.parsing import readers
from faircall.pipeline.prompts import PromptSet
from faircall.records import METRIC_NAMES, PARSER_VERSION
from faircall.scoring.call_metrics import METRIC_PROTOCOL


def reader_section(reader: str = PARSER_VERSION) -> dict[str, Any]:
    """Which reader decides, and the decisions in force."""
    return dict(readers.reader_identity(readers.get(reader)))


def metrics_section() -> dict[str, Any]:
    """The metrics and the protocol that defines them."""
    return {"protocol": METRIC_PROTOCOL, "names": list(METRIC_NAMES)}


def journal_conditions(
    description: Description, prompts: PromptSet, *, config: Config, model_kind: str
) -> dict[str, Any]:
    """Everything that a generation depends on; a journal takes no generation of other conditions."""
    return {
        **{name: dict(fields) for name, fields in description.items()},
        "prompts": {"split": config.eval.split, "limit": prompts.limit, "sets": prompts.digests()},
        "reader": reader_section(config.eval.reader),
        "arm": {"model_kind": model_kind},
    }


def identity_of(
    conditions: Mapping[str, Any],
    *,
    config: Config,
    config_sha256: str,
    test_split_sha256: str,
    prompt_style: Mapping[str, Any],
) -> dict[str, dict[str, Any]]:
    """The sections that a report states; what the rows show (ids, gold, prompts) joins them when compared."""
    return {
        "data": {"test_split_sha256": test_split_sha256, "roots": conditions["prompts"]["limit"] or "all"},
        "prompt": {
            "policy": config.formatting.template_policy,
            **{name: _stated(name, value) for name, value in prompt_style.items()},
        },
        "model": dict(conditions["model"]),
        "adapter": dict(conditions["adapter"]),
        "decoding": dict(conditions["decoding"]),
        "backend": dict(conditions["backend"]),
        "reader": dict(conditions["reader"]),
        "metrics": metrics_section(),
        "config": {"config_sha256": config_sha256},
    }


def _stated(name: str, value: Any) -> Any:
    """What was left out is "none"; a template that is not known is the server's, and stays unknown."""
    return "none" if value is None and name != "template_sha256" else value
