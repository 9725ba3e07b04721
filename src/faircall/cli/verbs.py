"""The table of verbs. A verb's module is imported when the verb is invoked, and not before.

To add a verb: write `cli/<verb>.py` with `app = new_app(...)` (see `console.py`) and add one line to `VERBS`.
The one-line help stands here, too: so the listing costs no import, and a test compares the two.
"""

from __future__ import annotations

import difflib
import importlib
from typing import Any, Final, NamedTuple

from faircall.errors import UsageError


class Verb(NamedTuple):
    """Where a verb lives, and what it does in one line."""

    target: str
    summary: str


VERBS: Final[dict[str, Verb]] = {
    "score": Verb("faircall.cli.score:app", "Score stored outputs with the five metrics."),
    "compare": Verb("faircall.cli.compare:app", "Compare two stored results, if the comparison is fair."),
    "demo": Verb(
        "faircall.cli.demo:app",
        "Compare a small real model with its adapters: live, or the stored reference run.",
    ),
    "diff": Verb("faircall.cli.diff:app", "Show the examples that only one of two arms gets right."),
    "init": Verb(
        "faircall.cli.init:app",
        "Write an example config, with every key explained, and rows that it accepts.",
    ),
    "config": Verb("faircall.cli.config:app", "Check a config and show it with every default written out."),
    "data": Verb("faircall.cli.data:app", "Validate, pair and split rows, and start a run with them."),
    "format": Verb(
        "faircall.cli.format:app", "Render the prompts of a run with the model's own chat template."
    ),
    "run": Verb("faircall.cli.run:app", "Run all stages of a config: data, prompts, every arm, the report."),
    "eval": Verb(
        "faircall.cli.eval:app", "Let one arm answer the stored prompts, or build its report again."
    ),
    "merge": Verb("faircall.cli.merge:app", "Put the shards of an arm together and finish it."),
    "verify": Verb(
        "faircall.cli.verify:app",
        "Hash every file of a run again and name each that is not what its stage wrote.",
    ),
    "report": Verb("faircall.cli.report:app", "Compare two arms of runs, or all arms of one run."),
    "rescore": Verb(
        "faircall.cli.rescore:app",
        "Parse and score the raw text of a run again and compare with what is stored.",
    ),
    "view": Verb(
        "faircall.cli.view:app", "Show reports and running evaluations in a browser, on this machine only."
    ),
    "metrics": Verb(
        "faircall.cli.metrics:app", "Score any prediction task with unit and aggregator metrics."
    ),
    "check": Verb(
        "faircall.cli.check:app",
        "Check outputs without gold: validity, unknown tools, invented arguments, truncation.",
    ),
    "lint": Verb(
        "faircall.cli.lint:app",
        "Look for faults in gold: broken schemas, tools not offered, repeats, leaks from training.",
    ),
    "import": Verb(
        "faircall.cli.import_:app",
        "Turn logs and data sets into rows; every row is imported, or refused by name.",
    ),
    "readers": Verb(
        "faircall.cli.readers:app", "List the declared readers, or say what each finds in a file."
    ),
    "plan": Verb(
        "faircall.cli.plan:app", "Say how many examples a comparison needs, or what a given number can show."
    ),
}

USAGE: Final = """\
Usage: faircall VERB [ARGUMENTS] [--debug]

Evaluate the tool calls of two arms, fairly, with intervals that hold.

Verbs:
{verbs}

Options:
  --version  Print the version.
  --debug    Show the traceback of an error (also: FAIRCALL_DEBUG=1).
  --help     Print this text; `faircall VERB --help` explains one verb.

Example: faircall compare base.jsonl adapter.jsonl"""


def listing() -> str:
    """The text of `faircall --help`."""
    width = max((len(name) for name in VERBS), default=0)
    return USAGE.format(verbs="\n".join(f"  {name:<{width}}  {verb.summary}" for name, verb in VERBS.items()))


def load(name: str) -> Any:
    """The typer app of a verb, as a click command.

    Raises:
        UsageError: no verb has this name.
    """
    if name not in VERBS:
        raise UsageError(f"there is no verb {name!r}", hint=_suggest(name))
    module, _, attribute = VERBS[name].target.partition(":")
    import typer

    return typer.main.get_command(getattr(importlib.import_module(module), attribute))


def run(name: str, arguments: list[str]) -> int:
    """Run one verb and return its exit status; errors are left to the caller."""
    command = load(name)
    import typer

    try:
        with command.make_context(f"faircall {name}", arguments) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    return 0


def _suggest(name: str) -> str:
    close = difflib.get_close_matches(name, VERBS, n=1)
    return f"did you mean `faircall {close[0]}`?" if close else "`faircall --help` lists the verbs"
