"""Any stored result as one side of a comparison, told by what lies at the path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from faircall.api.declaration import NOTHING_DECLARED, Declaration
from faircall.api.evaluation import Evaluation
from faircall.api.load import load_declared
from faircall.errors import ArtifactInvalid, GoldMissing, UsageError
from faircall.records import Arm, Example, Gold, ToolCall

if TYPE_CHECKING:
    from faircall.pipeline.arms import StoredArm
    from faircall.store.layout import RunFolder

REPORT_NAME: Final = "evaluation_report.json"


@dataclass(frozen=True, slots=True, eq=False)
class StoredResult:
    """An arm with the texts that it was scored from; all have the same row order.

    `asked` is the request or the prompt per row, None where it is not known.
    """

    arm: Arm
    gold: tuple[Gold, ...]
    raw_texts: tuple[str, ...]
    asked: tuple[str | None, ...]


def load_stored(
    path: Path | str, *, name: str | None = None, declared: Declaration = NOTHING_DECLARED
) -> StoredResult:
    """Read one stored result.

    Args:
        path: rows of outputs (JSON Lines, gzip too, `-` for standard input), a stored evaluation, or an arm
            of a run: its folder, or the `evaluation_report.json` in it.
        name: what to call the arm; by default the name of the file or folder.
        declared: how rows are to be read and scored; an arm of a run takes nothing of it.

    Raises:
        InputError: there is nothing at the path that can be used; file and line are named.
    """
    folder = arm_folder(path)
    require_one_table(path, folder)
    if folder is None:
        return as_result(load_declared(path, declared, name=name))
    if not declared.is_default:
        hint = "--map, --gold, --reader and --protocol are for files of rows; runs have eval.reader"
        raise UsageError(f"{path} is an arm of a run", hint=hint)
    return _load_arm(folder, name)


def arm_folder(path: Path | str) -> Path | None:
    """The folder of an arm, None for a file of another kind."""
    file = Path(path)
    if file.is_dir():
        return file
    return file.parent if file.name == REPORT_NAME else None


def open_arm(folder: Path) -> tuple[RunFolder, str]:
    """The run that an arm's folder lies in, and the arm's name."""
    from faircall.store.layout import open_run

    place = folder.resolve()
    return open_run(place.parent.parent), place.name


def require_one_table(path: Path | str, folder: Path | None) -> None:
    """Folders that are no arm, and patterns, are tables in several files: only `score` reads these.

    Raises:
        ArtifactInvalid: the path is one of them.
    """
    once = "a table in several files is read once by `faircall score PATH -o one.json`; give one.json here"
    if folder is not None and folder.resolve().parent.name != "eval":
        hint = f"the folder of an arm is RUN/eval/ARM; {once}"
        raise ArtifactInvalid(f"{folder} is not an arm of a run", hint=hint)
    if "*" in str(path) and not Path(path).exists():
        raise ArtifactInvalid(f"{path} is a pattern, not a file", hint=once)


def _load_arm(folder: Path, name: str | None) -> StoredResult:
    from faircall.pipeline.arms import read_arm

    result = result_of(read_arm(*open_arm(folder)))
    return result if name is None else replace(result, arm=replace(result.arm, name=name))


def as_result(evaluation: Evaluation) -> StoredResult:
    """An evaluation as one side of a comparison, with its texts."""
    return StoredResult(evaluation.arm, evaluation.gold, evaluation.raw_texts, evaluation.asked)


def result_of(stored: StoredArm) -> StoredResult:
    """An arm of a run with its texts."""
    from faircall.pipeline.evaluation_report import to_arm

    return StoredResult(
        arm=to_arm(stored),
        gold=tuple(_gold_of(example) for example in stored.examples),
        raw_texts=tuple(generation.raw_text for generation in stored.generations),
        asked=tuple(prompt.prompt_text for prompt in stored.prompts),
    )


def _gold_of(example: Example) -> ToolCall:
    if example.gold is None:
        raise GoldMissing(
            f"example {example.example_id!r} has no gold call", hint="build the formatted split again"
        )
    return example.gold
