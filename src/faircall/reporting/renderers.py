"""The table of renderings: every form that a report can take, one line each.

A renderer is pure: a subject in, the bytes of one file out. To add one, write a file with a `Renderer` and a
line here, or announce it from another package under the entry point group `faircall.renderers`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from faircall.errors import UsageError
from faircall.registry import Registry
from faircall.reporting.example_rows import ExampleRow

Json: TypeAlias = Mapping[str, Any]
Kind: TypeAlias = Literal["comparison", "evaluation"]

_KINDS: Final[Mapping[str, Kind]] = {
    "faircall.comparison_report.v1": "comparison",
    "faircall.evaluation.v1": "evaluation",
    "faircall.evaluation_report.v3": "evaluation",
}


@dataclass(frozen=True, slots=True)
class Subject:
    """What is rendered.

    Attributes:
        kind: which report it is.
        report: the JSON of the report, which alone holds the numbers.
        examples: one record per arm and example (`arm`, and the fields of an evaluation's `records`); None
            where only the report is at hand.
        listed: the same examples as the HTML page lists them.
        redacted: whether prompts, outputs and argument values stay out.
        dataset: the Hub's name of the data, `OWNER/NAME`, perhaps with `@REVISION`, for the Hub's own forms.
        task: the Hub's name of the task within that data.
    """

    kind: Kind
    report: Json
    examples: Sequence[Json] | None = None
    listed: Sequence[ExampleRow] | None = None
    redacted: bool = False
    dataset: str | None = None
    task: str = "default"


@dataclass(frozen=True, slots=True)
class Renderer:
    """One form. `ending` follows the name of the report, for example `.md`.

    `require_dataset` refuses a Hub's name of the data, or its absence, that the form cannot state.
    """

    ending: str
    render: Callable[[Subject], bytes]
    kinds: frozenset[Kind] = frozenset(("comparison", "evaluation"))
    needs_examples: bool = False
    require_dataset: Callable[[str | None], object] | None = None


_HERE: Final = "faircall.reporting"

RENDERERS: Final[Registry[Renderer]] = Registry(
    "format",
    builtin={
        "json": f"{_HERE}.to_json:RENDERER",
        "md": f"{_HERE}.to_markdown:RENDERER",
        "html": f"{_HERE}.to_html:RENDERER",
        "card": f"{_HERE}.to_card:RENDERER",
        "csv": f"{_HERE}.to_csv:RENDERER",
        "parquet": f"{_HERE}.to_parquet:RENDERER",
        "junit": f"{_HERE}.to_junit:RENDERER",
        "hf": f"{_HERE}.to_model_index:MODEL_INDEX",
        "eval_results": f"{_HERE}.to_model_index:EVAL_RESULTS",
        "png": f"{_HERE}.to_plot:PNG",
        "svg": f"{_HERE}.to_plot:SVG",
    },
    entry_points="faircall.renderers",
)


def subject_of(report: Any, *, name: str = "the report") -> Subject:
    """A stored report as a subject; an evaluation brings its examples along.

    Raises:
        UsageError: it is no report that can be rendered.
    """
    version = report.get("schema_version") if isinstance(report, Mapping) else None
    if not isinstance(version, str) or version not in _KINDS:
        message = f"{name} is no report that can be rendered (schema_version {version!r})"
        raise UsageError(message, hint=f"one of {', '.join(_KINDS)}")
    if _KINDS[version] == "comparison":
        return Subject("comparison", report)
    label = str(report.get("name") or report["arm"])
    records = report.get("records")
    examples = None if records is None else [{"arm": label, **record} for record in records]
    summary = {key: value for key, value in report.items() if key != "records"}
    return Subject("evaluation", {**summary, "name": label}, examples)


def require_forms(names: Sequence[str], *, kind: Kind, dataset: str | None) -> None:
    """Refuse forms that this kind of report, or this name of its data, cannot have: before any work.

    Raises:
        UsageError: one of them.
    """
    for name in names:
        renderer = RENDERERS.get(name)
        _require_kind(renderer, name, kind)
        if renderer.require_dataset is not None:
            renderer.require_dataset(dataset)


def _require_kind(renderer: Renderer, form: str, kind: Kind) -> None:
    if kind not in renderer.kinds:
        kinds = " or ".join(sorted(renderer.kinds))
        raise UsageError(f"{form!r} is a form of a {kinds}, not of an {kind}", hint="choose another")


def render(subject: Subject, form: str) -> bytes:
    """The subject in the form of that name.

    Raises:
        ConfigError: no renderer has that name.
        UsageError: the form does not fit the report, or needs examples that are not at hand.
        DependencyMissing: the form needs a library that is not installed.
    """
    renderer = RENDERERS.get(form)
    _require_kind(renderer, form, subject.kind)
    if renderer.needs_examples and subject.examples is None:
        raise UsageError(
            f"{form!r} lists examples, and this report holds none",
            hint=f"write it where the outputs are read: faircall {_VERBS[subject.kind]} --format {form}",
        )
    # A stored report has its keys sorted; one that was just made shall give the same bytes.
    stored = json.loads(json.dumps(subject.report, sort_keys=True, allow_nan=False))
    return renderer.render(replace(subject, report=stored))


_VERBS: Final = {"comparison": "compare A B -o DIR", "evaluation": "score FILE -o scored.json"}


def read_forms(text: str) -> tuple[str, ...]:
    """The names in a `--format` argument, each once, in order.

    Raises:
        ConfigError: no renderer has one of the names.
        UsageError: there is none.

    >>> read_forms("json, md,json")
    ('json', 'md')
    """
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise UsageError("--format names no format", hint=f"one or more of {', '.join(RENDERERS.names())}")
    for name in names:
        if name not in RENDERERS:
            RENDERERS.get(name)
    return names


def redact(subject: Subject) -> Subject:
    """The same subject, to be rendered without texts."""
    return replace(subject, redacted=True)
