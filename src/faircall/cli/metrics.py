"""`faircall metrics`: the general metrics library on files."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircall.cli.console import JsonFlag, new_app, print_json, print_text, print_written
from faircall.errors import ConfigError, DataError, RowInvalid, UsageError

if TYPE_CHECKING:
    from faircall.metrics.suite import Group, Named
    from faircall.store.tables import Table

app = new_app(help="Score any prediction task with unit and aggregator metrics.")

_KEYS = Annotated[str | None, typer.Option(help="The field that metrics read on both sides.")]
_GOLDEN_KEY = Annotated[str | None, typer.Option(help="The golden field, where it is another one.")]
_PREDICTED_KEY = Annotated[str | None, typer.Option(help="The predicted field, where it is another one.")]
_SETTINGS = Annotated[
    list[str] | None, typer.Option("--set", help="Any other option, NAME=VALUE; read as JSON, else as text.")
]


@app.command("list", epilog="Example: faircall metrics list --json")
def list_metrics(as_json: JsonFlag = False) -> None:
    """List every metric with its options."""
    from faircall.metrics.aggregator_metrics.aggregator_metric_registry import AggregatorMetricRegistry
    from faircall.metrics.unit_metrics.unit_metric_registry import UnitMetricRegistry

    kinds = {
        "unit_metrics": UnitMetricRegistry.get_metrics_info(),
        "aggregator_metrics": AggregatorMetricRegistry.get_metrics_info(),
    }
    if as_json:
        print_json(kinds)
        return
    for title, metrics in kinds.items():
        print_text(title.replace("_", " "))
        for name, metric in metrics.items():
            print_text(f"  {name:<22}  {(metric['metadata'] or {}).get('description', '')}")
            options = list((metric["options"] or {}).get("properties", {}))
            print_text(f"  {'':<22}  options: {', '.join(options) or 'none'}")


@app.command(
    epilog="Example: faircall metrics run --golden gold.jsonl --predicted out.jsonl --unit exact_match "
    "--key tool --aggregate accuracy --aggregate precision --positive-class click"
)
def run(
    golden: Annotated[str, typer.Option(help="The truth: JSON Lines, CSV or Parquet.")],
    predicted: Annotated[str, typer.Option(help="The predictions: JSON Lines, CSV or Parquet.")],
    unit: Annotated[str, typer.Option(help="The unit metric.")] = "exact_match",
    aggregate: Annotated[list[str] | None, typer.Option(help="An aggregator metric; repeatable.")] = None,
    metrics: Annotated[Path | None, typer.Option(help="A YAML list of metrics instead.")] = None,
    key: _KEYS = None,
    golden_key: _GOLDEN_KEY = None,
    predicted_key: _PREDICTED_KEY = None,
    positive_class: Annotated[str | None, typer.Option(help="Read as JSON, else as text.")] = None,
    level: Annotated[float | None, typer.Option(help="Add intervals at this level, say 0.95.")] = None,
    cluster_key: Annotated[str | None, typer.Option(help="Rows that agree here are not independent.")] = None,
    settings: _SETTINGS = None,
    id_key: Annotated[
        str | None, typer.Option(help="Join rows by this field [default: id, if all have it]")
    ] = None,
    by_position: Annotated[bool, typer.Option("--by-position", help="Join rows by position.")] = False,
    results: Annotated[Path | None, typer.Option(help="Write one verdict per row to this file.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Judge every row with a unit metric and aggregate the verdicts."""
    given = {
        "key": key,
        "golden_key": golden_key,
        "predicted_key": predicted_key,
        "positive_class": None if positive_class is None else read_value(positive_class),
        "level": level,
        "cluster_key": cluster_key,
    }
    options = {name: value for name, value in given.items() if value is not None} | _read_settings(settings)
    groups = _groups(unit, aggregate or ["accuracy"], options=options, suite=metrics)
    rows = _read_rows(golden, predicted, id_key=None if by_position else id_key, by_position=by_position)
    _run(groups, rows, results=results, as_json=as_json)


def read_value(text: str) -> Any:
    """A value of the command line: JSON where it is JSON, else the text itself.

    >>> read_value("click"), read_value("1"), read_value('"1"'), read_value("NaN")
    ('click', 1, '1', 'NaN')
    """
    from faircall.strict_json import JsonFault, decode

    try:
        return decode(text)
    except JsonFault:
        return text


