"""What the arms cost, as tables, and whether their times may be set against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from faircall.reporting import numbers
from faircall.reporting.blocks import Table
from faircall.stats.intervals import deciding_interval

Json = Mapping[str, Any]
Row = tuple[str, ...]

_RATIOS: Final = {"seconds_per_example": "time per example", "seconds_per_full_match": "time per full match"}
_GPU: Final = "configured_gpu_seconds_per_full_match"
_OF_A_MODEL: Final = frozenset((*_RATIOS, _GPU, "median_ns", "p90_ns", "process_peak_bytes"))
_REPLAYED, _SERVED = "none", "server"  # the devices of allocations that are no model's on this machine


def _nanoseconds(value: int) -> str:
    return numbers.seconds(value / 1e9)


# What an arm's block says under a key, in words, and how it is written.
_MEASURES: Final[Mapping[str, tuple[str, Callable[[Any], str]]]] = {
    **{key: (words, numbers.seconds) for key, words in _RATIOS.items()},
    _GPU: ("configured GPU time per full match", numbers.seconds),
    "median_ns": ("median per example", _nanoseconds),
    "p90_ns": ("slowest tenth begins at", _nanoseconds),
    "prompt_tokens": ("prompt tokens", str),
    "new_tokens": ("new tokens", str),
    "process_peak_bytes": ("peak memory", numbers.size),
    "device_peak_bytes": ("peak memory of the device", numbers.size),
}


def efficiency_tables(efficiency: Json | None, names: tuple[str, str]) -> Iterator[Table]:
    """One table when both arms of a comparison were timed; nothing otherwise."""
    known = ((efficiency or {}).get(side) for side in ("baseline", "candidate"))
    sides = [side for side in known if side]
    if efficiency is None or len(sides) < 2:
        return
    rows = measure_rows(sides)
    columns: Row = ("measure", *names)
    if ratios := efficiency.get("ratios"):
        columns = (*columns, "ratio", f"{_level_of(ratios)} CI")
        rows = [(*row, *ratio_cells(ratios.get(key))) for key, row in zip(_shown(sides), rows, strict=True)]
    yield Table("Cost", columns, tuple(rows), note=_tell_comparability(efficiency))


def arm_table(name: str, efficiency: Json) -> Table:
    """What one arm cost, and why its times may not be set against another's, where they may not."""
    note = str(efficiency.get("scenario"))
    if reason := efficiency.get("cross_comparable_reason"):
        note = f"{note}; not to be compared: {reason}"
    return Table("Cost", ("measure", name), tuple(measure_rows([efficiency])), note=note)


def measure_rows(arms: Sequence[Json]) -> list[Row]:
    """What was measured of some arms, one row each; what is known of none of them is left out."""
    return [(_MEASURES[key][0], *(_cell(arm, key) for arm in arms)) for key in _shown(arms)]


def ratio_rows(name: str, efficiency: Json) -> Iterator[Row]:
    """The ratios of one pair of an experiment, where its times may be compared."""
    for key, ratio in (efficiency.get("ratios") or {}).items():
        yield name, _RATIOS[key], *ratio_cells(ratio)


def ratio_cells(ratio: Json | None) -> tuple[str, str]:
    """A ratio and its interval; the reason where there is none, and nothing where no ratio is made.

    >>> bounds = {"method": "log_linearised_t", "level": 0.95, "lower": 0.5, "upper": 0.75}
    >>> ratio_cells({"value": 0.6, "interval": bounds, "evidence": "ok"})
    ('0.6x', '[0.5x, 0.75x]')
    >>> ratio_cells({"value": None, "reason": "no time was measured"}), ratio_cells(None)
    (('undefined', 'no time was measured'), ('', ''))
    """
    if ratio is None:
        return "", ""
    if ratio["value"] is None:
        return numbers.UNDEFINED, str(ratio["reason"])
    bounds = deciding_interval(ratio)
    text = numbers.ratio_interval(bounds["lower"], bounds["upper"])
    words = "" if ratio["evidence"] == "ok" else "insufficient evidence "
    return numbers.ratio(ratio["value"]), words + text


def _level_of(ratios: Json) -> str:
    levels = [deciding_interval(ratio)["level"] for ratio in ratios.values() if ratio["value"] is not None]
    return numbers.level(levels[0]) if levels else ""


def _shown(arms: Sequence[Json]) -> list[str]:
    """The measures of which at least one arm knows the value, or why there is none."""
    return [
        key
        for key in _MEASURES
        if any(_value(arm, key) is not None for arm in arms)
        or (key != _GPU and any(arm.get(f"{key}_reason") for arm in arms if not _is_left_out(arm, key)))
    ]


def _cell(arm: Json, key: str) -> str:
    if _is_left_out(arm, key):
        return "replayed"
    value = _value(arm, key)
    if value is None:
        return str(arm.get(f"{key}_reason") or numbers.UNDEFINED)
    whose = " (client process)" if key == "process_peak_bytes" and _device(arm) == _SERVED else ""
    return _MEASURES[key][1](value) + whose


def _value(arm: Json, key: str) -> Any:
    if _is_left_out(arm, key):
        return None
    return arm[key] if key in arm else (arm.get("memory") or {}).get(key)


def _is_left_out(arm: Json, key: str) -> bool:
    """Times and memory of stored answers that were read are not those of a model; the note says so."""
    return key in _OF_A_MODEL and _device(arm) == _REPLAYED


def _device(arm: Json) -> Any:
    allocation = arm.get("allocation")
    return allocation.get("device") if isinstance(allocation, Mapping) else None


def _tell_comparability(efficiency: Json) -> str:
    """The reasons against a comparison of the times; what was measured, where there are none."""
    if "reasons" not in efficiency:
        return "whether the times may be compared is not recorded: an older report"
    if efficiency["reasons"]:
        return f"not comparable: {'; '.join(map(str, efficiency['reasons']))}"
    return f"{efficiency['baseline'].get('scenario')}; ratios are candidate over baseline and descriptive"
