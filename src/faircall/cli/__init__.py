"""The command line: one module per verb; parses arguments and prints, nothing else.

    main(argv) -> verbs.py (name -> module) -> cli/<verb>.py (a typer app) -> api or pipeline
                                                    |-- what it found    -> console.py (prints)
                                                    '-- what went wrong  -> failures.py (two lines, a status)

Only the module of the verb that was asked for is imported: `faircall --help` loads neither typer nor numpy.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

import faircall
from faircall.cli import failures, verbs


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status; raises nothing unless `--debug` was given."""
    gc.set_threshold(100_000, 50, 100)  # rows by the million and hardly a cycle: look for cycles seldom
    arguments, debug = _take_debug_flag(sys.argv[1:] if argv is None else argv)
    try:
        status = _dispatch(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        return failures.leave_quietly()
    except (Exception, KeyboardInterrupt) as error:
        if debug and not isinstance(error, KeyboardInterrupt):
            raise
        return failures.report(error, command=" ".join(["faircall", *arguments[:1]]))


def _take_debug_flag(argv: Sequence[str]) -> tuple[list[str], bool]:
    """`--debug` may stand anywhere before a bare `--`: it is added to the end of the command that failed."""
    end = list(argv).index("--") if "--" in argv else len(argv)
    kept = [argument for argument in argv[:end] if argument != "--debug"]
    wanted = len(kept) < end or os.environ.get("FAIRCALL_DEBUG", "") not in ("", "0")
    return kept + list(argv[end:]), wanted


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("--help", "-h", "help"):
        print(verbs.listing())
        return 0
    if arguments[0] == "--version":
        print(f"faircall {faircall.__version__}")
        return 0
    return verbs.run(arguments[0], arguments[1:])
