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
from faircall.store.partitions import find_partitions, is_one_plain_file

if TYPE_CHECKING:
    from faircall.pipeline.arms import StoredArm
    from faircall.store.layout import RunFolder

REPORT_NAME: Final = "evaluation_report.json"
_RUN_MARK: Final = "manifest.json"


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
        path: rows of outputs (JSON Lines, gzip too, or Parquet; `-` for standard input; a pattern, a folder
            or a URL of several files, too), a stored evaluation, or an arm of a run: its folder, or the
            `evaluation_report.json` in it.
        name: what to call the arm; by default the name of the file or folder.
        declared: how rows are to be read and scored; an arm of a run takes nothing of it.

    Raises:
        InputError: there is nothing at the path that can be used; file and line are named.
    """
    folder = arm_folder(path)
    if folder is None:
        return as_result(_evaluate(str(path), declared, name=name))
    if not declared.is_default:
        hint = "--map, --gold, --reader and --protocol are for files of rows; runs have eval.reader"
        raise UsageError(f"{path} is an arm of a run", hint=hint)
    return _load_arm(folder, name)


def arm_folder(path: Path | str) -> Path | None:
    """The folder of an arm of a run; None for rows, in one file or in several.

    Raises:
        ArtifactInvalid: a folder of a run that is no arm.
    """
    file = Path(path)
    folder = file.parent if file.name == REPORT_NAME and not file.is_dir() else file
    if folder == file and not (file.is_dir() and _is_of_run(file.resolve())):
        return None
    if folder.resolve().parent.name != "eval":
        hint = "the folder of an arm is RUN/eval/ARM; of other rows that lie in a run, name the files"
        raise ArtifactInvalid(f"{folder} is not an arm of a run", hint=hint)
    return folder


def _is_of_run(folder: Path) -> bool:
    """Whether a folder is a run, lies in one or holds some: its files of rows are no table by themselves."""
    above = (place / _RUN_MARK for place in (folder, folder.parent, folder.parent.parent))
    below = (*folder.glob(f"*/{_RUN_MARK}"), *folder.glob(f"runs/*/{_RUN_MARK}"))
    return bool(below) or any(mark.is_file() for mark in (*above, folder / REPORT_NAME))


def _evaluate(path: str, declared: Declaration, *, name: str | None) -> Evaluation:
    """What `score` makes of the same path."""
    if is_one_plain_file([path]):
        return load_declared(path, declared, name=name)
    from faircall.api.partitioned import evaluate_partitions

    return evaluate_partitions(find_partitions([path]), declared, name=name)


def open_arm(folder: Path) -> tuple[RunFolder, str]:
    """The run that an arm's folder lies in, and the arm's name."""
    from faircall.store.layout import open_run

    place = folder.resolve()
    return open_run(place.parent.parent), place.name


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
