"""A report as JSON text: the one form that is authoritative; every other form is made from it."""

from __future__ import annotations

import json
from typing import Any, Final

from faircall.reporting.renderers import Renderer, Subject


def to_json(report: Any) -> str:
    r"""ASCII, sorted keys, two spaces, one final newline; the same report gives the same bytes.

    Raises:
        ValueError: NaN or an infinity, which no report may hold.

    >>> print(to_json({"b": "é", "a": [1]}), end="")
    {
      "a": [
        1
      ],
      "b": "\u00e9"
    }
    """
    return json.dumps(report, sort_keys=True, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _render(subject: Subject) -> bytes:
    """The report, with its records where it is an evaluation that has them."""
    report = dict(subject.report)
    if subject.kind == "evaluation" and subject.examples is not None:
        report["records"] = [
            {key: value for key, value in example.items() if key != "arm"} for example in subject.examples
        ]
    return to_json(report).encode("ascii")


RENDERER: Final = Renderer(".json", _render)
