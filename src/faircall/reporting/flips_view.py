"""What `faircall diff` shows: one example after the other, gold call and both answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.canonical import canonical_json
from faircall.reporting.blocks import Block, Line, View

Json = Mapping[str, Any]

TEXT_SHOWN: Final = 200  # characters of a raw answer; the JSON has all of it


def view_flips(report: Json) -> View:
    """The blocks of a list of flips: `metric`, `gained`, `lost`, `flips`."""
    return tuple(_blocks(report))


def _blocks(report: Json) -> Iterator[Block]:
    yield Line(f"{report['metric']}: {report['gained']} gained, {report['lost']} lost", tone="heading")
    for flip in report["flips"]:
        tone: Any = "good" if flip["direction"] == "gained" else "bad"
        yield Line("")
        yield Line(f"{flip['direction']} {flip['id']} ({flip['cause']})", tone=tone)
        yield Line(f"  gold       {canonical_json(flip['gold'])}")
        yield Line(f"  baseline   {shorten(flip['baseline'])}")
        yield Line(f"  candidate  {shorten(flip['candidate'])}")
    left = report["gained"] + report["lost"] - len(report["flips"])
    if left:
        yield Line("")
        yield Line(f"{left} more not shown (--limit, --only)", tone="quiet")


def shorten(text: str) -> str:
    """The start of a long answer, and how long it is.

    >>> shorten("x" * 300)[-22:]
    'xx... (300 characters)'
    """
    return text if len(text) <= TEXT_SHOWN else f"{text[:TEXT_SHOWN]}... ({len(text)} characters)"
