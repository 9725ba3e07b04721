"""Checks that the author of an extension runs on it: promises, tried on inputs that break promises."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import asdict

from faircall.canonical import canonical_json
from faircall.generating.backend import Backend
from faircall.metrics.base_metric_metadata import BaseMetricMetadata
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.parsing.readers import Front, Reader, Reading, ReadingInput
from faircall.records import Example, Generation, Parsed, Prompt, ToolCall
from faircall.scoring.protocols import Protocol

_PIECES: Final = (
    "", "plain words", "{", "}", "[", "]", '"', "'", "\\", "\ud800", "\x00", "{}", "[]", "NaN", "null",
    "1e999", '{"name": "f", "arguments": {}}', '{"name": "f", "arguments": ', "<think>", "</think>",
    "<tool_call>", "</tool_call>", "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>", "<|message|>", "[f(x=1)]",
    "<function=f>",
)  # fmt: skip
_MESSAGES: Final[tuple[Any, ...]] = (
    None, {}, [], "text", 3, {"content": None}, {"content": "", "tool_calls": []}, {"tool_calls": [None]},
    {"tool_calls": "x"}, {"content": [{"type": "tool_use"}]}, [{"type": "function_call"}], {"output": {}},
)  # fmt: skip
# What a run needs of a backend's description to be comparable with another.
_STATED: Final[Mapping[str, tuple[str, ...]]] = {
    "model": ("base_model_id", "dtype", "quantization"),
    "adapter": ("source",),
    "decoding": ("temperature", "do_sample", "max_new_tokens"),
    "backend": ("engine", "version", "device", "batch_plan"),
}
_CALL: Final = ToolCall("f", {"x": 1})
_ANSWERS: Final = (
    Parsed(_CALL, "ok"),
    Parsed(ToolCall("g", {}), "ok"),
    Parsed(None, "no_json", "no_bracket", calls=()),
    Parsed(None, "no_json", "backend_failed"),
    Parsed(None, "invalid_json", "bad_json"),
    Parsed(None, "invalid_shape", "multiple_calls", calls=(_CALL, _CALL)),
    Parsed(None, "invalid_shape", "multiple_calls"),
)
_LONG: Final = 20_000

_GOLDEN: Final[list[Any]] = [{"label": "a"}, {"label": "b"}, {"label": "a"}, {"label": "c"}]
_PREDICTED: Final[list[Any]] = [{"label": "a"}, {"label": "a"}, {}, {"label": "c"}]


def check_reader(reader: Reader | Front, *, extra: Iterable[ReadingInput] = ()) -> None:
    """Try a reader (or a front) on its own example and on hostile inputs.

    Args:
        reader: what the entry point `faircall.readers` names.
        extra: further inputs to try, as rows that the author has met.

    Raises:
        AssertionError: what is promised and not kept, with the input.
    """
    _require(bool(reader.name) and "+" not in reader.name, "a reader needs a name without +, which composes")
    _require(bool(reader.summary) and "\n" not in reader.summary, "a reader needs a summary of one line")
    if isinstance(reader, Front):
        _check_front(reader, extra)
        return
    for given in (*_hostile_inputs(), *extra):
        _check_reading(reader, given)
    _check_example(reader)


def _check_reading(reader: Reader, given: ReadingInput) -> None:
    reading = reader.read(given)
    _require(
        isinstance(reading, Reading), f"{reader.name} gives {type(reading).__name__} for {_short(given)}"
    )
    parsed = reading.parsed
    ok = parsed.status == "ok"
    _require(ok == isinstance(parsed.call, ToolCall), f"a call exactly when ok: {parsed} for {_short(given)}")
    _require(ok == (parsed.reason is None), f"a reason exactly when not ok: {parsed} for {_short(given)}")
    start, end = parsed.span or (0, 0)
    _require(
        0 <= start <= end <= len(given.text), f"span {parsed.span} is not in the text of {_short(given)}"
    )
    _require(reader.read(given) == reading, f"{reader.name} reads {_short(given)} in two ways")


def _check_example(reader: Reader) -> None:
    _require(reader.read(ReadingInput("")).parsed.call is None, f"{reader.name} finds a call in no text")
    example = reader.example
    given = ReadingInput("", message=example) if reader.native else ReadingInput(example)
    _require(
        reader.read(given).parsed.status == "ok", f"{reader.name} cannot read its own example {example!r}"
    )


def _check_front(front: Front, extra: Iterable[ReadingInput]) -> None:
    for given in (*_hostile_inputs(), *extra):
        cut = front.cut(given)
        _require(0 <= cut.start <= len(given.text), f"the rest starts at {cut.start} in {_short(given)}")
        _require(front.cut(given) == cut, f"{front.name} cuts {_short(given)} in two ways")


def check_protocol(protocol: Protocol, rows: Sequence[Mapping[str, Any]]) -> None:
    """Try a protocol on rows with gold in its form, each under answers of every kind.

    Args:
        protocol: what the entry point `faircall.protocols` names.
        rows: fields of rows (`gold`, `accepted`, `should_call_tool`) whose gold it can use.

    Raises:
        AssertionError: what is promised and not kept, with the row.
    """
    _require(bool(protocol.name) and "+" not in protocol.name, "a protocol needs a name without +")
    _require(bool(protocol.summary) and "\n" not in protocol.summary, "a protocol needs one line of summary")
    for row in rows:
        gold = protocol.read_truth(row)
        _require(_is_json(gold.to_dict()), f"the gold of {row} is no JSON")
        again = protocol.load_truth(gold.to_dict())
        _require(again == gold, f"the JSON of a gold gives it back: {row}")
        call = gold if isinstance(gold, ToolCall) else None
        example = Example("e", gold=call, truth=None if call else gold)
        for parsed in _ANSWERS:
            _check_match(protocol, example, parsed)


def _check_match(protocol: Protocol, example: Example, parsed: Parsed) -> None:
    found, words = protocol.match(example, parsed), f"{parsed} for {example}"[:300]
    _require(set(found[:4]) <= {0, 1}, f"flags are 0 or 1: {found} of {words}")
    _require(found.full <= min(found[:3]), f"right in full is right in all: {found} of {words}")
    _require(0 <= found.matched <= min(found[5:]), f"matched pairs are pairs of both: {found} of {words}")
    _require(found.gold_pairs > 0, f"a gold has a pair: {found} of {words}")
    if not found.full:
        _require(bool(protocol.cause(example, parsed)), f"a miss has a cause: {words}")


def check_backend(backend: Backend, prompts: Sequence[Prompt]) -> None:
    """Try a backend: what it states, and that an answer belongs to the prompt that was asked.

    Args:
        backend: an open backend, as the entry point `faircall.backends` opens it.
        prompts: a few prompts that it can answer.

    Raises:
        AssertionError: what is promised and not kept, with the prompt.
    """
    stated = backend.describe()
    for section, names in _STATED.items():
        missing = [name for name in names if stated.get(section, {}).get(name) is None]
        _require(not missing, f"describe() does not state {section}.{(missing or [''])[0]}")
    canonical_json(stated)
    backend.check(prompts)
    for prompt in prompts:
        _check_answer(backend.generate(prompt), prompt, decoding=stated["decoding"])
    _require(
        canonical_json(backend.describe()) == canonical_json(stated), "describe() changed while generating"
    )


def _check_answer(answer: Generation, prompt: Prompt, *, decoding: Mapping[str, Any]) -> None:
    name = prompt.example_id
    _require(answer.example_id == name, f"the answer to {name} names {answer.example_id}")
    _require(answer.language == prompt.language, f"the answer to {name} has the language {answer.language!r}")
    _require(answer.prompt_sha256 == prompt.prompt_sha256, f"the answer to {name} has another prompt digest")
    _require(answer.decoding == decoding, f"the answer to {name} was decoded otherwise than described")
    _require(answer.failure is None or answer.raw_text == "", f"the failed answer to {name} has a text")
    canonical_json(asdict(answer))


def _hostile_inputs() -> Iterable[ReadingInput]:
    for piece in _PIECES:
        yield ReadingInput(piece)
        yield ReadingInput(piece, prompt="<think>\n", tools=[{"name": "f"}])
        yield ReadingInput(piece * (_LONG // max(len(piece), 1)))
        for other in _PIECES:
            yield ReadingInput(piece + other)
    for message in _MESSAGES:
        yield ReadingInput("", message=message)


# --- Metrics


def check_metric(
    metric_class: type[Any],
    *,
    options: Mapping[str, Any] | None = None,
    golden: Sequence[Any] | None = None,
    predicted: Sequence[Any] | None = None,
) -> None:
    """Check a unit metric (it has `evaluate`) or an aggregator metric (it has `calculate`).

    Args:
        metric_class: the class to check.
        options: the options to make it with.
        golden: values that it accepts; objects with a `label` by default.
        predicted: one for each.

    Raises:
        AssertionError: a promise is broken; the message says which.

    >>> from faircall.metrics.aggregator_metrics.accuracy import AccuracyMetric
    >>> check_metric(AccuracyMetric)
    """
    made = metric_class(**(options or {}))
    _require(
        callable(getattr(made, "evaluate", None)) or callable(getattr(made, "calculate", None)),
        "a metric has a method evaluate() or calculate()",
    )
    _check_description(made)
    values = (
        list(_GOLDEN if golden is None else golden),
        list(_PREDICTED if predicted is None else predicted),
    )
    _require(len(values[0]) == len(values[1]), "golden and predicted examples pair up")
    if callable(getattr(made, "evaluate", None)):
        _check_unit_metric(made, *values)
    else:
        _check_aggregator(made, *values)


def _check_description(made: Any) -> None:
    if not hasattr(made, "get_metadata"):
        return
    described = made.get_metadata()
    _require(isinstance(described, BaseMetricMetadata), "get_metadata() gives BaseMetricMetadata")
    _require(bool(described.name), "the metadata names the metric")


def _check_unit_metric(made: Any, golden: list[Any], predicted: list[Any]) -> None:
    before = copy.deepcopy((golden, predicted))
    results = made.evaluate(golden, predicted)
    _require(isinstance(results, list), "evaluate() gives a list")
    _require(len(results) == len(golden), "evaluate() gives one result per pair")
    _require(all(isinstance(one, UnitMetricResult) for one in results), "every result is a UnitMetricResult")
    _require(all(isinstance(one.correct, bool) for one in results), "every verdict is a bool")
    _require((golden, predicted) == before, "evaluate() leaves its input as it was")
    _require(
        all(
            one.golden == left and one.predicted == right
            for one, left, right in zip(results, *before, strict=True)
        ),
        "results keep golden and predicted values, in order",
    )
    _require(
        _dicts(made.evaluate(golden, predicted)) == _dicts(results), "the same input gives the same results"
    )
    _require(made.evaluate([], []) == [], "no pairs give no results")
    _require(
        _dicts(made.evaluate(golden[::-1], predicted[::-1])) == _dicts(results)[::-1],
        "the order of pairs changes no verdict",
    )
    _require(_refuses_lengths(made, golden), "values that cannot be paired raise ValueError")


def _check_aggregator(made: Any, golden: list[Any], predicted: list[Any]) -> None:
    results = [
        UnitMetricResult(left == right, left, right, {"label": position})
        for position, (left, right) in enumerate(zip(golden, predicted, strict=True))
    ]
    before = copy.deepcopy(_dicts(results))
    calculated = made.calculate(results)
    _require(isinstance(calculated, dict) and bool(calculated), "calculate() gives a dict that is not empty")
    _require(all(isinstance(name, str) for name in calculated), "the names of values are texts")
    _require(_is_json(calculated), "values are JSON, without NaN or infinity")
    _require(_dicts(results) == before, "calculate() leaves the results as they were")
    _require(made.calculate(results) == calculated, "the same results give the same values")
    _require(_is_json(made.calculate([])), "no results give values, without NaN and without an error")


def _refuses_lengths(made: Any, golden: list[Any]) -> bool:
    try:
        made.evaluate(golden, golden[:-1])
    except ValueError:
        return True
    return not golden


def _dicts(results: Sequence[UnitMetricResult]) -> list[dict[str, Any]]:
    return [one.to_dict() for one in results]


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _require(kept: bool, promise: str) -> None:
    """An assertion that `python -O` keeps."""
    if not kept:
        raise AssertionError(promise)


def _short(given: ReadingInput) -> str:
    return repr(given)[:200]
