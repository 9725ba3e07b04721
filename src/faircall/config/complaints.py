"""What is wrong with a config, as one line that names the key, the file and the line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from faircall.config import schema
from faircall.config.yaml_lines import Location, YamlValue
from faircall.errors import ConfigError, EvaluationError

_SECTIONS: Final[Mapping[str, type[BaseModel]]] = {
    "project": schema.Project,
    "model": schema.Model,
    "arms": schema.ArmPlan,
    "datasets": schema.Dataset,
    "data": schema.DataPolicy,
    "formatting": schema.FormattingPolicy,
    "eval": schema.EvalPolicy,
    "claims": schema.Claim,
}


def dotted(location: Location) -> str:
    """The printed form of a location.

    >>> dotted(("datasets", 0, "path"))
    'datasets[0].path'
    """
    text = ""
    for step in location:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "the file"


def complain(document: YamlValue, location: Location, problem: str, *, hint: str = "") -> ConfigError:
    """A ConfigError about one location."""
    return ConfigError(f"{document.place(location)}: {dotted(location)} {problem}", hint=hint)


def check_decoding(document: YamlValue) -> None:
    """Refuse decoding that is not greedy. Values are judged as written; nothing is coerced.

    Raises:
        EvaluationError: `eval.temperature`, `eval.do_sample` or `eval.max_new_tokens`; names the field.
    """
    section = document.value.get("eval") if isinstance(document.value, dict) else None
    if not isinstance(section, dict):
        return
    rules = {
        "temperature": (_is_zero, "must be exactly 0.0"),
        "do_sample": (lambda value: value is False, "must be false"),
        "max_new_tokens": (_is_positive_integer, "must be a positive integer"),
    }
    for key, (holds, rule) in rules.items():
        if key in section and not holds(section[key]):
            place = document.place(("eval", key))
            message = f"{place}: eval.{key} {rule}, not {_show(section[key])}"
            hint = f"write eval.{key} as it shall run; a model that must be sampled: eval.sampling"
            raise EvaluationError(message, hint=hint)


def _is_zero(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == 0


def _is_positive_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def from_validation(document: YamlValue, error: ValidationError) -> ConfigError:
    """The first complaint of pydantic, in the order of the file, in our words."""
    problems = sorted(error.errors(), key=lambda one: _line(document, tuple(one["loc"])))
    first: Any = problems[0]
    location: Location = tuple(step for step in first["loc"] if step != "[key]")
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    problem, hint = _describe(first, location)
    return complain(document, location, problem + more, hint=hint)


def _line(document: YamlValue, location: Location) -> int:
    place = document.place(location)
    return int(place.rpartition(":")[2]) if place != document.name else 0


def _describe(problem: Any, location: Location) -> tuple[str, str]:
    """What is wrong, and what to do about it."""
    kind, value = problem["type"], problem.get("input")
    if kind == "extra_forbidden":
        return "is not a key that is known here", _nearest_key(location)
    if kind == "missing":
        return "is missing", "`faircall init` writes a complete example"
    if kind == "string_type":
        hint = "YAML reads this as another type; put it in quotes" if value is not None else ""
        return f"must be text, not {_show(value)}", hint
    if kind == "string_pattern_mismatch":
        return f"may hold letters, digits, '_', '-' and '.' only, not {_show(value)}", ""
    if kind == "tuple_type":
        return f"must be a list, not {_show(value)}", "write [a, b], also for a single value"
    message = str(problem["msg"]).removeprefix("Value error, ").removeprefix("Input ")
    return f"is refused: {message[0].lower()}{message[1:]}, not {_show(value)}", ""


def _nearest_key(location: Location) -> str:
    known = known_keys(location[:-1])
    close = difflib.get_close_matches(str(location[-1]), known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(known)}"


def known_keys(location: Location) -> list[str]:
    """The keys that a config may have at a location.

    >>> known_keys(("arms", "base"))[:3]
    ['adapter', 'revision', 'replay']
    """
    if not location:
        return list(schema.ConfigFile.model_fields)
    section = _SECTIONS.get(str(location[0]))
    return list(section.model_fields) if section else []
