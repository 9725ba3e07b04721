"""Declared claims from a file of their own, or from a config: the same keys, the same rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from faircall.config.complaints import complain, from_validation
from faircall.config.load import read_text
from faircall.config.schema import SCHEMA_VERSION, Claim, Section
from faircall.config.yaml_lines import read_yaml


class ClaimsFile(Section):
    """A file that declares claims and nothing else."""

    claims: Annotated[tuple[Claim, ...], Field(strict=False)]


def load_claims(path: Path | str) -> list[dict[str, Any]]:
    """The claims of a YAML file: `claims:` alone, or a whole config, of which nothing else is read.

    Raises:
        FileUnreadable: the file cannot be read.
        ConfigError: a key or value; names `file:line`.
    """
    document = read_yaml(read_text(Path(path)), name=str(path))
    value = document.value
    if not isinstance(value, dict):
        raise complain(document, (), "is no mapping with `claims`", hint="claims: [{id: kept, ...}]")
    whole_config = value.get("schema_version") == SCHEMA_VERSION
    try:
        declared = ClaimsFile.model_validate({"claims": value.get("claims")} if whole_config else value)
    except ValidationError as error:
        raise from_validation(document, error) from None
    if not declared.claims:
        raise complain(document, ("claims",), "declares nothing", hint="claims: [{id: kept, ...}]")
    return [claim.model_dump(mode="json") for claim in declared.claims]
