"""Readers: declared ways to find a call in what a model or server emits. One file each, one line here each.

    ReadingInput --> [think.v1 +] ... --> reader --> Reading(Parsed, counters)
    raw text         takes thoughts       finds one call, strictly

All are as strict as the default: exact case-sensitive markers, no second try, no fallback, nothing repaired.
The name of the reader is part of an arm's identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from faircall.errors import ConfigError
from faircall.parsing.readers.compose import compose
from faircall.parsing.readers.markers import (
    Notice,
    count_marks,
    count_text_marks,
    markers_in,
    notice_of,
    notice_unknown,
)
from faircall.parsing.readers.protocol import Cut, Front, Reader, Reading, ReadingInput
from faircall.parsing.tool_call import BACKEND_FAILED
from faircall.records import DECISIONS, PARSER_VERSION, Example, Generation
from faircall.registry import Registry

__all__ = [
    "READERS",
    "Cut",
    "Front",
    "Notice",
    "Reader",
    "Reading",
    "ReadingInput",
    "count_marks",
    "count_text_marks",
    "get",
    "inputs_of",
    "markers_in",
    "names",
    "notice_of",
    "notice_unknown",
    "read_rows",
    "reader_identity",
]  # fmt: skip

Entry: TypeAlias = Reader | Front

_HERE: Final = "faircall.parsing.readers"

READERS: Final[Registry[Entry]] = Registry(
    "reader",
    builtin={
        PARSER_VERSION: f"{_HERE}.sommelier:READER",
        "think.v1": f"{_HERE}.think:FRONT",
        "think_until_call.v1": f"{_HERE}.think:FRONT_UNTIL_CALL",
        "hermes.v1": f"{_HERE}.hermes:READER",
        "llama3_json.v1": f"{_HERE}.llama3_json:READER",
        "mistral.v1": f"{_HERE}.mistral:READER",
        "mistral_args.v1": f"{_HERE}.mistral_args:READER",
        "qwen3_xml.v1": f"{_HERE}.qwen3_xml:READER",
        "pythonic.v1": f"{_HERE}.pythonic:READER",
        "harmony.v1": f"{_HERE}.harmony:READER",
        "openai_chat.native.v1": f"{_HERE}.openai_chat:READER",
        "openai_responses.native.v1": f"{_HERE}.openai_responses:READER",
        "anthropic.native.v1": f"{_HERE}.anthropic:READER",
    },
    entry_points="faircall.readers",
)


def names() -> list[str]:
    """Every name that can stand alone or in a composition."""
    return READERS.names()


def get(name: str) -> Reader:
    """The reader called `name`; `+` composes, and a front alone is followed by the default.

    >>> get("think.v1+hermes.v1").name
    'think.v1+hermes.v1'
    >>> get("think.v1").name
    'think.v1+sommelier.parser.v1'

    Raises:
        ConfigError: a name is not known, or the parts cannot follow each other.
    """
    fronts: list[Front] = []
    reader: Reader | None = None
    for part in name.split("+"):
        if reader is not None:
            raise ConfigError(
                f"{reader.name} finds the call itself, so it can only come last in {name!r}",
                hint="for example: think.v1+hermes.v1",
            )
        entry = _entry(part)
        if isinstance(entry, Front):
            fronts.append(entry)
        else:
            reader = entry
    return compose(fronts, reader or _default())


def read_rows(reader: Reader, inputs: Iterable[ReadingInput]) -> list[Reading]:
    """What `reader` finds in each row, in order; a failed backend is `no_json` with its own reason."""
    return [Reading(BACKEND_FAILED) if given.failure is not None else reader.read(given) for given in inputs]


def inputs_of(
    examples: Sequence[Example],
    generations: Sequence[Generation],
    *,
    prompts: Sequence[str | None] | None = None,
) -> list[ReadingInput]:
    """Joined rows as readers take them; `prompts` are the stored prompt texts where they are known."""
    texts = [None] * len(examples) if prompts is None else prompts
    return [
        ReadingInput(generation.raw_text, prompt, example.tools, generation.message, generation.failure)
        for example, generation, prompt in zip(examples, generations, texts, strict=True)
    ]


def reader_identity(reader: Reader) -> Mapping[str, Any]:
    """The section `reader` of an arm's identity."""
    return {"name": reader.name, "decisions": DECISIONS}


def _default() -> Reader:
    from faircall.parsing.readers.sommelier import READER

    return READER


def _entry(name: str) -> Entry:
    entry = READERS.get(name)
    if not isinstance(entry, (Reader, Front)):
        kind = type(entry).__name__
        raise ConfigError(
            f"reader {name!r} is a {kind}, not a Reader or Front", hint="see docs/readers/README.md"
        )
    return entry
