"""report compare: two stored arms under the gate; JSON first, Markdown and HTML as its renderings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from faircall.api.comparison import build_comparison_report
from faircall.api.rendering import COMPARISON_FORMS, REPORT_NAME, comparison_subject, write_forms
from faircall.api.stored import result_of
from faircall.config import Config
from faircall.errors import ArtifactInvalid, UsageError
from faircall.pipeline.arms import StoredArm, evaluated_arms, read_arm, read_facts
from faircall.pipeline.evaluation_report import to_arm
from faircall.store.layout import RunFolder, open_run
from faircall.store.manifest import read_stage_manifest, stage_is_done, write_stage_manifest

STAGE: Final = "report"


def locate_arm(path: Path, *, kind: str) -> tuple[RunFolder, str]:
    """The run and the arm that a folder means: an arm's folder, or a run with one arm of that kind.

    Raises:
        UsageError: the run holds no such arm, or several.
        ArtifactInvalid: the folder is neither.
    """
    path = path.absolute()
    if path.parent.name == "eval" and (path.parent.parent / "manifest.json").is_file():
        return open_run(path.parent.parent), path.name
    run = open_run(path)
    arms = [arm for arm in evaluated_arms(run) if read_facts(run, arm).model_kind == kind]
    if len(arms) != 1:
        found = ", ".join(arms) or "none"
        raise UsageError(f"{path} holds {len(arms)} {kind} arms ({found})", hint="name one: RUN/eval/ARM")
    return run, arms[0]


def compare_stored(
    baseline: StoredArm,
    candidate: StoredArm,
    *,
    vary: Sequence[str] = (),
    claims: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """The comparison report of two stored arms; the seed and, unless given, the claims are the config's.

    Raises:
        Incomparable: the arms differ where they may not.
    """
    config = candidate.config
    names = baseline.facts.arm, candidate.facts.arm
    reference = config.reference_language
    return build_comparison_report(
        to_arm(baseline),
        to_arm(candidate),
        seed=config.project.seed,
        vary=vary,
        claims=claims_between(config, *names) if claims is None else claims,
        reference_label=reference if reference in candidate.scores.labels else None,
    )


def claims_between(config: Config, baseline: str, candidate: str) -> list[dict[str, Any]]:
    """The declared claims about two arms; a claim that names no arm is about every pair."""
    return [
        claim.model_dump(mode="json")
        for claim in config.claims
        if claim.baseline in (None, baseline) and claim.candidate in (None, candidate)
    ]


def write_comparison(
    report: Mapping[str, Any],
    folder: Path,
    *,
    arms: tuple[StoredArm, StoredArm],
    forms: Sequence[str] = COMPARISON_FORMS,
    redacted: bool = False,
) -> list[Path]:
    """Write `comparison_report.json` and its renderings into a folder; returns the files, JSON first."""
    forms = tuple(dict.fromkeys(("json", *forms)))
    results = [result_of(arm) for arm in arms]
    subject = comparison_subject(report, results, forms=forms, redacted=redacted)
    return write_forms(subject, forms, folder / REPORT_NAME)


def compare_in_run(
    run: RunFolder,
    baseline: str,
    candidate: str,
    *,
    vary: Sequence[str] = (),
    forms: Sequence[str] = COMPARISON_FORMS,
    redacted: bool = False,
) -> tuple[dict[str, Any], Path]:
    """Compare two arms of a run and record the stage; returns the report and its JSON file."""
    arms = read_arm(run, baseline), read_arm(run, candidate)
    report = compare_stored(*arms, vary=vary)
    folder = run.comparison_report_file().parent
    files = write_comparison(report, folder, arms=arms, forms=forms, redacted=redacted)
    facts = {"kind": "comparison", "baseline": baseline, "candidate": candidate, "vary": list(vary)}
    record_reports(run, facts, files)
    return report, files[0]


def record_reports(run: RunFolder, facts: Mapping[str, Any], files: Sequence[Path]) -> None:
    """Enter reports into the `report` stage; those of the other kind stay in it."""
    known = _manifest(run)
    kept = [run.path / entry["path"] for entry in known["outputs"]] if known else []
    write_stage_manifest(
        run,
        STAGE,
        outputs=dict.fromkeys([*(path for path in kept if path.is_file()), *files]),
        inputs=[run.evaluation_report_file(arm) for arm in evaluated_arms(run)],
        facts={**report_facts(run), str(facts["kind"]): dict(facts)},
    )


def _manifest(run: RunFolder) -> dict[str, Any] | None:
    return read_stage_manifest(run, STAGE) if stage_is_done(run, STAGE) else None


def report_facts(run: RunFolder) -> dict[str, Any]:
    """How the reports of a run were made: kind -> facts."""
    manifest = _manifest(run)
    return dict(manifest["facts"]) if manifest else {}


def compare_folders(
    base: Path,
    adapter: Path,
    *,
    out: Path,
    vary: Sequence[str] = (),
    forms: Sequence[str] = COMPARISON_FORMS,
    redacted: bool = False,
) -> tuple[dict[str, Any], Path]:
    """Compare the arms of two folders and write the reports to `out`; inside a run they become a stage.

    Raises:
        Incomparable: the arms differ where they may not; nothing is written.
        UsageError: `out` lies in a run that is not the one of both arms.
    """
    first, baseline = locate_arm(base, kind="base")
    second, candidate = locate_arm(adapter, kind="adapter")
    out = out.absolute()
    if first.path == second.path and out == first.comparison_report_file().parent:
        return compare_in_run(first, baseline, candidate, vary=vary, forms=forms, redacted=redacted)
    _refuse_run_folder(out)
    arms = read_arm(first, baseline), read_arm(second, candidate)
    report = compare_stored(*arms, vary=vary)
    return report, write_comparison(report, out, arms=arms, forms=forms, redacted=redacted)[0]


def default_out(base: Path, adapter: Path) -> Path:
    """The report folder of the run that holds both arms.

    Raises:
        UsageError: the arms are of different runs.
    """
    first, _ = locate_arm(base, kind="base")
    second, _ = locate_arm(adapter, kind="adapter")
    if first.path != second.path:
        raise UsageError("the arms are of two runs", hint="say where the reports go with --out DIR")
    return first.comparison_report_file().parent


def _refuse_run_folder(out: Path) -> None:
    """Files that no stage wrote would spoil a run."""
    for folder in (out, *out.parents):
        try:
            run = open_run(folder)
        except ArtifactInvalid:
            continue
        raise UsageError(
            f"{out} lies inside the run {run.run_id}",
            hint=f"inside a run reports go to {run.comparison_report_file().parent}",
        )
