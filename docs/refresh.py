"""Rewrite the generated blocks of README.md and docs/*.md, or check that they are current (`--check`).

A block is what a command line really printed:

    <!-- run: faircall compare a.jsonl b.jsonl -->
    ...
    <!-- end -->

Commands run in this process, from the root of the repository, with their output captured as in a pipe.
A block `<!-- help -->` holds the `--help` of every verb.
"""

import contextlib
import io
import os
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"(<!-- (?P<kind>run|python|help)(?:: (?P<command>.*?))? -->\n).*?(<!-- end -->)", re.DOTALL
)


def main() -> int:
    stale = []
    os.environ.update(COLUMNS="100", NO_COLOR="1")
    sys.path.insert(0, str(ROOT / "src"))
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        before = page.read_text(encoding="utf-8")
        after = BLOCK.sub(lambda match: match[1] + render(match["kind"], match["command"]) + match[4], before)
        if after != before:
            stale.append(page.relative_to(ROOT))
            if "--check" not in sys.argv:
                page.write_text(after, encoding="utf-8")
    verb = "stale" if "--check" in sys.argv else "rewritten"
    print(f"{verb}: {', '.join(map(str, stale))}" if stale else "the generated blocks are current")
    return int(bool(stale) and "--check" in sys.argv)


def render(kind: str, command: str) -> str:
    if kind == "help":
        return "\n".join(
            f"## `{' '.join(path)}`\n\n```text\n{run([*path[1:], '--help'])}```\n" for path in every_verb()
        )
    if kind == "python":
        return python_example(command)
    return f"```console\n$ {command}\n{run(shlex.split(command)[1:])}```\n"


def run(arguments: list[str]) -> str:
    """What one command line prints, on both streams, in the root of the repository."""
    from faircall.cli import main as faircall

    printed = io.StringIO()
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        faircall(arguments)
    return printed.getvalue()


def python_example(path: str) -> str:
    """A script of docs/ and what it prints."""
    source = (ROOT / path).read_text(encoding="utf-8")
    printed = io.StringIO()
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(printed):
        exec(compile(source, path, "exec"), {"__name__": "__main__"})
    return f"```python\n{source}```\n\n```text\n{printed.getvalue()}```\n"


def every_verb() -> list[list[str]]:
    from faircall.cli import verbs

    paths = [["faircall"]]
    for name in verbs.VERBS:
        children = getattr(verbs.load(name), "commands", None)
        paths += [["faircall", name, child] for child in children] if children else [["faircall", name]]
    return paths


if __name__ == "__main__":
    sys.exit(main())
