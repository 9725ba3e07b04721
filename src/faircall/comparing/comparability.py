"""The gate: two arms are compared when they differ in nothing but the declared treatment.

Every field of the two identities is compared. What differs must be released by the tables below, or the
comparison is refused with every differing field named. Unknown is not equal: a field known on one side only
differs, and a field known on neither is listed as not attested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final, TypeAlias

from faircall.canonical import canonical_json
from faircall.comparing.identity import SectionDigests, digest_sections, identify, name_fields
from faircall.errors import Incomparable, UsageError
from faircall.records import Arm

Difference: TypeAlias = tuple[Any, Any]  # baseline's value, candidate's value
Differences: TypeAlias = Mapping[str, Difference]  # by path, "section.field"

# What `--vary NAME` declares; at least one field that matches must then differ.
DECLARABLE: Final[Mapping[str, str]] = {
    "adapter": "adapter.*",
    "model": "model.*",
    "prompt": "prompt.*",
    "quantization": "model.quantization",
    "decoding": "decoding.*",
    "backend": "backend.*",
    "reader": "reader.*",
}
ALWAYS_DECLARED: Final = "adapter"

# What follows from a declaration without being one: another model renders other prompts from the same tasks,
# and whatever was declared stands in the config.
CONSEQUENCES: Final[Mapping[str, tuple[str, ...]]] = {
    name: ("config.*", "prompt.prompt_set*") if name == "model" else ("config.*",)
    for name in DECLARABLE
    if name != ALWAYS_DECLARED
}

_SHOWN: Final = 48  # characters of a value in a message
_CONFIG: Final = "config.config_sha256"
_HINT_ON_CLAIMS: Final = (
    "claims are declared before a run and belong to it: run both arms under one config "
    "(`faircall run` generates what is missing of it)"
)


@dataclass(frozen=True, slots=True)
class Treatment:
    """What is compared with what, under which shared conditions.

    Attributes:
        kind: "declared" (known fields differ), "A/A" (equal arms) or "not_attested" (nothing that is known
            differs, and of the adapter nothing is known).
        differs: the declared fields that differ.
        released: the fields that differ as a consequence of a declaration.
        not_attested: the paths that neither arm knows.
        shared: the fields that both know and agree on, by path.
        digests: the digests of the baseline's sections, and of the candidate's.
    """

    kind: str
    differs: Differences
    released: Differences
    not_attested: tuple[str, ...]
    shared: Mapping[str, Any]
    digests: tuple[SectionDigests, SectionDigests]

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections in which the declared fields lie."""
        return tuple(dict.fromkeys(path.partition(".")[0] for path in self.differs))

    @property
    def name(self) -> str:
        """A word for the signature: `adapter`, `model+prompt`, `A/A` or `not_attested`."""
        return "+".join(self.sections) if self.kind == "declared" else self.kind

    def to_dict(self) -> dict[str, Any]:
        """The `treatment` of a comparison report."""
        return {
            "kind": self.kind,
            "sections": list(self.sections),
            "differs": _as_sides(self.differs),
            "released": _as_sides(self.released),
        }


def check(baseline: Arm, candidate: Arm, vary: Sequence[str] = ()) -> Treatment:
    """Let two arms pass and say what the treatment is, or refuse.

    Args:
        baseline: the arm that is compared against.
        candidate: the arm in question.
        vary: what may differ beside the adapter, by the names of `DECLARABLE`; each must then differ.

    Raises:
        UsageError: a name that cannot be varied, or one under which nothing differs.
        Incomparable: fields differ that nothing releases; every one is named with both values, but for those
            that differ only because the arms have different rows.
    """
    _refuse_unknown_names(vary)
    identities = identify(baseline), identify(candidate)
    pairs = _pair_up(*map(name_fields, identities))
    differing = {path: pair for path, pair in pairs.items() if not _equal(pair)}
    differs = _select(differing, (DECLARABLE[name] for name in (ALWAYS_DECLARED, *vary)))
    released = _select(differing, (pattern for name in vary for pattern in CONSEQUENCES.get(name, ())))
    released = {path: pair for path, pair in released.items() if path not in differs}
    refused = {path: pair for path, pair in differing.items() if path not in {**differs, **released}}
    if refused:
        raise _refusal(refused, baseline, candidate)
    _demand_differences(vary, differing)
    _demand_known_tasks(released, pairs)
    return Treatment(
        kind=_kind(baseline, candidate, differs=differs, pairs=pairs),
        differs=differs,
        released=released,
        not_attested=tuple(path for path, pair in pairs.items() if pair == (None, None)),
        shared={path: pair[0] for path, pair in pairs.items() if _equal(pair) and pair[0] is not None},
        digests=(digest_sections(identities[0]), digest_sections(identities[1])),
    )


