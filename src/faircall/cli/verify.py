"""`faircall verify`: whether every file of a run still is what its stage wrote."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from faircall.cli.console import JsonFlag, new_app, print_json, print_text
from faircall.errors import VerifyMismatch
from faircall.store.layout import open_run
from faircall.store.verification import verify

app = new_app(help="Hash every file of a run again and name each that is not what its stage wrote.")


@app.command(name="verify", epilog="Example: faircall verify artifacts/runs/20260102T030405Z-0a1b2c3d")
def verify_run(
    run_path: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    as_json: JsonFlag = False,
) -> None:
    """Hash every file of a run again and name each that is not what its stage wrote."""
    outcome = verify(open_run(run_path))
    if as_json:
        print_json(asdict(outcome))
    else:
        for mismatch in outcome.mismatches:
            print_text(f"{mismatch.path}: {mismatch.problem}")
    if outcome.mismatches:
        count = len(outcome.mismatches)
        message = f"{run_path}: {count} file{'s' if count > 1 else ''} of {outcome.files} not as written"
        raise VerifyMismatch(message, hint="restore the run from a copy, or run the stage again")
    if not as_json:
        print_text(f"{run_path}: {outcome.files} files as written (manifest {outcome.manifest_sha256})")
