"""What bfcl-eval's own checker costs on our corpora: decode each text, then `ast_checker`.

It answers one question per text, whether the call is right. It neither looks for a call in prose nor counts
pairs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

KINDS = {str: "string", int: "integer", float: "float", bool: "boolean", list: "array", dict: "dict"}


def is_installed() -> bool:
    return find_spec("bfcl_eval") is not None


def answer_all(golds: list[dict[str, Any]], texts: list[str]) -> Callable[[], int]:
    """A run over all texts that returns how many calls its checker takes; questions are made beforehand."""
    check = _load_checker()
    questions = [_question(gold) for gold in golds]

    def run() -> int:
        right = 0
        for (function, truth), text in zip(questions, texts, strict=True):
            try:
                call = json.loads(text)
                output = [{call["name"]: call["arguments"]}]
            except (ValueError, TypeError, KeyError):
                continue
            right += check([function], output, truth)
        return right

    return run


def _load_checker() -> Callable[[list[Any], list[Any], list[Any]], bool]:
    import bfcl_agreement

    bfcl_agreement.stand_in_for_models()
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    def check(functions: list[Any], output: list[Any], truth: list[Any]) -> bool:
        try:
            return bool(
                ast_checker(functions, output, truth, Language.PYTHON, "simple_python", "none")["valid"]
            )
        except Exception:  # what its checker does not expect, it raises on
            return False

    return check


def _question(gold: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The offered function and the accepted answers of a gold call, in BFCL's form."""
    properties = {name: dict(_schemas(value)) for name, value in gold["arguments"].items()}
    function = {
        "name": gold["name"],
        "parameters": {"type": "dict", "properties": properties, "required": list(properties)},
    }
    answers = {name: [_accepted(value)] for name, value in gold["arguments"].items()}
    return function, [{gold["name"]: answers}]


def _schemas(value: Any) -> Iterator[tuple[str, Any]]:
    yield "type", KINDS[type(value)]
    if isinstance(value, list):
        yield "items", {"type": "string"}


def _accepted(value: Any) -> Any:
    return {key: [inner] for key, inner in value.items()} if isinstance(value, dict) else value
