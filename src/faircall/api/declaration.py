"""What is declared of a file of rows, as one record that is handed from verb to reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from faircall.records import PARSER_VERSION
from faircall.scoring.protocols import METRIC_PROTOCOL


@dataclass(frozen=True, slots=True)
class Declaration:
    """How rows are to be read and scored where the defaults do not fit.

    Attributes:
        columns: field -> column, where the recognised names do not fit.
        gold: a file of gold calls to join by id; a labelled sample restricts the rows to itself.
        slice_keys: columns that become further slices `key=value`.
        reader: the declared reader that finds the calls.
        protocol: the declared protocol that scores them.
    """

    columns: Mapping[str, str] | None = None
    gold: Path | str | None = None
    slice_keys: Sequence[str] = ()
    reader: str = PARSER_VERSION
    protocol: str = METRIC_PROTOCOL

    @property
    def is_default(self) -> bool:
        """Whether nothing is declared: empty columns are none.

        >>> Declaration(columns={}).is_default, Declaration(gold="gold.jsonl").is_default
        (True, False)
        """
        declared = (self.reader, self.protocol) != (PARSER_VERSION, METRIC_PROTOCOL)
        return not (declared or self.columns or self.gold or self.slice_keys)


NOTHING_DECLARED: Final = Declaration()