def _pair_up(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Difference]:
    return {path: (left.get(path), right.get(path)) for path in dict.fromkeys((*left, *right))}


def _equal(pair: Difference) -> bool:
    return canonical_json(pair[0]) == canonical_json(pair[1])


def _select(differing: Differences, patterns: Iterable[str]) -> dict[str, Difference]:
    wanted = tuple(patterns)
    return {path: pair for path, pair in differing.items() if any(fnmatchcase(path, p) for p in wanted)}


def _kind(baseline: Arm, candidate: Arm, *, differs: Differences, pairs: Differences) -> str:
    if differs:
        return "declared"
    known = any(pair[0] is not None for path, pair in pairs.items() if path.startswith("adapter."))
    return "A/A" if known or _outputs_equal(baseline, candidate) else "not_attested"


def _outputs_equal(baseline: Arm, candidate: Arm) -> bool:
    """Whether both arms wrote the same text for every example: what unknown arms can show to be equal."""
    if baseline.raw_texts is None or candidate.raw_texts is None:
        return False
    if not baseline.ids_given or baseline.scores.ids == candidate.scores.ids:
        return baseline.raw_texts == candidate.raw_texts
    left, right = (
        dict(zip(arm.scores.ids, arm.raw_texts or (), strict=True)) for arm in (baseline, candidate)
    )
    return left == right


def _refuse_unknown_names(vary: Sequence[str]) -> None:
    for name in vary:
        if name not in DECLARABLE:
            raise UsageError(f"{name!r} cannot be varied", hint=f"one of {', '.join(DECLARABLE)}")


def _demand_differences(vary: Sequence[str], differing: Differences) -> None:
    for name in vary:
        if not _select(differing, [DECLARABLE[name]]):
            hint = f"leave out --vary {name}, or compare the arms in which it was changed"
            raise UsageError(f"nothing differs in {name}, which --vary declares as the treatment", hint=hint)


def _demand_known_tasks(released: Differences, pairs: Differences) -> None:
    """Other prompts are a consequence of another model only when they ask for the same tasks."""
    prompts = [path for path in released if path.startswith("prompt.")]
    if prompts and pairs["tasks.tasks_sha256"][0] is None:
        message = f"{', '.join(prompts)} differ, and nothing shows that both arms had the same tasks"
        raise Incomparable(
            message, hint="give the messages or queries and the tools of every row in both files"
        )


def _refusal(refused: Differences, baseline: Arm, candidate: Arm) -> Incomparable:
    told = [
        _describe(path, pair, baseline, candidate)
        for path, pair in refused.items()
        if not ("data.example_ids" in refused and _follows_from_ids(path, baseline, candidate))
    ]
    names = _declarations_for(refused)
    if refused.keys() == {_CONFIG} and differing_keys(baseline.config, candidate.config) == ["claims"]:
        hint = _HINT_ON_CLAIMS
    elif names:
        hint = f"if that is what you test, declare it: {' '.join(f'--vary {name}' for name in names)}"
    else:
        hint = "compare arms that answered the same examples under the same conditions"
    return Incomparable(f"the arms differ in {'; '.join(told)}", hint=hint)


