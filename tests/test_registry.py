"""The registry: three sources, one mechanism."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint

import pytest

from faircall import registry as registry_module
from faircall.errors import ConfigError
from faircall.registry import Registry


@pytest.fixture
def shapes(monkeypatch: pytest.MonkeyPatch) -> Registry[object]:
    points = [
        EntryPoint("installed", "fractions:Fraction", "faircall.shapes"),
        EntryPoint("broken", "no_such_module_here:Thing", "faircall.shapes"),
    ]

    def fake_points(*, group: str) -> list[EntryPoint]:
        return [point for point in points if point.group == group]

    monkeypatch.setattr(registry_module, "entry_points", fake_points)
    return Registry("shape", builtin={"square": "wave:Wave_read"}, entry_points="faircall.shapes")


def test_names_are_sorted_and_import_nothing(shapes: Registry[object]) -> None:
    sys.modules.pop("wave", None)
    shapes.register("arc", object())
    assert shapes.names() == ["arc", "broken", "installed", "square"]
    assert list(shapes) == shapes.names()
    assert "wave" not in sys.modules


def test_each_source_answers(shapes: Registry[object]) -> None:
    import fractions

    value = object()
    shapes.register("arc", value)
    assert shapes.get("arc") is value
    assert shapes.get("installed") is fractions.Fraction
    assert shapes.get("square").__name__ == "Wave_read"  # type: ignore[attr-defined]


def test_registered_wins_over_builtin(shapes: Registry[object]) -> None:
    assert shapes.register("square", 1) == 1
    assert shapes.get("square") == 1


def test_unknown_name_suggests_and_lists(shapes: Registry[object]) -> None:
    with pytest.raises(ConfigError) as caught:
        shapes.get("squar")
    assert caught.value.message == "unknown shape 'squar'; did you mean 'square'?"
    assert caught.value.hint == "known: broken, installed, square"


def test_unknown_name_far_from_all(shapes: Registry[object]) -> None:
    with pytest.raises(ConfigError, match=r"^unknown shape 'zzz'$"):
        shapes.get("zzz")


def test_broken_package_is_named(shapes: Registry[object]) -> None:
    with pytest.raises(ConfigError, match="shape 'broken' of no_such_module_here:Thing cannot be imported"):
        shapes.get("broken")


@pytest.mark.parametrize("name", ["arc", "square", "installed"])
def test_unregister_works_for_every_source(shapes: Registry[object], name: str) -> None:
    shapes.register("arc", 1)
    assert shapes.unregister(name) is True
    assert name not in shapes
    assert shapes.unregister(name) is False
    with pytest.raises(ConfigError, match="unknown shape"):
        shapes.get(name)


def test_unregistered_name_can_come_back(shapes: Registry[object]) -> None:
    shapes.unregister("square")
    shapes.register("square", 4)
    assert "square" in shapes
    assert shapes.get("square") == 4


def test_clear_then_restore(shapes: Registry[object]) -> None:
    shapes.register("arc", 1)
    shapes.clear()
    assert shapes.names() == []
    with pytest.raises(ConfigError) as caught:
        shapes.get("arc")
    assert caught.value.hint == "no shape is registered"
    shapes.restore()
    assert shapes.names() == ["broken", "installed", "square"]


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_names_must_be_text(shapes: Registry[object], name: object) -> None:
    with pytest.raises(ConfigError, match="needs a name"):
        shapes.register(name, 1)  # type: ignore[arg-type]
