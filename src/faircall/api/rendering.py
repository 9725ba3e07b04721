"""Reports in the forms that were asked for, written beside each other; the JSON is written last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from faircall.api.example_records import example_records
from faircall.api.example_rows import example_rows
from faircall.api.stored import StoredResult
from faircall.reporting.renderers import RENDERERS, Subject, render
from faircall.store.atomic import write_bytes_atomically

COMPARISON_FORMS: Final = ("json", "md", "html")
REPORT_NAME: Final = "comparison_report"


def comparison_subject(
    report: Mapping[str, Any],
    arms: Sequence[StoredResult],
    *,
    forms: Sequence[str],
    redacted: bool = False,
    dataset: str | None = None,
    task: str = "default",
) -> Subject:
    """A comparison with as much of its examples as the forms need."""
    return Subject(
        "comparison",
        report,
        examples=list(_records(arms)) if any(RENDERERS.get(form).needs_examples for form in forms) else None,
        listed=example_rows(*arms) if "html" in forms else None,
        redacted=redacted,
        dataset=dataset,
        task=task,
    )


def _records(arms: Iterable[StoredResult]) -> Iterator[dict[str, Any]]:
    for result in arms:
        records = example_records(
            result.arm.scores, gold=result.gold, raw_texts=result.raw_texts, asked=result.asked
        )
        yield from ({"arm": result.arm.name, **record} for record in records)


def write_forms(subject: Subject, forms: Sequence[str], base: Path) -> list[Path]:
    """Write every form to `base` with the ending of the form; nothing is written unless all can be rendered.

    Returns:
        The files in the order of `forms`.

    Raises:
        UsageError, DependencyMissing: a form that cannot be made of this.
    """
    rendered = {
        base.with_name(base.name + RENDERERS.get(form).ending): render(subject, form) for form in forms
    }
    for path, data in sorted(rendered.items(), key=lambda item: item[0].suffix == ".json"):
        write_bytes_atomically(path, data)
    return list(rendered)


def chief_file(files: Sequence[Path]) -> Path:
    """The file to name when several were written: the JSON, else the first."""
    return next((file for file in files if file.suffix == ".json"), files[0])
