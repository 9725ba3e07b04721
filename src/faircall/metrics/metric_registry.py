"""The class-level face of a registry of metrics; `unit_metrics` and `aggregator_metrics` each have one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from faircall.errors import ConfigError
from faircall.metrics.base_metric import BaseMetric, MetricOptions
from faircall.registry import Registry

MetricClass = TypeVar("MetricClass", bound=type)


class MetricRegistry:
    """Metric classes by name. Subclasses state their `names` table and the method that a metric must have."""

    _registry: ClassVar[Registry[type[Any]]]
    _method: ClassVar[str]

    @classmethod
    def register(cls, name: str, metric_class: type[Any]) -> None:
        """Make `metric_class` available as `name`; an earlier metric of that name is replaced.

        Raises:
            ConfigError: no name, or not a class with the method that this kind of metric needs.
        """
        if not isinstance(metric_class, type) or not callable(getattr(metric_class, cls._method, None)):
            raise ConfigError(f"{cls._registry.kind} {name!r} must be a class with a method {cls._method}()")
        cls._registry.register(name, metric_class)

    @classmethod
    def get_metric(cls, name: str, **config: Any) -> Any:
        """A metric of the class called `name`, made with the options `config`.

        Raises:
            ConfigError: no such metric.
            pydantic.ValidationError: options that the metric refuses.
        """
        return cls.get_metric_class(name)(**config)

    @classmethod
    def get_metric_class(cls, name: str) -> type[Any]:
        """The class called `name`. Raises `ConfigError`, naming the nearest name, when there is none."""
        return cls._registry.get(name)

    @classmethod
    def list_metrics(cls) -> list[str]:
        """Every known name, sorted: built in, registered, or announced by an installed package."""
        return cls._registry.names()

    @classmethod
    def has_metric(cls, name: str) -> bool:
        """Whether `name` is known."""
        return name in cls._registry

    @classmethod
    def unregister(cls, name: str) -> bool:
        """Forget `name`; tell whether it was known."""
        return cls._registry.unregister(name)

    @classmethod
    def clear(cls) -> None:
        """Forget every name, built-ins included; `restore` brings those back."""
        cls._registry.clear()

    @classmethod
    def restore(cls) -> None:
        """Return to the built-ins and the installed packages."""
        cls._registry.restore()

    @classmethod
    def get_metrics_info(cls) -> dict[str, dict[str, Any]]:
        """Per name: class, module, metadata and the JSON Schema of the options (null when it has none)."""
        return {name: _information(cls.get_metric_class(name)) for name in cls.list_metrics()}

    @classmethod
    def decorator(cls, name: str) -> Callable[[MetricClass], MetricClass]:
        """A class decorator that registers under `name` and leaves the class as it is."""

        def register(metric_class: MetricClass) -> MetricClass:
            cls.register(name, metric_class)
            return metric_class

        return register


def _information(metric_class: type[Any]) -> dict[str, Any]:
    model = getattr(metric_class, "options_model", None)
    described = metric_class.describe() if issubclass(metric_class, BaseMetric) else None
    return {
        "class": metric_class.__name__,
        "module": metric_class.__module__,
        "metadata": described.to_dict() if described else None,
        "options": _schema(model) if model is not None else None,
    }


def _schema(model: type[MetricOptions]) -> dict[str, Any]:
    """The JSON Schema of the options, those that may be given by position first and in their order."""
    schema = model.model_json_schema()
    first = model.positional()
    properties = schema.get("properties", {})
    order = [*first, *(name for name in properties if name not in first)]
    return {**schema, "properties": {name: properties[name] for name in order}}
