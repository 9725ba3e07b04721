"""`faircall rescore`: everything behind the raw text again, compared byte by byte."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faircall.cli.console import JsonFlag, new_app, print_json, print_text
from faircall.errors import VerifyMismatch

app = new_app(help="Parse and score the raw text of a run again and compare with what is stored.")


@app.command(epilog="Example: faircall rescore artifacts/runs/20260102T030405Z-0a1b2c3d")
def rescore(
    run_path: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    as_json: JsonFlag = False,
) -> None:
    """Parse and score the raw text of a run again and compare with what is stored."""
    from faircall.pipeline.rescore import rescore as rescore_run
    from faircall.store.layout import open_run

    files = rescore_run(open_run(run_path))
    changed = [file for file in files if file.differences]
    if as_json:
        print_json({"files": [{"path": file.path, "differences": list(file.differences)} for file in files]})
    else:
        for file in files:
            print_text(f"{'same bytes' if not file.differences else 'DIFFERS   '}  {file.path}")
            for difference in file.differences:
                print_text(f"            {difference}")
    if changed:
        raise VerifyMismatch(
            f"{len(changed)} of {len(files)} files are not what the raw text gives: {changed[0].path}",
            hint="`faircall verify` tells whether files were changed after they were written",
        )
