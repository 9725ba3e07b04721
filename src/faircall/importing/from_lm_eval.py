"""lm-evaluation-harness: `samples_<task>.jsonl` (answers)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.importing.foreign import Fault, Importer, identifier
from faircall.importing.gold_call import GoldFault, read_gold_call


def recognises(value: Any) -> bool:
    """A sample with `doc_id` and `resps`."""
    return isinstance(value, Mapping) and {"doc_id", "resps"} <= value.keys()


def read(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The response before filters, which would repair it; the target is the gold when it is a call."""
    doc = value.get("doc")
    tools = doc.get("tools") if isinstance(doc, Mapping) else None
    yield {
        "id": identifier(value, ("doc_id",)),
        "raw_text": _only_response(value["resps"]),
        "gold": call_or_none(value.get("target")),
        "tools": tools,
        "prompt": _prompt(value.get("arguments")),
    }


def call_or_none(target: Any) -> dict[str, Any] | None:
    """A target as a gold call; a target of another kind says nothing about calls."""
    try:
        return read_gold_call(target).to_dict()
    except GoldFault:
        return None


def _only_response(responses: Any) -> str:
    while isinstance(responses, list):
        if len(responses) != 1:
            raise Fault(f"the sample has {len(responses) or 'no'} responses, not one")
        responses = responses[0]
    if not isinstance(responses, str):
        raise Fault("the response is not text (a likelihood request?)")
    return responses


def _prompt(arguments: Any) -> str | None:
    """The first argument of the first request: a list of lists, or `gen_args_0.arg_0` in newer files."""
    if isinstance(arguments, Mapping):
        first = arguments.get("gen_args_0")
        found = first.get("arg_0") if isinstance(first, Mapping) else None
    else:
        first = arguments[0] if isinstance(arguments, list) and arguments else None
        found = first[0] if isinstance(first, list) and first else None
    return found if isinstance(found, str) else None


IMPORTER: Final = Importer("lm_eval", "lm-evaluation-harness samples (answers)", recognises, read)