def _follows_from_ids(path: str, baseline: Arm, candidate: Arm) -> bool:
    """Whether a digest over rows differs for no other reason than that the arms have different rows."""
    if path not in _ROW_COLUMNS:
        return False
    first, second = (
        zip(arm.scores.ids, getattr(arm.scores, _ROW_COLUMNS[path]), strict=True)
        for arm in (baseline, candidate)
    )
    known = dict(first)
    return not any(key in known and known[key] != value for key, value in second)


def _declarations_for(refused: Differences) -> list[str]:
    """The `--vary` names that would let all of `refused` pass; none when no declaration can."""
    sections = dict.fromkeys(path.partition(".")[0] for path in refused)
    sections.pop("config", None)
    if not sections.keys() <= DECLARABLE.keys():
        return []
    only_quantization = _select(refused, [DECLARABLE["model"]]).keys() == {DECLARABLE["quantization"]}
    return ["quantization" if name == "model" and only_quantization else name for name in sections]


def _describe(path: str, pair: Difference, baseline: Arm, candidate: Arm) -> str:
    detail = _DETAILS[path](baseline, candidate) if path in _DETAILS else ""
    return f"{path} ({_show(pair[0])} | {_show(pair[1])}{detail})"


def _show(value: Any) -> str:
    if value is None:
        return "unknown"
    text = value if isinstance(value, str) else canonical_json(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 4]}..."


def differing_keys(first: Mapping[str, Any] | None, second: Mapping[str, Any] | None) -> list[str]:
    """What differs between two resolved configs, as `section.key`; nothing where one is not known.

    >>> one = {"config": {"eval": {"threads": 1}, "claims": []}, "inputs": []}
    >>> differing_keys(one, {"config": {"eval": {"threads": 2}, "claims": [1]}, "inputs": []})
    ['claims', 'eval.threads']
    """
    if first is None or second is None:
        return []
    flat = [_flatten_config(config) for config in (first, second)]
    names = sorted({*flat[0], *flat[1]})
    return [name for name in names if not _equal((flat[0].get(name), flat[1].get(name)))]


def _flatten_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of the sections; what is no section, or a list of them, as a whole."""
    flat: dict[str, Any] = {"inputs": config["inputs"]}
    for section, value in config["config"].items():
        if isinstance(value, Mapping):
            flat.update({f"{section}.{key}": member for key, member in value.items()})
        else:
            flat[section] = value
    return flat


def _tell_config(baseline: Arm, candidate: Arm) -> str:
    names = differing_keys(baseline.config, candidate.config)
    only = "only " if len(names) == 1 else ""
    return f"; {only}{', '.join(names)} differ" if names else ""


def _tell_ids(baseline: Arm, candidate: Arm) -> str:
    """Which ids only one side has; the first of each, for there may be millions."""
    parts = []
    first, second = baseline.scores, candidate.scores
    for name, mine, others in (("baseline", first, second), ("candidate", second, first)):
        known = set(others.ids)
        only = [key for key in mine.ids if key not in known]
        parts += [f"{len(only)} only in the {name}, first {only[0]!r}"] if only else []
    return "".join(f"; {part}" for part in parts)


def _tell_gold(baseline: Arm, candidate: Arm) -> str:
    golds = dict(zip(baseline.scores.ids, baseline.scores.gold_sha256, strict=True))
    columns = zip(candidate.scores.ids, candidate.scores.gold_sha256, strict=True)
    changed = [key for key, gold in columns if golds.get(key, gold) != gold]
    return f"; {len(changed)} changed, first {changed[0]!r}" if changed else ""


_ROW_COLUMNS: Final = {
    "data.gold": "gold_sha256",
    "data.pair_sets": "roots",
    "data.slices": "labels",
    "tasks.tasks_sha256": "tasks_sha256",
    "prompt.prompt_sets": "prompt_sha256",
}
_DETAILS: Final = {"data.example_ids": _tell_ids, "data.gold": _tell_gold, _CONFIG: _tell_config}


def _as_sides(differences: Differences) -> dict[str, Any]:
    return {path: {"baseline": pair[0], "candidate": pair[1]} for path, pair in differences.items()}
