"""What is known of the conditions of an arm: what it states, and what its scored rows show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from faircall.digest import sha256_json, sha256_lines
from faircall.records import Arm, Scores

Fields: TypeAlias = dict[str, Any]  # "section.field" -> value, None where it is not known
Sections: TypeAlias = Mapping[str, Mapping[str, Any]]
SectionDigests: TypeAlias = dict[str, str | None]

_OBSERVED: Final[WeakKeyDictionary[Scores, tuple[bool, dict[str, Fields]]]] = WeakKeyDictionary()

# What an arm can state or show. Of these, what neither arm knows is reported as not attested; fields beyond
# these are compared, too. `config` is no section of the contract: its digest follows what was declared.
IDENTITY_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "data": ("example_ids", "gold", "pair_sets", "slices", "test_split_sha256"),
    "tasks": ("tasks_sha256",),
    "prompt": ("policy", "template_sha256", "prompt_sets"),
    "model": ("base_model_id", "base_model_revision", "tokenizer_revision", "dtype", "quantization"),
    "adapter": ("source",),
    "decoding": ("temperature", "do_sample", "max_new_tokens"),
    "backend": ("engine", "version", "device", "batch_plan"),
    "reader": ("name", "decisions"),
    "metrics": ("protocol", "names"),
    "config": ("config_sha256",),
}


def attest(arm: Arm) -> Fields:
    """Every field by its path, in the order of the sections; None where the arm does not know it."""
    return name_fields(identify(arm))


def name_fields(sections: Sections) -> Fields:
    """The fields of all sections by their paths.

    >>> name_fields({"adapter": {"source": "none"}})
    {'adapter.source': 'none'}
    """
    return {
        f"{section}.{name}": value for section, fields in sections.items() for name, value in fields.items()
    }


def known_fields(sections: Sections) -> dict[str, Fields]:
    """The sections without what is not known.

    >>> known_fields({"model": {"dtype": "float32", "quantization": None}})
    {'model': {'dtype': 'float32'}}
    """
    return {
        section: {name: value for name, value in fields.items() if value is not None}
        for section, fields in sections.items()
    }


def digest_sections(sections: Sections) -> SectionDigests:
    """The digest of what is known in each section, as canonical JSON; None where nothing is known.

    Unknown is not equal: a section without a known field has no digest that could equal another's.

    >>> digest_sections({"adapter": {"source": None}})
    {'adapter': None}
    """
    return {
        section: sha256_json(fields) if fields else None for section, fields in known_fields(sections).items()
    }


def altered_sections(sections: Sections, digests: Mapping[str, str | None]) -> list[str]:
    """The sections that are not what their digests say; one without a digest is not judged.

    >>> fields = {"adapter": {"source": "none"}}
    >>> altered_sections(fields, digest_sections(fields)), altered_sections(fields, {"adapter": "0"})
    ([], ['adapter'])
    """
    found = digest_sections({name: sections.get(name, {}) for name in digests})
    return [name for name, digest in digests.items() if found[name] != digest]


def identify(arm: Arm) -> dict[str, Fields]:
    """Every section with its fields, stated or shown; None where the arm does not know one."""
    sections: dict[str, Fields] = {
        section: dict.fromkeys(names) for section, names in IDENTITY_FIELDS.items()
    }
    for known in (arm.identity, _observe_once(arm)):
        for section, fields in known.items():
            sections.setdefault(section, {}).update(fields)
    return sections


def section_digests(arm: Arm) -> SectionDigests:
    """The digest of each section of an arm's identity."""
    return digest_sections(identify(arm))


def _observe_once(arm: Arm) -> dict[str, Fields]:
    """What the rows show; it is asked for when an arm is loaded and when it is compared."""
    if (known := _OBSERVED.get(arm.scores)) is None or known[0] != arm.ids_given:
        _OBSERVED[arm.scores] = known = arm.ids_given, _observe(arm.scores, ids_given=arm.ids_given)
    return known[1]


def _observe(scores: Scores, *, ids_given: bool) -> dict[str, Fields]:
    """What the rows show, in the order of their ids: the order of a file changes nothing.

    Rows without ids stay in the order of their file, and their gold calls must agree in that order.
    """
    count = len(scores.ids)
    rows = sorted(range(count), key=scores.ids.__getitem__) if ids_given else list(range(count))
    ordered = [[column[row] for row in rows] for column in (scores.ids, scores.gold_sha256, scores.roots)]
    data = {
        "example_ids": sha256_lines(ordered[0]) if ids_given else f"{count} rows without ids",
        "gold": sha256_lines(ordered[1]),
        "pair_sets": sha256_lines(ordered[2]),
        "slices": sha256_json([scores.labels[row] for row in rows]),
    }
    observed: dict[str, Fields] = {"data": data}
    if tasks := _digest_known([scores.tasks_sha256[row] for row in rows]):
        observed["tasks"] = {"tasks_sha256": tasks}
    if prompts := _prompt_sets(scores, rows):
        observed["prompt"] = {"prompt_sets": prompts}
    return observed


def _prompt_sets(scores: Scores, rows: Sequence[int]) -> Fields | None:
    """One digest per slice over its rendered prompts; None when no prompt is known."""
    if _is_unknown(scores.prompt_sha256):
        return None
    columns: dict[str, list[str | None]] = defaultdict(list)
    for row in rows:
        columns[scores.labels[row] or "all"].append(scores.prompt_sha256[row])
    sets = {label: _digest_known(column) for label, column in columns.items()}
    return sets if any(sets.values()) else None


def _digest_known(column: Sequence[str | None]) -> str | None:
    return None if _is_unknown(column) else sha256_json(list(column))


def _is_unknown(column: Sequence[str | None]) -> bool:
    return column.count(None) == len(column)
