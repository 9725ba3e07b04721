"""Rows of several languages to splits: screen, pair, remove repeats, split. Pure; files are others' business.

outcomes of the root dataset --> screen --> drop repeated queries --> split by seed --------.
outcomes of paired datasets  --> screen --> find the root, same tools and gold --> its split --> Prepared
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from faircall.canonical import canonical_json
from faircall.config import DataPolicy
from faircall.errors import DataError, DuplicateId
from faircall.importing.reasons import Reason
from faircall.importing.rows import Candidate, Outcome, Rejected
from faircall.importing.splits import assign_splits
from faircall.records import Example
from faircall.tools import tool_name

SPLITS: Final = ("train", "validation", "test")


@dataclass(frozen=True, slots=True)
class Source:
    """The rows of one dataset: its language, the name of its file, and the outcome of every row."""

    language: str
    name: str
    outcomes: Sequence[Outcome]
    paired: bool = False


@dataclass(frozen=True, slots=True)
class Prepared:
    """The splits, each in the order of the datasets, and what became of every outcome that is not in one."""

    splits: Mapping[str, tuple[Example, ...]]
    rejected: Mapping[str, tuple[Rejected, ...]]
    sources: tuple[Source, ...]


def normalise_query(text: str) -> str:
    """The form in which queries are compared: NFC, case folded, whitespace collapsed.

    >>> normalise_query("  Wetter in\\tGRAZ? ")
    'wetter in graz?'
    """
    folded = unicodedata.normalize("NFC", text).casefold()
    return " ".join(unicodedata.normalize("NFC", folded).split())


def prepare(sources: Sequence[Source], *, policy: DataPolicy, seed: int) -> Prepared:
    """Screen, pair and split the rows of one root dataset and its translations.

    Raises:
        DuplicateId: an id stands on two rows.
        DataError: too few rows for the counts; says how many there are and what was dropped.
    """
    check_ids(sources)
    work = _Work(policy)
    root = next(source for source in sources if not source.paired)
    work.take_roots(root)
    for source in sources:
        if source.paired:
            work.take_translations(source)
    counts = {split: policy.count(split) for split in SPLITS}
    roots = work.kept.get(root.language, [])
    chosen = assign_splits(roots, counts=counts, seed=seed, split_by=policy.split_by)
    _check_counts(chosen, counts=counts, root=root, work=work)
    return work.finish(sources, chosen)


def check_ids(sources: Iterable[Source]) -> None:
    """Refuse an id that stands on two rows, whatever else is wrong with them."""
    seen: dict[str, tuple[str, int]] = {}
    for source in sources:
        for outcome in source.outcomes:
            place = (source.name, outcome.line)
            for name in {outcome_id(outcome), row_id(outcome)}:
                first = seen.setdefault(name, place)
                if first != place:
                    where = f"{first[0]} line {first[1]} and {place[0]} line {place[1]}"
                    raise DuplicateId(
                        f"the id {name!r} stands on {where}", hint="ids join rows; make them unique"
                    )


def outcome_id(outcome: Outcome) -> str:
    """The example id that an outcome has, or would have had."""
    return outcome.example.example_id if isinstance(outcome, Candidate) else outcome.example_id


def row_id(outcome: Outcome) -> str:
    """The id of the row."""
    return outcome.group if isinstance(outcome, Candidate) else outcome.row_id


@dataclass(slots=True)
class _Work:
    """The state of one preparation: what is kept and dropped so far, per language."""

    policy: DataPolicy
    kept: dict[str, list[Candidate]] = field(default_factory=dict)
    dropped: dict[str, list[Rejected]] = field(default_factory=dict)
    queries: dict[str, str] = field(default_factory=dict)  # normalised query -> group of the root
    roots: dict[str, Candidate] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)

    def take_roots(self, source: Source) -> None:
        """Screen the root dataset and drop repeated queries."""
        self.ids = {outcome_id(outcome) for outcome in source.outcomes}
        for outcome in source.outcomes:
            reason = self._judge_root(outcome) if isinstance(outcome, Candidate) else outcome.reason
            self._enter(source.language, outcome, reason)
            if reason is None and isinstance(outcome, Candidate):
                self.roots[outcome.example.example_id] = outcome

    def take_translations(self, source: Source) -> None:
        """Screen one paired dataset and join its rows to their roots."""
        taken: set[str] = set()
        for outcome in source.outcomes:
            reason = (
                self._judge_translation(outcome, taken) if isinstance(outcome, Candidate) else outcome.reason
            )
            self._enter(source.language, outcome, reason)
            if reason is None and isinstance(outcome, Candidate):
                taken.add(outcome.example.root)

    def _enter(self, language: str, outcome: Outcome, reason: Reason | None) -> None:
        if reason is None and isinstance(outcome, Candidate):
            self.kept.setdefault(language, []).append(outcome)
        elif reason is not None:
            self.drop(language, outcome, reason)

    def drop(self, language: str, outcome: Outcome, reason: Reason) -> None:
        """Note one outcome as dropped."""
        gone = Rejected(outcome.line, row_id(outcome), outcome_id(outcome), reason)
        self.dropped.setdefault(language, []).append(gone)

    def _judge_root(self, candidate: Candidate) -> Reason | None:
        if candidate.example.source_example_id is not None:
            return Reason.ROOT_NAMES_SOURCE
        return screen(candidate.example, policy=self.policy) or self._repeats(candidate, candidate.group)

    def _judge_translation(self, candidate: Candidate, taken: set[str]) -> Reason | None:
        example = candidate.example
        if example.source_example_id is None:
            return Reason.SOURCE_MISSING
        reason = screen(example, policy=self.policy)
        if reason:
            return reason
        root = self.roots.get(example.source_example_id)
        if root is None:
            return Reason.ROOT_DROPPED if example.source_example_id in self.ids else Reason.ROOT_UNKNOWN
        if _task(example) != _task(root.example):
            return Reason.ROOT_DIFFERS
        if example.source_example_id in taken:
            return Reason.TRANSLATION_REPEATED
        return self._repeats(candidate, root.group)

    def _repeats(self, candidate: Candidate, group: str) -> Reason | None:
        """One conversation, or a root and its translations, may share a query; others may not."""
        query = normalise_query(candidate.example.query or "")
        return Reason.QUERY_REPEATED if self.queries.setdefault(query, group) != group else None

    def finish(self, sources: Sequence[Source], chosen: Mapping[str, str]) -> Prepared:
        """Hand out the splits; what no split needs is dropped by that reason."""
        splits: dict[str, list[Example]] = {split: [] for split in SPLITS}
        for source in sources:
            for candidate in self.kept.get(source.language, []):
                split = chosen.get(candidate.example.root)
                if split is None:
                    self.drop(source.language, candidate, Reason.NOT_SAMPLED)
                else:
                    splits[split].append(candidate.example)
        return Prepared(
            splits={split: tuple(examples) for split, examples in splits.items()},
            rejected={
                source.language: tuple(
                    sorted(self.dropped.get(source.language, []), key=lambda one: one.line)
                )
                for source in sources
            },
            sources=tuple(sources),
        )


def _task(example: Example) -> str:
    """What a translation must share with its root, to the byte: tools and gold."""
    gold = example.gold.to_dict() if example.gold else None
    return canonical_json([list(example.tools or ()), gold])


def screen(example: Example, *, policy: DataPolicy) -> Reason | None:
    """The first rule of the data policy that an example breaks on its own; None when it breaks none."""
    query = (example.query or "").strip()
    if not query:
        return Reason.QUERY_MISSING
    if len(query) < policy.min_query_chars:
        return Reason.QUERY_SHORT
    if len(query) > policy.max_query_chars:
        return Reason.QUERY_LONG
    if not example.tools:
        return Reason.TOOLS_MISSING
    if example.gold is None or example.gold.name not in {tool_name(tool) for tool in example.tools}:
        return Reason.GOLD_NOT_OFFERED
    return None


def _check_counts(chosen: Mapping[str, str], *, counts: Mapping[str, int], root: Source, work: _Work) -> None:
    found = {split: sum(value == split for value in chosen.values()) for split in counts}
    if found == dict(counts):
        return
    usable = len(work.kept.get(root.language, []))
    wanted = ", ".join(f"{split} {found[split]} of {counts[split]}" for split in counts)
    needed = f"{sum(counts.values())} needed ({wanted})"
    message = f"{root.name}: {usable} usable examples of {len(root.outcomes)}, {needed}"
    raise DataError(message, hint=_most_dropped(work.dropped.get(root.language, []), policy=work.policy))


def _most_dropped(dropped: Sequence[Rejected], *, policy: DataPolicy) -> str:
    counts: dict[str, int] = {}
    for one in dropped:
        counts[one.reason.value] = counts.get(one.reason.value, 0) + 1
    if counts:
        most = max(counts, key=lambda reason: counts[reason])
        return f"most were dropped because {most} ({counts[most]})"
    if policy.split_by == "tool":
        return "tools must stay apart: lower the counts or try another project.seed"
    return "lower data.n_train, n_validation or n_test, or add rows"
