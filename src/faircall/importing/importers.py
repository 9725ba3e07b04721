"""The table of importers, one line each; the first in the order that recognises a file reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from faircall.errors import DataError
from faircall.importing.foreign import Importer
from faircall.importing.from_table import table_importer
from faircall.registry import Registry

_HERE: Final = "faircall.importing"

IMPORTERS: Final[Registry[Importer]] = Registry(
    "importer",
    builtin={
        "inspect": f"{_HERE}.from_inspect:IMPORTER",
        "otel": f"{_HERE}.from_otel:IMPORTER",
        "langfuse": f"{_HERE}.from_langfuse:IMPORTER",
        "lm_eval": f"{_HERE}.from_lm_eval:IMPORTER",
        "bfcl": f"{_HERE}.from_bfcl:QUESTIONS",
        "bfcl_result": f"{_HERE}.from_bfcl:RESULTS",
        "openai_chat": f"{_HERE}.from_openai_log:LOG",
        "openai_responses": f"{_HERE}.from_responses:LOG",
        "anthropic": f"{_HERE}.from_anthropic:IMPORTER",
        "openai_items": f"{_HERE}.from_responses:ITEMS",
        "hermes": f"{_HERE}.from_hermes:IMPORTER",
        "conversation": f"{_HERE}.from_training_rows:CONVERSATION",
        "xlam": f"{_HERE}.from_training_rows:XLAM",
        "openai_message": f"{_HERE}.from_openai_log:MESSAGE",
    },
    entry_points="faircall.importers",
)
_ORDER: Final = (
    "inspect", "otel", "langfuse", "lm_eval", "bfcl", "bfcl_result", "openai_chat", "openai_responses",
    "anthropic", "openai_items", "hermes", "conversation",
)  # fmt: skip
_LAST: Final = ("openai_message", "xlam")
TABLE: Final = "table"


def names() -> list[str]:
    """Every name that `--from` takes."""
    return sorted([*IMPORTERS.names(), TABLE])


def get(name: str, *, columns: Mapping[str, str] | None = None) -> Importer:
    """The importer called `name`; the column map is for `table` only.

    Raises:
        ConfigError: no importer has that name.
    """
    return table_importer(columns or {}) if name == TABLE else IMPORTERS.get(name)


def detect(sample: Sequence[Any], *, columns: Mapping[str, str] | None = None, label: str) -> Importer:
    """The first importer that recognises the first readable record; with a column map, plain rows.

    Third parties' importers are asked before plain rows. Rows with nothing but gold are plain, too.

    Raises:
        DataError: none does.
    """
    if columns:
        return table_importer(columns)
    others = [name for name in IMPORTERS.names() if name not in (*_ORDER, *_LAST)]
    known = [name for name in (*_ORDER, *others, TABLE, *_LAST) if name == TABLE or name in IMPORTERS]
    for name in known:
        importer = get(name)
        if sample and importer.recognises(sample[0]):
            return importer
    if sample and isinstance(sample[0], Mapping) and "gold" in sample[0]:
        return table_importer({})
    keys = (
        ", ".join(sorted(map(str, sample[0]))[:12])
        if sample and isinstance(sample[0], Mapping)
        else "no object"
    )
    raise DataError(
        f"{label}: no importer recognises its records ({keys})",
        hint=f"--from NAME with one of {', '.join(names())}, or --map FIELD=COLUMN for plain rows",
    )
