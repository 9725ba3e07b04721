"""What a report is made of before it has a form: lines and tables of text. Renderers know nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Tone: TypeAlias = Literal["plain", "heading", "good", "bad", "quiet"]


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence. The tone is a hint for renderers that have colours; the words say it all without."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table. The first `names` columns stand left; the others are numbers and stand right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    names: int = 1


Block: TypeAlias = Line | Table
View: TypeAlias = tuple[Block, ...]
