"""faircall: a conservative evaluation of LLM tool calls that anyone can re-derive.

     foreign     Example      Prompt      Generation      Parse        Score       Comparison    text
      rows  --> import --> format --> generate --> parse --> score --> compare --> report -->
                importing/  formatting/ generating/  parsing/  scoring/  comparing/  reporting/

Public names are imported on first use, so `import faircall` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from faircall import metrics
    from faircall.api import Comparison, Evaluation, PreparedGold, compare, prepare_gold, score
    from faircall.canonical import canonical_json
    from faircall.parsing.tool_call import parse_tool_call
    from faircall.records import METRIC_NAMES, PARSER_VERSION, MetricValue, Parsed, ToolCall
    from faircall.scoring.flatten import flatten_arguments

__version__ = "0.1.0"

__all__ = [
    "METRIC_NAMES",
    "PARSER_VERSION",
    "Comparison",
    "Evaluation",
    "MetricValue",
    "Parsed",
    "PreparedGold",
    "ToolCall",
    "canonical_json",
    "compare",
    "flatten_arguments",
    "metrics",
    "parse_tool_call",
    "prepare_gold",
    "score",
]

_HOMES: Final = {
    "METRIC_NAMES": "faircall.records",
    "PARSER_VERSION": "faircall.records",
    "Comparison": "faircall.api",
    "Evaluation": "faircall.api",
    "MetricValue": "faircall.records",
    "Parsed": "faircall.records",
    "PreparedGold": "faircall.api",
    "ToolCall": "faircall.records",
    "canonical_json": "faircall.canonical",
    "compare": "faircall.api",
    "flatten_arguments": "faircall.scoring.flatten",
    "parse_tool_call": "faircall.parsing.tool_call",
    "prepare_gold": "faircall.api",
    "score": "faircall.api",
}


def __getattr__(name: str) -> Any:
    """Import a public name on its first use (PEP 562)."""
    if name == "metrics":
        return import_module("faircall.metrics")
    if name not in _HOMES:
        raise AttributeError(f"module 'faircall' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Every public name, imported or not."""
    return sorted({*globals(), *__all__})
