"""YAML to plain values, with the line of every key, so that each complaint can name its place.

Stricter than YAML: text keys only, no repeated key, no anchor or alias, no merge key, at most 32 levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import yaml

from faircall.errors import ConfigError

Location: TypeAlias = tuple[str | int, ...]
MAX_DEPTH: Final = 32


@dataclass(frozen=True, slots=True)
class YamlValue:
    """A decoded document: its value, and the 1-based line on which each location starts."""

    value: Any
    lines: dict[Location, int]
    name: str

    def place(self, location: Location) -> str:
        """`file:line` of a location, or of its nearest parent that is written down."""
        for end in range(len(location), -1, -1):
            if location[:end] in self.lines:
                return f"{self.name}:{self.lines[location[:end]]}"
        return self.name


def read_yaml(text: str, *, name: str) -> YamlValue:
    """Decode one YAML document.

    Raises:
        ConfigError: not YAML, or YAML of a kind that a config may not use; names the file and line.

    >>> read_yaml("a:\\n  b: 1\\n", name="c.yaml").lines[("a", "b")]
    2
    """
    try:
        _check_events(text, name)
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark
        place = f"{name}:{mark.line + 1}" if mark else name
        raise ConfigError(f"{place}: not valid YAML: {fault.problem}") from None
    except yaml.YAMLError as fault:
        raise ConfigError(f"{name}: not valid YAML: {' '.join(str(fault).split())}") from None
    lines: dict[Location, int] = {}
    value = None if node is None else _Walk(loader, name, lines).value(node, ())
    return YamlValue(value, lines, name)


def _check_events(text: str, name: str) -> None:
    """Anchors could blow a small file up, and deep nesting would exhaust the stack of the composer."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if getattr(event, "anchor", None) is not None:
            raise ConfigError(f"{name}:{line}: anchors and aliases are not read", hint="write the value out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ConfigError(f"{name}:{line}: nested more than {MAX_DEPTH} levels deep")


class _Walk:
    """Builds the value of a node tree and notes where everything stands."""

    def __init__(self, loader: yaml.SafeLoader, name: str, lines: dict[Location, int]) -> None:
        self._loader, self._name, self._lines = loader, name, lines

    def value(self, node: yaml.Node, location: Location) -> Any:
        self._lines.setdefault(location, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, location)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*location, index)) for index, item in enumerate(node.value)]
        return self._scalar(node)

    def _scalar(self, node: yaml.Node) -> Any:
        try:
            return self._loader.construct_object(node)
        except (yaml.YAMLError, ValueError) as fault:
            message = getattr(fault, "problem", None) or str(fault)
            raise ConfigError(f"{self._name}:{node.start_mark.line + 1}: not a value: {message}") from None

    def _mapping(self, node: yaml.MappingNode, location: Location) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for key_node, item in node.value:
            key = self._key(key_node)
            line = key_node.start_mark.line + 1
            if key in value:
                first = self._lines[(*location, key)]
                raise ConfigError(f"{self._name}:{line}: the key {key!r} stands on line {first} already")
            self._lines[(*location, key)] = line
            value[key] = self.value(item, (*location, key))
        return value

    def _key(self, node: yaml.Node) -> str:
        key = self._scalar(node) if isinstance(node, yaml.ScalarNode) else None
        if not isinstance(key, str):
            place = f"{self._name}:{node.start_mark.line + 1}"
            raise ConfigError(f"{place}: a key is not text", hint='put it in quotes, as in "no":')
        return key
