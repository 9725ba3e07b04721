"""What unit metrics and aggregator metrics share: options, and saying what they are."""

from __future__ import annotations

import re
from inspect import Parameter, Signature, getdoc
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from faircall.metrics.base_metric_metadata import BaseMetricMetadata


class MetricOptions(BaseModel):
    """Options of a metric: unknown names are refused, values are checked once, on construction."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    keyword_only: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def positional(cls) -> list[str]:
        """The options that may be given without their names, in order."""
        return [name for name in cls.model_fields if name not in cls.keyword_only]


class BaseMetric:
    """A metric with options.

    A subclass either names a Pydantic model in `options_model` (each option then becomes an attribute), or
    reads `self.config` itself in `validate_config`. A subclass with an `__init__` of its own calls
    `super().__init__(**config)` and then `self.validate_config()`; one without gets both done.
    """

    options_model: ClassVar[type[MetricOptions] | None] = None
    metadata: ClassVar[BaseMetricMetadata | None] = None
    metric_type: ClassVar[str] = "custom"

    def __init__(self, *values: Any, **config: Any) -> None:
        """Take options by name, or in the order in which the options model lists them.

        Raises:
            pydantic.ValidationError: an option is missing, unknown or not legal.
            TypeError: more values than options, or one option twice.
        """
        self.config: dict[str, Any] = {**self._name_values(values, config), **config}
        self._set_options()
        if type(self).__init__ is BaseMetric.__init__:
            self.validate_config()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Show the options as the signature, for `help` and editors."""
        super().__init_subclass__(**kwargs)
        if cls.options_model is not None and cls.__init__ is BaseMetric.__init__:
            cls.__signature__ = _signature(cls.options_model)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.config.items())
        return f"{type(self).__name__}({options})"

    def validate_config(self) -> None:
        """Check more than the options model can; called once, after the options are attributes."""

    def get_metadata(self) -> BaseMetricMetadata:
        """What this metric is."""
        return self.describe()

    @classmethod
    def describe(cls) -> BaseMetricMetadata:
        """What metrics of this class are, without making one: `metadata`, else name and docstring."""
        if cls.metadata is not None:
            return cls.metadata
        first_line = (getdoc(cls) or "").partition("\n")[0]
        return BaseMetricMetadata(
            _snake_case(cls.__name__), description=first_line, metric_type=cls.metric_type
        )

    def _name_values(self, values: tuple[Any, ...], config: dict[str, Any]) -> dict[str, Any]:
        names = self.options_model.positional() if self.options_model else []
        if len(values) > len(names):
            raise TypeError(f"{type(self).__name__} takes at most {len(names)} values, got {len(values)}")
        named = dict(zip(names, values, strict=False))
        if twice := sorted(named.keys() & config.keys()):
            raise TypeError(f"{type(self).__name__} got {', '.join(twice)} both by position and by name")
        return named

    def _set_options(self) -> None:
        if self.options_model is None:
            return
        options = self.options_model(**self.config)
        for name in type(options).model_fields:
            setattr(self, name, getattr(options, name))


def _signature(model: type[MetricOptions]) -> Signature:
    free = set(model.positional())
    return Signature(
        [
            Parameter(
                name,
                Parameter.POSITIONAL_OR_KEYWORD if name in free else Parameter.KEYWORD_ONLY,
                default=Parameter.empty if field.is_required() else field.default,
                annotation=field.annotation,
            )
            for name, field in sorted(model.model_fields.items(), key=lambda item: item[0] not in free)
        ]
    )


def _snake_case(name: str) -> str:
    """The registry spelling of a class name: `F1ScoreMetric` is `f1_score`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removesuffix("Metric")).lower() or name.lower()
