"""The account of a preparation: seen = kept + dropped, in every dataset, with one reason per dropped row."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from faircall.importing.prepare import Prepared, Source
from faircall.importing.rows import Rejected

SCHEMA_VERSION: Final = "faircall.drop_summary.v1"


def summarise(prepared: Prepared) -> dict[str, Any]:
    """The JSON of `drop_summary.json`. Every dropped row or step is listed with file, line, id and reason."""
    datasets = [_summarise_source(prepared, source) for source in prepared.sources]
    totals = {key: sum(dataset[key] for dataset in datasets) for key in ("seen", "kept", "dropped")}
    return {"schema_version": SCHEMA_VERSION, **totals, "datasets": datasets}


def _summarise_source(prepared: Prepared, source: Source) -> dict[str, Any]:
    dropped = prepared.rejected[source.language]
    splits = {
        split: sum(example.language == source.language for example in examples)
        for split, examples in prepared.splits.items()
    }
    return {
        "language": source.language,
        "path": source.name,
        "paired": source.paired,
        "seen": len(source.outcomes),
        "kept": sum(splits.values()),
        "dropped": len(dropped),
        "splits": splits,
        "reasons": dict(Counter(one.reason.value for one in dropped)),
        "rows": [_describe(source, one) for one in dropped],
    }


def _describe(source: Source, one: Rejected) -> dict[str, Any]:
    return {"file": source.name, "line": one.line, "id": one.example_id, "reason": one.reason.value}
