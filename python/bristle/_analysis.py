"""The commands that look at friction: one function each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _bristle
from ._errors import Error, Fault, InputError
from ._friction import Friction
from ._given import Overrides, call, subject
from ._progress import Progress, telling
from ._report import Array, Report, _missing

if TYPE_CHECKING:
    import control
    import scipy.signal


def _args(what: Any, overrides: Overrides) -> list[Any]:
    return [what, overrides] if overrides else [what]


def audit(
    what: Any, overrides: Overrides = None, *, load: float | None = None, progress: Progress = None
) -> Report:
    """Audits friction: passive or not, holds a stick or not, follows its law or not, with reasons.

    Of a :class:`bristle.Friction`, the name of a model, a scenario or a line contact. The same as ``bristle audit``.

    >>> import bristle
    >>> bristle.audit("frbd").summary["passivity"]["verdict"]
    'passive'
    """
    own = subject(what, overrides)
    with telling(progress, "audit") as tell:
        found = _bristle.audit(own, load, tell)
    return Report(found, call("audit", _args(what, overrides), {"load": load}))


class StateSpace(Report):
    """A linearisation: ``A``, ``B``, ``C``, ``D``, poles and zeros. A line contact has a frequency response only."""

    def _matrix(self, name: str) -> Array:
        if name not in self.summary:
            message = "a line contact has infinitely many states: take its frequency response"
            raise InputError(message, (Fault(None, message),))
        rows = self.summary[name]
        other = {"A": "states", "B": "inputs", "C": "states", "D": "inputs"}[name]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(self.summary[other]))

    @property
    def A(self) -> Array:  # noqa: N802
        """How states change."""
        return self._matrix("A")

    @property
    def B(self) -> Array:  # noqa: N802
        """What inputs do to states."""
        return self._matrix("B")

    @property
    def C(self) -> Array:  # noqa: N802
        """What outputs show of states."""
        return self._matrix("C")

    @property
    def D(self) -> Array:  # noqa: N802
        """What inputs do to outputs at once."""
        return self._matrix("D")

    def _names(self, of: str) -> list[str]:
        return [label["name"] for label in self.summary.get(of, [])]

    @property
    def states(self) -> list[str]:
        """The names of the states."""
        return self._names("states")

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs."""
        return self._names("inputs")

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs."""
        return self._names("outputs")

    @property
    def poles(self) -> np.ndarray[Any, np.dtype[np.complex128]]:
        """The poles, 1/s."""
        return np.array([complex(*mode["pole"]) for mode in self.summary.get("poles", [])], dtype=np.complex128)

    @property
    def zeros(self) -> np.ndarray[Any, np.dtype[np.complex128]]:
        """The zeros from the first input to the output shown, 1/s."""
        return np.array([complex(*zero) for zero in self.summary.get("zeros", [])], dtype=np.complex128)

    @property
    def response(self) -> np.ndarray[Any, np.dtype[np.complex128]]:
        """The frequency response over ``["f"]``, Hz."""
        return self["re"] + 1j * self["im"]

    def to_control(self) -> control.StateSpace:
        """For python-control."""
        try:
            import control
        except ImportError:
            raise _missing("control") from None
        return control.ss(
            self.A, self.B, self.C, self.D, states=self.states, inputs=self.inputs, outputs=self.outputs
        )

    def to_scipy(self) -> scipy.signal.StateSpace:
        """For ``scipy.signal``."""
        try:
            import scipy.signal
        except ImportError:
            raise _missing("control") from None
        return scipy.signal.StateSpace(self.A, self.B, self.C, self.D)


def linearize(
    what: Any,
    overrides: Overrides = None,
    *,
    at: float | None = None,
    load: float | None = None,
    output: str | None = None,
    frequencies: Sequence[float] = (),
    lowest: float | None = None,
    highest: float | None = None,
) -> StateSpace:
    """Linearises a model in steady sliding at a velocity, m/s, a system at its equilibrium, or a line contact.

    ``lowest`` and ``highest`` bound the frequencies drawn, Hz; the response at ``frequencies`` stands in the summary.
    The same as ``bristle linearize``.

    >>> import bristle
    >>> bristle.linearize("frbd", at=0.005).A.shape
    (1, 1)
    """
    wanted = [float(f) for f in frequencies]
    found = _bristle.linearize(subject(what, overrides), at, load, output, wanted, lowest, highest)
    keys = {"at": at, "load": load, "output": output, "frequencies": wanted or None}
    keys |= {"lowest": lowest, "highest": highest}
    return StateSpace(found, call("linearize", _args(what, overrides), keys))


def loop(
    what: Any,
    overrides: Overrides = None,
    *,
    amplitude: float | None = None,
    frequency: float = 1.0,
    load: float | None = None,
) -> Report:
    """Moves a model to and fro, amplitude in m and frequency in Hz: loop, describing function, stiffness and damping.

    The same as ``bristle loop``.

    >>> import bristle
    >>> sorted(bristle.loop("frbd", amplitude=1e-4, frequency=10.0))
    ['F', 't', 'v', 'x']
    """
    found = _bristle.loops(subject(what, overrides), load, amplitude, frequency)
    keys = {"amplitude": amplitude, "frequency": frequency, "load": load}
    return Report(found, call("loop", _args(what, overrides), keys))


def cycle(what: Any, overrides: Overrides = None) -> Report:
    """Finds the motion of a system that repeats: period, multipliers, where stick-slip ends. The same as ``bristle cycle``.

    >>> import bristle
    >>> round(bristle.cycle("scenarios/belt.toml").summary["period_s"], 3)
    7.074
    """
    return Report(_bristle.cycle(subject(what, overrides)), call("cycle", _args(what, overrides), {}))


def map(what: Any, overrides: Overrides = None) -> Report:
    """Draws hysteresis and equilibria of friction that depends on position. The same as ``bristle map``.

    >>> import bristle
    >>> bristle.map("scenarios/rotating-hysteresis.toml").summary["slips"] > 0
    True
    """
    return Report(_bristle.map(subject(what, overrides)), call("map", _args(what, overrides), {}))


def compare(
    models: Sequence[Any] | None = None,
    overrides: Overrides = None,
    *,
    load: float = 1.0,
    progress: Progress = None,
) -> Report:
    """Compares models in the standard tests: creep, break-away, law, energy, cost. The same as ``bristle compare``.

    ``models`` are names, scenarios or elements; every model that takes the overrides, if nothing is said.

    >>> import bristle
    >>> [m["holds_a_stick"] for m in bristle.compare(["frbd", "implicit"]).summary["models"]]
    ['no', 'yes']
    """
    if isinstance(models, (str, _bristle.Element)):
        models = [models]
    candidates: list[tuple[str, Any]] = []
    left_out: list[str] = []
    why: Error | None = None
    for what in models if models is not None else _bristle.names()[0]:
        try:
            own = subject(what, overrides)
            if isinstance(own, tuple) and models is None:
                # Read here, so that what does not take the values is left out.
                own = _element(own)
        except InputError as error:
            if models is not None:
                raise
            left_out.append(what)
            why = error
            continue
        candidates.append((_name(what, own), own))
    if not candidates and why is not None:
        raise why
    with telling(progress, "compare") as tell:
        found = _bristle.compare(candidates, load, left_out, tell)
    args = [list(models)] if models is not None else []
    keys: dict[str, Any] = {"load": load}
    if overrides:
        keys = {"overrides": overrides, **keys}
    return Report(found, call("compare", args, keys))


def _element(own: tuple[str, Any, list[tuple[str, Any]], str]) -> Friction:
    """The element of a model by its name with values put over it, ``friction.law.mu_s``."""
    table: dict[str, Any] = {"friction": dict(own[1]["friction"])}
    for key, value in own[2]:
        inner = table
        *groups, last = key.split(".")
        for group in groups:
            inner = inner.setdefault(group, {})
        inner[last] = value
    strays = [key for key in table if key != "friction"]
    if strays:
        message = f"`{strays[0]}` has no meaning for a model: overrides begin with friction."
        raise InputError(message, (Fault(strays[0], message),))
    friction = table["friction"]
    return Friction(friction.pop("model"), **friction)


def _name(what: Any, own: Any) -> str:
    """What the row of a model is called: that of a file has the file's name too."""
    if isinstance(what, _bristle.Element):
        return what.model
    if isinstance(what, str) and what in _bristle.names()[0]:
        return what
    label = Path(own[0]).stem if isinstance(what, (str, Path)) and "\n" not in str(what) else "a scenario"
    model = _bristle_model(own)
    return f"{model} ({label})" if model else label


