"""The option `positive_class`."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field


def _refuse_none(value: Any) -> Any:
    if value is None:
        raise ValueError("positive_class is required, and None is not a class")
    return value


PositiveClass: TypeAlias = Annotated[
    Any,
    AfterValidator(_refuse_none),
    Field(description="the class that counts as positive, compared by type and value"),
]
"""Any value but None; `False`, `0` and `""` are classes like any other."""

Key: TypeAlias = Annotated[str, Field(min_length=1)]
"""The name of a field of the golden or predicted objects."""
