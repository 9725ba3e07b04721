"""One mechanism for everything that can be chosen by name: readers, unit metrics, aggregators, claims.

A registry knows three sources, in this order: what was registered in this process, the built-ins (written
`"module:attribute"` and imported on first use), and installed third-party packages (entry points). Listing
names imports none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar, cast

from faircall.errors import ConfigError

T = TypeVar("T")


class Registry(Generic[T]):
    """Values of one kind by name.

    >>> places = Registry("place", builtin={"pi": "math:pi"})
    >>> places.register("two", 2)
    2
    >>> places.names()
    ['pi', 'two']
    >>> places.get("pi")
    3.141592653589793
    >>> places.get("pie")
    Traceback (most recent call last):
        ...
    faircall.errors.ConfigError: unknown place 'pie'; did you mean 'pi'?
    """

    def __init__(
        self, kind: str, *, builtin: Mapping[str, str] | None = None, entry_points: str | None = None
    ) -> None:
        """Start with `builtin` (name to `"module:attribute"`) and the entry point group, if one is named.

        Args:
            kind: what the values are, in the singular, for error messages.
            builtin: lazily imported values.
            entry_points: the group in which installed packages announce theirs.
        """
        self.kind = kind
        self._builtin = dict(builtin or {})
        self._group = entry_points
        self._registered: dict[str, T] = {}
        self._hidden: set[str] = set()

    def names(self) -> list[str]:
        """Every known name, sorted."""
        known = {*self._registered, *self._builtin, *(point.name for point in self._installed())}
        return sorted(known - (self._hidden - self._registered.keys()))

    def __contains__(self, name: object) -> bool:
        return name in self.names()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def get(self, name: str) -> T:
        """The value called `name`, imported now if it was not yet.

        Raises:
            ConfigError: nothing has that name, or the package that announced it cannot be imported.
        """
        if name in self._registered:
            return self._registered[name]
        if name in self._hidden:
            raise self._unknown(name)
        if name in self._builtin:
            return cast(T, load_attribute(self._builtin[name]))
        return self._load_installed(name)

    def is_builtin(self, name: str) -> bool:
        """Whether `name` means what this package brings, and not what somebody registered in its place.

        >>> places = Registry("place", builtin={"pi": "math:pi"})
        >>> places.is_builtin("pi"), places.register("pi", 3), places.is_builtin("pi")
        (True, 3, False)
        """
        return name in self._builtin and name not in self._registered and name not in self._hidden

    def register(self, name: str, value: T) -> T:
        """Call `value` by `name` from now on; a built-in or installed one of that name steps back.

        Raises:
            ConfigError: the name is empty or not a text.
        """
        if not isinstance(name, str) or not name.strip():
            raise ConfigError(f"a {self.kind} needs a name that is not empty, got {name!r}")
        self._registered[name] = value
        return value

    def unregister(self, name: str) -> bool:
        """Forget `name`, whatever its source; tell whether it was known."""
        known = name in self
        self._registered.pop(name, None)
        self._hidden.add(name)
        return known

    def clear(self) -> None:
        """Forget every name, built-ins included; `restore` brings those back."""
        self._hidden.update(self.names())
        self._registered.clear()

    def restore(self) -> None:
        """Return to the built-ins and the installed packages, as after import."""
        self._registered.clear()
        self._hidden.clear()

    def _installed(self) -> list[EntryPoint]:
        return list(entry_points(group=self._group)) if self._group else []

    def _load_installed(self, name: str) -> T:
        for point in self._installed():
            if point.name == name:
                return cast(T, self._import(point))
        raise self._unknown(name)

    def _import(self, point: EntryPoint) -> Any:
        try:
            return point.load()
        except (ImportError, AttributeError) as error:
            package = point.dist.name if point.dist else point.value
            raise ConfigError(
                f"{self.kind} {point.name!r} of {package} cannot be imported: {error}",
                hint=f"reinstall or remove {package}",
            ) from error

    def _unknown(self, name: str) -> ConfigError:
        names = self.names()
        near = get_close_matches(str(name), names, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        hint = "known: " + ", ".join(names) if names else f"no {self.kind} is registered"
        return ConfigError(f"unknown {self.kind} {name!r}{guess}", hint=hint)


def load_attribute(target: str) -> Any:
    """Import what `"module:attribute"` names.

    >>> load_attribute("math:tau")
    6.283185307179586
    """
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
