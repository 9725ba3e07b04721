"""`faircall compare --no-gold`: agreement of two arms, and a sample to be labelled."""

from __future__ import annotations

from pathlib import Path

from faircall.cli.console import print_json, print_view, print_written
from faircall.errors import UsageError


def compare_agreement(
    files: tuple[str, str],
    *,
    names: tuple[str | None, str | None],
    columns: dict[str, str],
    reader: str,
    sample: tuple[int | None, Path | None],
    out: Path | None,
    level: float,
    seed: int,
    as_json: bool,
) -> None:
    """Report agreement, write the report to `out` and the drawn rows to a label file, where asked.

    Raises:
        UsageError: a sample without a file, or a file without a sample.
    """
    count, labels = sample
    if (count is None) != (labels is None):
        raise UsageError("--sample N and --export-labels FILE go together", hint="give both")
    from faircall.api.agreement import build_agreement_report, label_rows
    from faircall.api.agreement_arms import load_pair
    from faircall.reporting.agreement_view import view_agreement
    from faircall.reporting.to_markdown import to_markdown
    from faircall.store.atomic import write_bytes_atomically, write_json, write_json_lines

    arms = load_pair(*files, names=names, columns=columns, reader=reader)
    report = build_agreement_report(*arms, level=level)
    if as_json:
        print_json(report)
    else:
        print_view(view_agreement(report))
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        text = to_markdown(view_agreement(report), title="Agreement")
        write_bytes_atomically(out / "agreement_report.md", text.encode("utf-8"))
        write_json(out / "agreement_report.json", report)
        print_written(out / "agreement_report.json", json_on_stdout=as_json)
    if count is not None and labels is not None:
        write_json_lines(labels, label_rows(*arms, count=count, seed=seed))
        print_written(labels, json_on_stdout=as_json)
