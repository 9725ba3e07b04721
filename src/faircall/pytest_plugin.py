"""The pytest plugin: tool calls as tests, one per row, with a cause in the message of each that fails.

    @pytest.mark.toolcalls("cases.jsonl")              one test per row, as the argument `toolcall`
    def test_calls(faircall, toolcall): ...            the fixture `faircall` asserts and compares

Every pytest run of an environment that has faircall loads this file, so it imports nothing of faircall before
a test asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from faircall.api import Comparison, Evaluation
    from faircall.records import Example, ToolCall

_MARKER = "toolcalls(path, map=None): run the test once per row of a JSON Lines file, as `toolcall`"


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """What a test does with tool calls; relative paths start at `folder`, the folder of the test's file."""

    folder: Path

    def assert_call(
        self,
        raw_text: str,
        gold: Example | ToolCall | Mapping[str, Any],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Fail unless the text holds exactly the gold call.

        Args:
            raw_text: what the model wrote, untouched.
            gold: a row (`toolcall`), which brings its tools along, or a call.
            tools: the offered tools, where `gold` is a call and they are known.
        """
        from faircall.api import score
        from faircall.records import Example

        if isinstance(gold, Example):
            tools = gold.tools if tools is None else tools
            gold = _gold_of(gold)
        (record,) = score([gold], [raw_text], tools=tools).records
        if record["cause"] is not None:
            pytest.fail(f"{record['cause']}: gold {record['gold']}, answer {raw_text!r}", pytrace=False)

    def load(self, path: str | Path) -> Evaluation:
        """The evaluation of a file of outputs, or one that was stored."""
        from faircall.api import load_evaluation

        return load_evaluation(self.folder / path)

    def compare(
        self,
        baseline: Evaluation | str | Path,
        candidate: Evaluation | str | Path,
        *,
        claims: Sequence[str] = (),
        fail_if: Sequence[str] = (),
        vary: Sequence[str] = (),
    ) -> Comparison:
        """Compare under the gate, and fail unless all claims are established and no condition holds.

        Args:
            baseline: an evaluation, or the path of one or of a file of outputs.
            candidate: the same, of the arm in question.
            claims: as `faircall compare --claim` takes them.
            fail_if: as `faircall compare --fail-if` takes them.
            vary: what may differ beside the adapter.
        """
        from faircall import api
        from faircall.comparing.answer import require_yes
        from faircall.comparing.claim_text import parse_claim
        from faircall.comparing.conditions import judge, parse_condition
        from faircall.errors import ConditionFailed

        conditions = [parse_condition(text) for text in fail_if]
        arms = [self.load(arm) if isinstance(arm, (str, Path)) else arm for arm in (baseline, candidate)]
        comparison = api.compare(*arms, vary=vary, claims=[parse_claim(text) for text in claims])
        report = comparison.to_dict()
        answer = None
        try:
            require_yes({**report, "conditions": judge(conditions, report)})
        except ConditionFailed as failed:
            answer = failed.message
        if answer is not None:  # outside of the handler: pytest would print both exceptions, chained
            pytest.fail(f"{answer}\n{comparison.table()}", pytrace=False)
        return comparison


@pytest.fixture
def faircall(request: pytest.FixtureRequest) -> ToolCalls:
    """Assertions about tool calls: `assert_call`, `load`, `compare`."""
    return ToolCalls(request.path.parent)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, so that `--strict-markers` takes it."""
    config.addinivalue_line("markers", _MARKER)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per row for a marked test; the id of the row is the id of the test."""
    marker = metafunc.definition.get_closest_marker("toolcalls")
    if marker is None:
        return
    rows = _read_rows(metafunc.definition.path.parent, *marker.args, **marker.kwargs)
    metafunc.parametrize("toolcall", rows, ids=[row.example_id for row in rows])


def _read_rows(folder: Path, path: str | Path, map: Mapping[str, str] | None = None) -> list[Example]:
    from faircall.errors import FaircallError
    from faircall.importing.from_jsonl import import_gold
    from faircall.store.files import read_json_lines

    file = folder / path
    try:
        return list(import_gold(read_json_lines(file), label=str(file), columns=map).values())
    except FaircallError as error:
        raise pytest.UsageError(f"toolcalls: {error.message} ({error.hint})") from None


def _gold_of(example: Example) -> ToolCall:
    if example.gold is None:
        pytest.fail(f"{example.example_id} has no gold call", pytrace=False)
    return example.gold
