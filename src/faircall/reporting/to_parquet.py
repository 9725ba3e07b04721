"""The per-example table as Parquet: typed columns, texts untouched."""

from __future__ import annotations

import io
from typing import Any, Final

from faircall.errors import DependencyMissing
from faircall.reporting.example_table import COUNT_COLUMNS, FLAG_COLUMNS, columns_of, encodable, rows_of
from faircall.reporting.renderers import Renderer, Subject


def to_parquet(subject: Subject) -> bytes:
    """The table as one file; lone surrogates, which UTF-8 lacks, are spelt out.

    Raises:
        DependencyMissing: pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        hint = "pip install 'faircall[parquet]'"
        raise DependencyMissing("writing Parquet needs pyarrow", hint=hint) from error
    types = {**dict.fromkeys(FLAG_COLUMNS, pyarrow.bool_()), **dict.fromkeys(COUNT_COLUMNS, pyarrow.int64())}
    schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in columns_of(subject)])
    rows = [{name: _storable(value) for name, value in row.items()} for row in rows_of(subject)]
    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), file)
    return file.getvalue()


def _storable(value: Any) -> Any:
    return encodable(value) if isinstance(value, str) else value


RENDERER: Final = Renderer(".examples.parquet", to_parquet, needs_examples=True)
