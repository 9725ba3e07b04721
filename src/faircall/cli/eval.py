"""`faircall eval`: let one arm answer the stored prompts, or build its report again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from faircall.cli import engines, options, repeats
from faircall.cli.console import JsonFlag, new_app, print_json, print_view, print_warnings, print_written
from faircall.errors import UsageError
from faircall.records import PARSER_VERSION

if TYPE_CHECKING:
    from faircall.pipeline.finish_arm import ArmOutcome

app = new_app(help="Let one arm answer the stored prompts, or build its report again.")

ConfigOption = Annotated[Path | None, typer.Option("--config", "-c", help="The config of the run.")]
ArmName = Annotated[str | None, typer.Option("--arm", help="The arm: base, adapter, or a declared name.")]
ModelKind = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="base or adapter: insist on that kind of arm. With --requests: the model's name there.",
    ),
]
Adapter = Annotated[
    str | None, typer.Option("--adapter", help="DIR or REPO@REVISION, for an arm that declares none.")
]
BackendName = Annotated[str | None, typer.Option("--backend", help="Instead of the configured backend.")]
BaseUrl = Annotated[
    list[str] | None,
    typer.Option(
        "--base-url", metavar="URL", help="The server, with its /v1; repeatable: a pool that serves the same."
    ),
]
ServedAs = Annotated[
    str | None, typer.Option("--served-as", metavar="NAME", help="How the server calls the arm's model.")
]
Requests = Annotated[
    Path | None,
    typer.Option("--requests", metavar="FILE", help="No config: send the frozen requests of a log instead."),
]
ShardText = Annotated[
    str | None, typer.Option("--shard", metavar="I/N", help="Only every N-th prompt; `faircall merge` joins.")
]
OutFolder = Annotated[
    Path | None, typer.Option("-o", "--out", metavar="DIR", help="Where the answers to --requests go.")
]
Concurrency = Annotated[int, typer.Option(min=1, max=1024, help="With --requests: requests in flight.")]
MaxNewTokens = Annotated[int, typer.Option(min=1, help="With --requests: the longest answer.")]
_CONCURRENCY: Final = 8
_MAX_NEW_TOKENS: Final = 512
_PLACES: Final = {
    "--out": "a run writes into its own folder, below project.artifact_root",
    "--reader": "a run takes eval.reader from its config",
    "--concurrency": "a run takes server.concurrency from its config",
    "--max-new-tokens": "a run takes eval.max_new_tokens from its config",
}

Resume = Annotated[bool, typer.Option("--resume", help="Insist that there is something to go on with.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N root examples.")]


@app.command("run", epilog="Example: faircall eval run -c faircall.yaml --arm adapter")
def run_arm(
    config: ConfigOption = None,
    arm: ArmName = None,
    model: ModelKind = None,
    adapter: Adapter = None,
    backend: BackendName = None,
    run_id: options.StartedRun = None,
    resume: Resume = False,
    limit: Limit = None,
    repeat_check: repeats.Repeats = 0,
    repeat_in: repeats.RepeatIn = None,
    base_url: BaseUrl = None,
    served_as: ServedAs = None,
    shard: ShardText = None,
    engine: engines.EngineName = None,
    workers: engines.Workers = None,
    gpus_per_worker: engines.GpusPerWorker = 0.0,
    ray_address: engines.RayAddress = None,
    requests: Requests = None,
    out: OutFolder = None,
    reader: options.Reader = PARSER_VERSION,
    concurrency: Concurrency = _CONCURRENCY,
    max_new_tokens: MaxNewTokens = _MAX_NEW_TOKENS,
    as_json: JsonFlag = False,
) -> None:
    """Let one arm answer every stored prompt.

    Stopped at any moment, the same command goes on from there.
    """
    if requests is not None:
        from faircall.cli.eval_requests import refuse_settings_of_runs, run_requests

        refuse_settings_of_runs(
            {
                "--config": config, "--arm": arm, "--adapter": adapter, "--backend": backend,
                "--run-id": run_id,
                "--repeat-check": repeat_check or None, "--repeat-in": repeat_in, "--served-as": served_as,
                "--shard": shard, "--engine": engine, "--workers": workers, "--ray-address": ray_address,
                "--gpus-per-worker": gpus_per_worker or None,
            }
        )  # fmt: skip
        if len(base_url or ()) > 1:
            raise UsageError("--requests asks one server", hint="a pool of servers needs a config")
        run_requests(
            requests,
            base_url=base_url[0] if base_url else None,
            model=model,
            out=out,
            reader=reader,
            concurrency=concurrency,
            max_new_tokens=max_new_tokens,
            limit=limit,
            as_json=as_json,
        )
        return
    _refuse_settings_of_requests(out=out, reader=reader, concurrency=concurrency, tokens=max_new_tokens)
    if config is None:
        raise UsageError("which run?", hint="-c FILE, or --requests FILE --base-url URL --model NAME -o DIR")
    from faircall.cli.progress import show_progress, tell_news
    from faircall.pipeline.arm_request import plan_arm
    from faircall.pipeline.evaluate import evaluate_arm
    from faircall.pipeline.runs import open_run_with_config

    run, loaded = open_run_with_config(config, run_id)
    name = arm or model
    if model not in (None, "base", "adapter"):
        raise UsageError(f"--model {model!r} is neither base nor adapter", hint="--served-as names a model")
    if name is None:
        raise UsageError("which arm?", hint=f"--arm {' or --arm '.join(loaded.arms)}")
    spread = engines.read_engine(engine, workers=workers, gpus=gpus_per_worker, address=ray_address)
    if spread is not None and shard is not None:
        raise UsageError("--shard is for people without an engine", hint="give --shard or --engine")
    location, revision = _split_adapter(adapter)
    request = plan_arm(
        loaded,
        name,
        adapter=location,
        revision=revision,
        backend=backend or ("openai" if base_url else None),
        limit=limit,
        repeats=repeat_check,
        repeat_ways=repeats.read_ways(repeat_in, count=repeat_check),
        base_url=base_url,
        served_as=served_as,
        engine=spread,
    )
    if model is not None and model != request.model_kind:
        raise UsageError(
            f"arm {name!r} is of kind {request.model_kind}, not {model}", hint="correct --model or --arm"
        )
    if resume and not run.eval_folder(name).is_dir():
        raise UsageError(f"arm {name!r} was never started in run {run.run_id}", hint="leave out --resume")
    if shard is not None:
        from faircall.pipeline.shards import generate_shard, parse_shard

        print_written(generate_shard(run, loaded, request, parse_shard(shard)), json_on_stdout=as_json)
        return
    with show_progress(name) as listener:
        outcome = evaluate_arm(run, loaded, request, listener=listener, news=tell_news)
    if repeat_check:
        repeats.warn_of_older_report(run)
    _show(outcome, as_json=as_json)


def _refuse_settings_of_requests(*, out: Path | None, reader: str, concurrency: int, tokens: int) -> None:
    """What only --requests reads would be passed over in silence; a run has these in its config."""
    given = {
        "--out": out is not None,
        "--reader": reader != PARSER_VERSION,
        "--concurrency": concurrency != _CONCURRENCY,
        "--max-new-tokens": tokens != _MAX_NEW_TOKENS,
    }
    for flag in (flag for flag, is_given in given.items() if is_given):
        raise UsageError(f"{flag} goes with --requests", hint=_PLACES[flag])


def _split_adapter(written: str | None) -> tuple[str | None, str | None]:
    """Location and revision of REPO@REVISION; the name of a folder may hold an @."""
    if written is None or Path(written).is_dir():
        return written, None
    location, _, revision = written.partition("@")
    return location or None, revision or None


@app.command("report", epilog="Example: faircall eval report artifacts/runs/20260102T030405Z-0a1b2c3d")
def rebuild_reports(
    run_path: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    arm: ArmName = None,
    as_json: JsonFlag = False,
) -> None:
    """Build evaluation reports again from stored generations.

    Of one arm, or of all.
    """
    from faircall.pipeline.arms import evaluated_arms, load_config_of
    from faircall.pipeline.finish_arm import rebuild_evaluation_report
    from faircall.store.layout import open_run

    run = open_run(run_path)
    arms = [arm] if arm else evaluated_arms(run)
    if not arms:
        raise UsageError(f"no arm of run {run.run_id} is finished", hint="run `faircall eval run` first")
    for name in arms:
        _show(rebuild_evaluation_report(run, load_config_of(run), name), as_json=as_json)


def _show(outcome: ArmOutcome, *, as_json: bool) -> None:
    print_warnings(outcome.report["warnings"], name=outcome.report["arm"])
    if as_json:
        print_json(outcome.report)
    else:
        from faircall.reporting.evaluation_view import view_evaluation

        print_view(view_evaluation({**outcome.report, "name": outcome.report["arm"]}))
    print_written(outcome.report_file, json_on_stdout=as_json)
