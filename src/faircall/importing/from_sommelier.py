"""Run folders of Sommelier: prompts joined with the generations of an arm, digests checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.digest import sha256_text
from faircall.importing.foreign import Fault, Importer
from faircall.importing.gold_call import GoldFault, read_gold_call

_FORMATTED: Final = ("example_id", "language", "prompt_text", "target_text", "prompt_sha256")
_GENERATED: Final = ("example_id", "language", "prompt_sha256", "raw_text", "parse_status", "decoding")


def recognises(value: Any) -> bool:
    """A pair of a formatted row and a generation, as `join` makes it."""
    return isinstance(value, Mapping) and value.keys() == {"formatted", "generation"}


def join(formatted: Mapping[str, Any], generations: Mapping[str, Any]) -> Iterator[Any]:
    """Pairs by id, in the order of the generations; formatted rows without a generation come last."""
    for example_id, generation in generations.items():
        yield {"formatted": formatted.get(example_id), "generation": generation}
    for example_id, row in formatted.items():
        if example_id not in generations:
            yield {"formatted": row, "generation": None}


def read(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """One example with its answer. Digests must agree; the stored parse is not trusted."""
    formatted, generation = value["formatted"], value["generation"]
    known = (
        formatted if isinstance(formatted, Mapping) else generation if isinstance(generation, Mapping) else {}
    )
    row_id = known.get("example_id")
    try:
        row = _row(formatted, generation)
    except Fault as fault:
        raise Fault(fault.reason, row_id=row_id if isinstance(row_id, str) else None) from None
    yield row


def _row(formatted: Any, generation: Any) -> Mapping[str, Any]:
    _require(formatted, _FORMATTED, "formatted row")
    _require(generation, _GENERATED, "generation")
    _require_digests(formatted, generation)
    if formatted["language"] != generation["language"]:
        raise Fault("the languages of prompt and generation differ")
    if not isinstance(generation["raw_text"], str):
        raise Fault("raw_text is not text")
    try:
        gold = read_gold_call(formatted["target_text"])
    except GoldFault as fault:
        raise Fault(f"target_text {fault.reason}") from None
    return {
        "id": formatted["example_id"],
        "raw_text": generation["raw_text"],
        "gold": gold.to_dict(),
        "language": formatted["language"],
        "source_example_id": formatted.get("source_example_id"),
        "prompt": formatted["prompt_text"],
        "prompt_sha256": formatted["prompt_sha256"],
        "decoding": generation["decoding"],
    }


def _require(row: Any, keys: tuple[str, ...], what: str) -> None:
    if not isinstance(row, Mapping):
        raise Fault(f"the {what} is missing")
    missing = [key for key in keys if key not in row]
    if missing:
        raise Fault(f"the {what} has no {missing[0]}")


def _require_digests(formatted: Mapping[str, Any], generation: Mapping[str, Any]) -> None:
    if not isinstance(formatted["prompt_text"], str):
        raise Fault("prompt_text is not text")
    if sha256_text(formatted["prompt_text"]) != formatted["prompt_sha256"]:
        raise Fault("prompt_sha256 is not the digest of prompt_text")
    if generation["prompt_sha256"] != formatted["prompt_sha256"]:
        raise Fault("the generation answers another prompt")


def explain_status(stored: str, found: str, reason: str | None) -> str:
    """Which decision makes a stored parse status another one here.

    >>> explain_status("ok", "invalid_shape", "duplicate_key")
    'D3: a repeated key is ambiguous'
    """
    if reason == "duplicate_key":
        return "D3: a repeated key is ambiguous"
    if reason == "limit":
        return "D2: a limit of nesting, digits or range"
    if reason == "bad_json" and stored in ("ok", "invalid_shape"):
        return "D1: JSON is RFC 8259"
    if found in ("ok", "invalid_shape") and stored == "invalid_json":
        return "D4: a lone surrogate is valid, or D2: a larger limit"
    return "no decision explains it: the text or the stored status was changed"


IMPORTER: Final = Importer("sommelier", "run folders of Sommelier (answers and gold)", recognises, read)
