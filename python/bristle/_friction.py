"""Friction elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from . import _bristle
from ._given import pasted, plain
from ._report import rows


class Parameter(NamedTuple):
    """A parameter as its model declares it."""

    key: str
    """Its name, after that of the model that it is nested in: ``law.mu_s``."""
    unit: str
    """Its SI unit."""
    value: Any
    """Its value."""
    start: Any
    """The value it has where nothing is said."""
    range: str | None
    """Where it may lie."""
    options: list[str] | None
    """What it may be, where it is a choice."""
    meaning: str
    """What it is."""
    equation: str
    """Where it stands in its source."""


class Friction(_bristle.Element):
    """A friction model with its parameters.

    ``model`` is any name of :func:`bristle.models`; what is absent keeps its start value, ``set`` names a parameter set
    to start from, and ``law`` (in a plane ``matrix``) is a dict with a ``model`` and parameters of its own:

    >>> import bristle
    >>> f = bristle.Friction("frbd", sigma0=1e5, law={"model": "stribeck", "mu_s": 0.15, "mu_d": 0.1, "v_s": 1e-3})
    >>> f.steady([0.001, 0.1], load=10.0).round(6)
    array([1.18394, 1.     ])

    Elements do not change: :meth:`replace` gives another one. Velocities are in m/s, loads and forces in N; a force is
    positive for positive sliding, and an equation of motion subtracts it.
    """

    def __new__(cls, model: str, /, **parameters: Any) -> Friction:
        if not isinstance(model, str):
            raise TypeError(f"model must be the name of a model, not {type(model).__name__}")
        return super().__new__(cls, model, **{key: plain(value) for key, value in parameters.items()})

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Every parameter, by name."""
        return {p.key: p for p in self._each()}

    def _each(self) -> Iterator[Parameter]:
        for group, _, name, *rest in self.declared():
            yield Parameter(group + name, *rest)

    @property
    def table(self) -> dict[str, Any]:
        """All of it as a file has it under ``[friction]``."""
        table: dict[str, Any] = {"model": self.model}
        for group, model, name, _, value, *_ in self.declared():
            inner = table
            for part in group.split(".")[:-1]:
                inner = inner.setdefault(part, {})
            inner.setdefault("model", model)
            inner[name] = value
        return table

    def replace(self, **parameters: Any) -> Friction:
        """The same with other parameters."""
        table = self.table
        model = table.pop("model")
        for key, value in parameters.items():
            value = plain(value)
            own = table.get(key)
            named = isinstance(value, dict) and value.get("model", None)
            if isinstance(own, dict) and isinstance(value, dict) and named in (None, own["model"]):
                value = {**own, **value}
            table[key] = value
        return type(self)(model, **table)

    def _said(self) -> dict[str, Any]:
        """What differs from the start values, and the names of nested models."""
        said: dict[str, Any] = {}
        for group, model, name, _, value, start, *_ in self.declared():
            inner = said
            for part in group.split(".")[:-1]:
                inner = inner.setdefault(part, {})
            if group:
                inner.setdefault("model", model)
            if value != start:
                inner[name] = value
        return said

    def __getitem__(self, key: str) -> Any:
        try:
            return self.parameters[key].value
        except KeyError:
            names = ", ".join(self.parameters)
            raise KeyError(f"`{self.model}` has no parameter {key!r}; it has {names}") from None

    def __repr__(self) -> str:
        own = "".join(f", {key}={pasted(value)}" for key, value in self._said().items())
        return f"bristle.Friction({self.model!r}{own})"

    def _repr_html_(self) -> str:
        body = [
            [p.key, str(p.value), p.unit.replace("1", "") if p.unit == "1" else p.unit,
             p.range or ", ".join(p.options or []), p.meaning, p.equation]
            for p in self._each()
        ]  # fmt: skip
        heads = ["parameter", "value", "unit", "range", "meaning", "equation"]
        return f"<b>{self.model}</b>: {self.title}" + rows(heads, body)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Friction):
            return NotImplemented
        return self.table == other.table

    def __hash__(self) -> int:
        return hash(repr(self))

    def __copy__(self) -> Friction:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Friction:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        table = self.table
        return _rebuilt, (table.pop("model"), table)


def _rebuilt(model: str, table: dict[str, Any]) -> Friction:
    return Friction(model, **table)


def _restored(element: Friction, shape: tuple[int, ...], saved: Any) -> _bristle.States:
    states = element.states(shape)
    states.restore(*saved)
    return states