def _read_settings(settings: Sequence[str] | None) -> dict[str, Any]:
    options = {}
    for setting in settings or ():
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise UsageError(f"--set takes NAME=VALUE, got {setting!r}", hint="for example: --set k=2")
        options[name] = read_value(value)
    return options


def _groups(
    unit: str, aggregators: Sequence[str], *, options: Mapping[str, Any], suite: Path | None
) -> list[Group]:
    from faircall.metrics.suite import Group, make_aggregator, make_unit_metric, read_suite

    if suite is not None:
        if options:
            raise UsageError(
                f"--metrics and {', '.join(sorted(options))} do not fit together", hint="set it in the list"
            )
        return read_suite(_read_yaml(suite))
    taken: set[str] = set()
    group = Group(make_unit_metric(unit, _fitting(unit, options, taken, aggregator=False)))
    for name in aggregators:
        group.aggregators.append(make_aggregator(name, _fitting(name, options, taken, aggregator=True)))
    if unused := sorted(options.keys() - taken):
        raise UsageError(
            f"no chosen metric takes {', '.join(unused)}", hint="`faircall metrics list` shows the options"
        )
    return [group]


def _fitting(name: str, options: Mapping[str, Any], taken: set[str], *, aggregator: bool) -> dict[str, Any]:
    """The options that the metric has; `key` stands in for a golden or predicted key that was not given."""
    from faircall.metrics.aggregator_metrics.aggregator_metric_registry import AggregatorMetricRegistry
    from faircall.metrics.unit_metrics.unit_metric_registry import UnitMetricRegistry

    registry = AggregatorMetricRegistry if aggregator else UnitMetricRegistry
    model = getattr(registry.get_metric_class(name), "options_model", None)
    known = set(model.model_fields) if model is not None else set(options)
    sources = {option: option for option in known if option in options}
    if "key" in options and "key" not in known:
        sources = {option: "key" for option in ("golden_key", "predicted_key") if option in known} | sources
    taken.update(sources.values())
    return {option: options[source] for option, source in sorted(sources.items())}


def _read_yaml(path: Path) -> Any:
    import yaml

    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"{path} cannot be read: {reason}", hint="a YAML list of metrics") from None


def _read_rows(golden: str, predicted: str, *, id_key: str | None, by_position: bool) -> tuple[Table, Table]:
    """Both tables, the predicted one in the order of the golden one."""
    from faircall.metrics.row_pairs import common_id_key, order_like
    from faircall.store.tables import Table, read_table

    truth, found = read_table(golden), read_table(predicted)
    joined_by = None if by_position else id_key or common_id_key(truth.rows, found.rows)
    order = order_like(truth.rows, found.rows, id_key=joined_by)
    return truth, Table(found.label, [found.rows[at] for at in order], [found.numbers[at] for at in order])


def _run(groups: Sequence[Group], rows: tuple[Table, Table], *, results: Path | None, as_json: bool) -> None:
    from faircall.metrics.suite import run_group
    from faircall.metrics.suite_view import view_report
    from faircall.metrics.unit_metrics.base_unit_metric import UnusableGolden
    from faircall.store.atomic import write_json_lines

    golden, predicted = rows
    reports, verdicts = [], []
    for group in groups:
        try:
            judged, report = run_group(group, golden.rows, predicted.rows)
        except UnusableGolden as error:
            problem = f"{golden.place(error.position)}: {error.reason}"
            raise RowInvalid(problem, hint=f"{group.unit.name} needs another golden value") from None
        except ValueError as error:
            raise DataError(str(error), hint="see the metric's page in docs/metrics.md") from None
        reports.append(report)
        if results is not None:
            verdicts.append(_verdict_lines(group.unit, judged))
    if results is not None:
        write_json_lines(results, (line for lines in verdicts for line in lines))
    for report in reports:
        for warning in report["warnings"]:
            print(f"warning: {warning}", file=sys.stderr)
    if as_json:
        print_json({"schema_version": "faircall.metrics.v1", "metrics": reports})
    else:
        print_text("\n".join(view_report(report) for report in reports))
    if results is not None:
        print_written(results, json_on_stdout=as_json)


def _verdict_lines(unit: Named, judged: Sequence[Any]) -> Iterator[dict[str, Any]]:
    from faircall.metrics.values import json_ready

    for result in judged:
        yield {"unit": unit.name, **json_ready(result.to_dict())}
