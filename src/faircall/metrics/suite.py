"""Several metrics over the same rows: what `faircall metrics run` does, for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from faircall.errors import ConfigError
from faircall.metrics.aggregator_metrics.aggregator_metric_registry import AggregatorMetricRegistry
from faircall.metrics.columns import ResultColumns, Side
from faircall.metrics.unit_metrics.unit_metric_registry import UnitMetricRegistry
from faircall.metrics.unit_metrics.unit_metric_result import UnitMetricResult
from faircall.metrics.values import json_ready, text_of, value_under


@dataclass(slots=True)
class Named:
    """A metric with the name and the options that it was made with."""

    name: str
    options: dict[str, Any]
    metric: Any


@dataclass(slots=True)
class Group:
    """A unit metric and the aggregators over its results."""

    unit: Named
    aggregators: list[Named] = field(default_factory=list)

    def metadata_keys(self) -> list[str]:
        """The metadata that its aggregators group by."""
        keys = (one.options.get(name) for one in self.aggregators for name in ("cluster_key", "item_key"))
        return sorted({key for key in keys if key is not None})


def read_suite(entries: Any) -> list[Group]:
    """Metrics from a list: each entry a name, or `{name: options}`; aggregators follow their unit metric.

    Raises:
        ConfigError: not such a list, an unknown name, or options that the metric refuses.

    >>> group, = read_suite([{"exact_match": {"key": "tool"}}, "accuracy"])
    >>> group.unit.name, [one.name for one in group.aggregators]
    ('exact_match', ['accuracy'])
    """
    if not isinstance(entries, list) or not entries:
        raise ConfigError("metrics are a list", hint="for example: [exact_match, accuracy]")
    groups: list[Group] = []
    for entry in entries:
        name, options = _read_entry(entry)
        if UnitMetricRegistry.has_metric(name):
            groups.append(Group(make_unit_metric(name, options)))
        elif not groups:
            raise ConfigError(
                f"the first metric must be a unit metric, got {name!r}",
                hint="unit metrics: " + ", ".join(UnitMetricRegistry.list_metrics()),
            )
        else:
            groups[-1].aggregators.append(make_aggregator(name, options))
    return groups


def make_unit_metric(name: str, options: Mapping[str, Any]) -> Named:
    """A unit metric by name. Raises `ConfigError` for an unknown name or refused options."""
    return _make(UnitMetricRegistry.get_metric_class(name), name, options)


def make_aggregator(name: str, options: Mapping[str, Any]) -> Named:
    """An aggregator metric by name. Raises `ConfigError` for an unknown name or refused options."""
    return _make(AggregatorMetricRegistry.get_metric_class(name), name, options)


def run_group(
    group: Group, golden: Sequence[Any], predicted: Sequence[Any]
) -> tuple[list[UnitMetricResult], dict[str, Any]]:
    """Judge every pair and aggregate: the results, and `{unit, results, correct, aggregates, warnings}`.

    Raises:
        ValueError: rows that a metric cannot use.
    """
    results = group.unit.metric.evaluate(golden, predicted)
    for key in group.metadata_keys():
        _note(results, key, golden=golden, predicted=predicted)
    aggregates = [
        {"name": one.name, "options": json_ready(one.options), "values": one.metric.calculate(results)}
        for one in group.aggregators
    ]
    columns = ResultColumns.of(results)
    return results, {
        "unit": {"name": group.unit.name, "options": json_ready(group.unit.options)},
        "results": len(columns),
        "correct": int(columns.correct.sum()),
        "aggregates": aggregates,
        "warnings": [warning for one in group.aggregators for warning in unseen_class(one, columns)],
    }


def unseen_class(named: Named, columns: ResultColumns) -> Iterator[str]:
    """A warning for each side on which a metric's positive class never occurs."""
    if "positive_class" not in named.options:
        return
    positive = named.options["positive_class"]
    sides: tuple[tuple[Side, str], ...] = (("golden", "golden_key"), ("predicted", "predicted_key"))
    for side, option in sides:
        key = named.options.get(option)
        if key is None or (labels := columns.labels(side, key)).mask(positive).any():
            continue
        kind, text = type(positive).__name__, text_of(positive)
        alike = [type(value).__name__ for value in labels.values if text_of(value) == text]
        hint = f"; there is one of type {alike[0]}" if alike else ""
        yield f"{named.name}: the positive class {text} ({kind}) never occurs under {side} {key!r}{hint}"


def _read_entry(entry: Any) -> tuple[str, Mapping[str, Any]]:
    if isinstance(entry, str):
        return entry, {}
    if isinstance(entry, Mapping) and len(entry) == 1:
        name, options = next(iter(entry.items()))
        if isinstance(name, str) and isinstance(options or {}, Mapping):
            return name, options or {}
    raise ConfigError(
        f"not a metric: {entry!r}", hint="an entry is a name, or {name: {option: value}} with one name"
    )


def _make(metric_class: type[Any], name: str, options: Mapping[str, Any]) -> Named:
    try:
        return Named(name, dict(options), metric_class(**options))
    except TypeError as error:
        raise ConfigError(f"{name}: {error}", hint="the metric takes other options") from None
    except ValidationError as error:
        faults = "; ".join(f"{_option(fault['loc'])}: {fault['msg']}" for fault in error.errors())
        hint = "`faircall metrics list` shows each metric's options"
        raise ConfigError(f"{name}: {faults}", hint=hint) from None


def _option(location: tuple[Any, ...]) -> str:
    return ".".join(map(str, location)) or "options"


def _note(
    results: list[UnitMetricResult], key: str, *, golden: Sequence[Any], predicted: Sequence[Any]
) -> None:
    """Copy what rows hold under `key` into the metadata of their results; golden rows come first."""
    for result, left, right in zip(results, golden, predicted, strict=True):
        for row in (left, right):
            if isinstance(row, Mapping) and key in row:
                result.metadata.setdefault(key, value_under(row, key))