def _bristle_model(own: Any) -> str | None:
    """The model that a scenario names, with what is put over it."""
    import re

    over = dict(own[2])
    if "friction.model" in over:
        return str(over["friction.model"])
    if isinstance(own[1], Mapping):
        return str(own[1].get("friction", {}).get("model", "")) or None
    found = re.search(r"^\[friction\][^\[]*?^model\s*=\s*[\"']([^\"']+)", own[1], re.M | re.S)
    return found.group(1) if found else None


class Papers(Report):
    """What came of the papers; ``holds`` tells whether everything is as it should be."""

    holds: bool

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "holds": self.holds}


def papers(*only: str, tolerance: float = 1e-9, progress: Progress = None) -> Papers:
    """Runs every figure and table of the five papers again, or those named: a paper, ``"002"``, or ``"002-fig-8"``.

    The same as ``bristle papers``.

    >>> import bristle
    >>> bristle.papers("002-fig-8").holds
    True
    """
    with telling(progress, "papers") as tell:
        found, holds = _bristle.reproduce([str(name) for name in only], tolerance, tell)
    keys = {"tolerance": tolerance if tolerance != 1e-9 else None}
    report = Papers(found, call("papers", list(only), keys))
    report.holds = holds
    return report


def models(name: str | None = None) -> Report:
    """Everything there is to choose from, or one of it: a model, law, matrix, system, drive, part or parameter set.

    The same as ``bristle models``.

    >>> import bristle
    >>> bristle.models("frbd").summary["parameters"][0]["name"]
    'scaling'
    """
    return Report(_bristle.explain(name), call("models", [name] if name is not None else [], {}))


def schema(which: str) -> dict[str, Any]:
    """The JSON schema of files of ``"run"``, ``"patch"`` or ``"line"``. The same as ``bristle schema``.

    >>> import bristle
    >>> sorted(bristle.schema("run")["properties"])[:3]
    ['figure', 'friction', 'initial']
    """
    made: dict[str, Any] = json.loads(_bristle.schema(which))
    return made


__all__ = ["audit", "compare", "cycle", "linearize", "loop", "map", "models", "papers", "schema"]
