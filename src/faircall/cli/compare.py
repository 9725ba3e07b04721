"""`faircall compare`: two stored results under the gate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircall.cli import options
from faircall.cli.arms import declare, load_arms
from faircall.cli.console import JsonFlag, new_app, print_json, print_view, print_written
from faircall.comparing.answer import require_yes
from faircall.comparing.claim_text import parse_claim
from faircall.comparing.conditions import judge, parse_condition
from faircall.errors import UsageError
from faircall.records import PARSER_VERSION
from faircall.store.collector import without_collector

if TYPE_CHECKING:
    from faircall.api.stored import StoredResult

app = new_app(help="Compare two stored results, if the comparison is fair.")

FailIf = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if", metavar="EXPR", help="Exit 1 when it holds: [SLICE/]METRIC.FIELD OPERATOR NUMBER."
    ),
]
ClaimTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--claim",
        metavar="CLAIM",
        help="Exit 1 unless established: ID: KIND [METRIC] [margin=M] [slice=S] [family=F]; repeatable.",
    ),
]
ClaimsPath = Annotated[
    Path | None, typer.Option("--claims", metavar="FILE", help="The claims of a YAML file or a config.")
]
Output = Annotated[
    Path | None, typer.Option("-o", "--out", metavar="DIR", help="Write comparison_report.* there.")
]


NoGold = Annotated[
    bool, typer.Option("--no-gold", help="There is no gold: report agreement and its classes instead.")
]
Sample = Annotated[
    int | None,
    typer.Option("--sample", min=1, metavar="N", help="With --no-gold: draw N rows for labelling."),
]
ExportLabels = Annotated[
    Path | None, typer.Option("--export-labels", metavar="FILE", help="Write the drawn rows there.")
]


@app.command(epilog="Example: faircall compare base.jsonl adapter.jsonl -o report")
def compare(
    baseline: options.Baseline,
    candidate: options.Candidate,
    vary: options.Vary = None,
    label: options.Labels = None,
    fail_if: FailIf = None,
    claim: ClaimTexts = None,
    claims: ClaimsPath = None,
    out: Output = None,
    forms: options.Forms = "json,md,html",
    redact: options.Redact = None,
    dataset: options.HubDataset = None,
    task: options.HubTask = "default",
    gold: options.Gold = None,
    maps: options.Maps = None,
    reader: options.Reader = PARSER_VERSION,
    protocol: options.Protocol = options.DEFAULT_PROTOCOL,
    no_gold: NoGold = False,
    sample: Sample = None,
    export_labels: ExportLabels = None,
    level: options.Level = 0.95,
    resamples: options.Resamples = 9_999,
    seed: options.Seed = 42,
    as_json: JsonFlag = False,
) -> None:
    """Compare two stored results, if the comparison is fair.

    The exit status is 1 when a claim is not established or a --fail-if holds, and 4 when the arms cannot be
    compared; the message says which.
    """
    if no_gold or sample or export_labels:
        from faircall.cli.compare_agreement import compare_agreement

        if not no_gold or gold or fail_if or claim or claims or vary:
            raise UsageError(
                "--sample and --export-labels go with --no-gold; gold, claims and --vary do not",
                hint="label the sample, then compare with --gold FILE",
            )
        compare_agreement(
            (baseline, candidate),
            names=options.read_labels(label),
            columns=options.read_maps(maps),
            reader=reader,
            sample=(sample, export_labels),
            out=out,
            level=level,
            seed=seed,
            as_json=as_json,
        )
        return
    conditions = [parse_condition(text) for text in fail_if or ()]
    declared = [*_read_claims(claims), *(parse_claim(text) for text in claim or ())]
    names = _read_forms(forms, out, dataset=dataset)
    declaration = declare(gold=gold, maps=maps, reader=reader, protocol=protocol)
    with without_collector():
        arms = load_arms(baseline, candidate, declared=declaration, labels=options.read_labels(label))
        report = _build_report(
            arms, declared, level=level, resamples=resamples, seed=seed, vary=tuple(vary or ())
        )
    if conditions:
        report["conditions"] = judge(conditions, report)
    _print(report, as_json=as_json)
    if out is not None:
        from faircall.api.rendering import REPORT_NAME, chief_file, comparison_subject, write_forms

        subject = comparison_subject(
            report, arms, forms=names, redacted=redact is not None, dataset=dataset, task=task
        )
        written = write_forms(subject, names, out / REPORT_NAME)
        for path in sorted(written, key=lambda path: path == chief_file(written)):
            print_written(path, json_on_stdout=as_json)
    require_yes(report)


def _build_report(
    arms: tuple[StoredResult, StoredResult], claims: list[dict[str, Any]], **how: Any
) -> dict[str, Any]:
    from faircall.api import build_comparison_report

    first, second = (stored.arm for stored in arms)
    about = [claim for claim in claims if _is_about(claim, first.name, second.name)]
    return build_comparison_report(first, second, claims=about, **how)


def _read_claims(path: Path | None) -> list[dict[str, Any]]:
    if path is None:
        return []
    from faircall.config.claims import load_claims

    return load_claims(path)


def _is_about(claim: dict[str, Any], baseline: str, candidate: str) -> bool:
    """A claim that names no arm is about every pair."""
    return claim["baseline"] in (None, baseline) and claim["candidate"] in (None, candidate)


def _read_forms(forms: str, out: Path | None, *, dataset: str | None) -> tuple[str, ...]:
    names = options.read_forms(forms)
    if out is None and names != options.read_forms("json,md,html"):
        raise UsageError("--format says what is written, and nothing says where", hint="add -o DIR")
    if out is not None:
        from faircall.reporting.renderers import require_forms

        require_forms(names, kind="comparison", dataset=dataset)
    return names


def _print(report: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(report)
        return
    from faircall.reporting.comparison_view import view_comparison

    print_view(view_comparison(report))
