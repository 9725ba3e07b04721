"""`faircall eval run --requests`: a log replayed against a candidate, without a config."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from faircall.cli.console import print_json, print_written
from faircall.errors import UsageError
from faircall.records import PARSER_VERSION


def refuse_settings_of_runs(given: Mapping[str, object]) -> None:
    """What only a run has must not be ignored in silence.

    Args:
        given: option -> value, None where it was left out.

    Raises:
        UsageError: an option that means nothing to a log.
    """
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise UsageError(
            f"--requests needs no config and no run, so {names[0]} says nothing", hint=f"leave out {names[0]}"
        )


def run_requests(
    log: Path,
    *,
    base_url: str | None,
    model: str | None,
    out: Path | None,
    reader: str,
    concurrency: int,
    max_new_tokens: int,
    limit: int | None,
    as_json: bool,
) -> None:
    """Send the requests of a log and say what was written and what to do next.

    Raises:
        UsageError: server, model or folder are not named.
    """
    if base_url is None or model is None or out is None:
        raise UsageError("--requests needs a server", hint="--base-url URL --model NAME -o DIR")
    from faircall.generating.servers.server_settings import ServerSettings
    from faircall.parsing import readers
    from faircall.pipeline.replayed_requests import replay_requests

    server = ServerSettings(
        base_url.rstrip("/"),
        model,
        in_flight=concurrency,
        seed=42,
        takes_tool_calls=readers.get(reader).native,
    )
    done = replay_requests(log, out, server=server, max_new_tokens=max_new_tokens, limit=limit)
    if as_json:
        counts = {"requests": done.requests, "asked_now": done.asked_now, "failed": done.failed}
        logged = None if done.logged is None else str(done.logged)
        print_json({**counts, "outputs": str(done.outputs), "logged": logged})
    else:
        print(f"{done.requests} requests, {done.asked_now} asked now, {done.failed} failed")
        if done.failed:
            print("failed requests count as wrong; the same command asks for them again")
        if done.logged is not None:
            how = "" if reader == PARSER_VERSION else f" --reader {reader}"
            print(f"next: faircall compare {done.logged} {done.outputs} --no-gold{how}")
    print_written(done.outputs, json_on_stdout=as_json)
