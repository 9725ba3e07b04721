"""A backend opened anew in a new Python process, to see whether that changes an answer.

parent: pickled task --> folder --> python -m faircall.generating...fresh_process FOLDER --> result.json
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from faircall.canonical import canonical_json
from faircall.credentials import redact
from faircall.errors import EnvironmentProblem, FaircallError
from faircall.generating.backend import BackendOpener, BackendRequest, Description
from faircall.generating.journal import differing_fields
from faircall.generating.repeating.repeats import RepeatedWay, RepeatPlan, repeat_answers
from faircall.records import Generation

_TASK: Final = "task.pickle"
_RESULT: Final = "result.json"
_WATCH_SECONDS: Final = 0.5
_SHOWN: Final = 200  # characters of a dying process's last words


@dataclass(frozen=True, slots=True)
class FreshTask:
    """Everything that the new process needs: how to open the backend, what it must be, what to ask."""

    opener: BackendOpener
    request: BackendRequest
    description: Description
    plan: RepeatPlan
    earlier: Mapping[str, Generation]


def repeat_afresh(task: FreshTask) -> RepeatedWay:
    """Carry out a plan in a new process; whatever goes wrong there ends this way, not the check."""
    try:
        repeats = answer_afresh(task)
    except FaircallError as fault:
        return RepeatedWay("failed", task.plan.how, fault.message)
    return RepeatedWay("made", task.plan.how, None, tuple(repeats))


def answer_afresh(task: FreshTask) -> list[dict[str, Any]]:
    """The repeats of a new process, as they are stored.

    Raises:
        EnvironmentProblem: the backend cannot be sent there or opened there, is another one there, or died.
    """
    packed = _pack(task)
    try:
        return _ask_new_process(packed)
    except OSError as error:
        raise EnvironmentProblem(f"no new process can be started: {error.strerror}") from None


def _ask_new_process(packed: bytes) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="faircall-") as folder:
        place = Path(folder)
        place.joinpath(_TASK).write_bytes(packed)
        done = subprocess.run(  # what libraries print is no part of the result
            [sys.executable, "-P", "-m", "faircall.generating.repeating.fresh_process", folder],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return _read_result(place / _RESULT, done)


def _pack(task: FreshTask) -> bytes:
    try:
        return pickle.dumps(task)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise EnvironmentProblem(f"the backend cannot be opened in a new process: {error}") from None


def _read_result(file: Path, done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    if not file.is_file():
        words = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no word"])[-1]
        raise EnvironmentProblem(
            f"the new process ended with status {done.returncode}: {redact(words[:_SHOWN])}"
        )
    result: dict[str, Any] = json.loads(file.read_text("ascii"))
    if "error" in result:
        raise EnvironmentProblem(f"in the new process: {result['error']}")
    repeats: list[dict[str, Any]] = result["repeats"]
    return repeats


def carry_out(task: FreshTask) -> list[dict[str, Any]]:
    """Open the backend of a task and answer, in the process that calls this.

    Raises:
        EnvironmentProblem: the backend states other conditions than the one that answered first.
    """
    backend = task.opener(task.request)
    try:
        differing = differing_fields(_as_json(task.description), _as_json(backend.describe()))
        if differing:
            names = ", ".join(name for name, _, _ in differing)
            raise EnvironmentProblem(f"the conditions are no longer those of the run: {names}")
        backend.check([prompt for batch in task.plan.batches for prompt in batch])
        repeats = repeat_answers(backend, task.plan, earlier=task.earlier)
        return [repeat.to_dict() for repeat in repeats]
    finally:
        backend.close()


def _as_json(value: Any) -> Any:
    return json.loads(canonical_json(value))


def _end_with(parent: int, folder: str) -> None:
    """Whoever asked may be killed; nobody would read the result, and a model would go on for nothing."""
    while os.getppid() == parent:
        time.sleep(_WATCH_SECONDS)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def main(folder: str) -> None:
    """What the new process does: read the task, answer, write the result."""
    threading.Thread(target=_end_with, args=(os.getppid(), folder), daemon=True).start()
    place = Path(folder)
    result: dict[str, Any]
    try:
        task: FreshTask = pickle.loads(place.joinpath(_TASK).read_bytes())
        result = {"repeats": carry_out(task)}
    except FaircallError as fault:
        result = {"error": fault.message}
    except Exception as error:  # the parent goes on without this way, and says why
        result = {"error": redact(f"{type(error).__name__}: {error}"[:_SHOWN])}
    place.joinpath(_RESULT).write_text(canonical_json(result), "ascii")


if __name__ == "__main__":
    main(sys.argv[1])
