"""Parameters from logs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _bristle
from ._arrays import numbers
from ._errors import Fault, InputError
from ._friction import Friction
from ._given import asked, call, pasted, plain
from ._progress import Progress, telling
from ._report import Array, Report

_UNITS = {"t": "s", "x": "m", "v": "m/s", "load": "N", "force": "N", "u": "N"}
"""What the columns of a log play, and in which unit arrays are."""


class Fitted(Report):
    """What a fit found: ``parameters``, ``intervals``, ``correlation``, ``friction``; the best model first in ``models``."""

    @property
    def models(self) -> list[dict[str, Any]]:
        """Everything that is known of each model, the preferred one first."""
        found: list[dict[str, Any]] = self.summary["models"]
        return found

    @property
    def parameters(self) -> dict[str, float | None]:
        """The values found; None for what the data do not determine."""
        return {p["name"]: p.get("value") for p in self.models[0]["parameters"]}

    @property
    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """Their intervals of 95 %; None where there is none."""
        found = {p["name"]: p.get("interval_95") for p in self.models[0]["parameters"]}
        return {name: tuple(ends) if ends else None for name, ends in found.items()}

    @property
    def correlation(self) -> Array:
        """How estimates go together, one row for each parameter."""
        rows = self.models[0].get("correlation") or []
        return np.array([[np.nan if x is None else x for x in row] for row in rows], dtype=np.float64)

    @property
    def parameter_set(self) -> str:
        """The parameter set as a file, which ``set = "…/fit.toml"`` takes wherever a set is taken."""
        return self.documents["fit.toml"]

    @property
    def friction(self) -> Friction:
        """The preferred model with what was found."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "fit.toml"
            path.write_text(self.parameter_set)
            return Friction(self.models[0]["model"], set=os.fspath(path))


def fit(
    what: Any,
    models: Sequence[str] | None = None,
    *,
    export: str | None = None,
    progress: Progress = None,
) -> Fitted:
    """Finds the parameters of friction models in logs, with intervals.

    ``what`` is a path, the text of a file, its content as a dict, or a :class:`bristle.Fit`; ``models`` are compared. The
    same as ``bristle fit``.

    >>> import bristle
    >>> found = bristle.fit("data/logs/slide.toml")
    >>> low, high = found.intervals["mu_d"]
    >>> low < 0.25 < high
    True
    """
    own = asked(what, None, "the fit")
    with telling(progress, "fit") as tell:
        found = _bristle.fit(own, list(models) if models is not None else None, export, tell)
    keys = {"models": list(models) if models is not None else None, "export": export}
    return Fitted(found, call("fit", [what], keys))


class Fit:
    """A fit of what was logged in arrays.

    Each log is a dict of arrays by what they are, in SI units: ``t``, ``x`` (or ``v``), ``load``, ``force``, and ``u`` for the
    force on a body; ``hold_out=True`` keeps it back to test the fit. Or it is a dict with a ``file``, as in a file.
    ``free`` names what is looked for, as a list or with ``start``, ``min`` and ``max``; ``system`` and ``fit`` are sections of a
    file.

    >>> import bristle, numpy as np
    >>> t = np.arange(0, 2, 0.002); x = 2e-3 * np.sin(2 * np.pi * t)
    >>> s, F = bristle.Friction("dahl", sigma0=5000.0, law={"model": "coulomb", "mu": 0.3}).states(), []
    >>> for v in np.gradient(x, t): F.append(s.step(float(v), 10.0, 0.002))
    >>> job = bristle.Fit([{"t": t, "x": x, "load": 10.0, "force": F}], friction={"model": "dahl", "law": {"model": "coulomb"}},
    ...                   free=["mu", "sigma0"])
    >>> abs(job.run().parameters["mu"] - 0.3) < 0.01
    True
    """

    def __init__(
        self,
        log: Sequence[Mapping[str, Any]],
        *,
        friction: Any,
        free: Sequence[str] | Mapping[str, Any],
        system: Mapping[str, Any] | None = None,
        fit: Mapping[str, Any] | None = None,
        title: str = "",
        folder: str | os.PathLike[str] = "",
    ):
        if isinstance(friction, str):
            friction = {"model": friction}
        if not isinstance(free, Mapping):
            free = {name: {} for name in free}
        self._logs = [dict(one) for one in log]
        self._table: dict[str, Any] = {"title": title} if title else {}
        self._table |= {"friction": plain(friction), "free": plain(free)}
        self._table |= {"system": plain(system)} if system else {}
        self._table |= {"fit": plain(fit)} if fit else {}
        self.folder = os.fspath(folder)
        self._friction, self._free, self._system, self._fit, self._title = friction, free, system, fit, title

    def run(
        self, models: Sequence[str] | None = None, *, export: str | None = None, progress: Progress = None
    ) -> Fitted:
        """Finds what is free; with several models, compares them."""
        with tempfile.TemporaryDirectory() as folder:
            logs = [self._written(one, k, folder) for k, one in enumerate(self._logs)]
            found = fit({**self._table, "log": logs}, models, export=export, progress=progress)
            found.text, found.summary, found.tables, found.documents, found.figures  # noqa: B018
        return found

    def _written(self, log: Mapping[str, Any], k: int, folder: str) -> dict[str, Any]:
        """A log as a file has it, whose arrays stand in a file of their own."""
        if "file" in log:
            return {**plain(log), "file": os.path.abspath(os.path.join(self.folder, os.fspath(log["file"])))}
        arrays = {name: numbers(f"log[{k}].{name}", log[name]) for name in _UNITS if name in log}
        if "t" not in arrays or arrays["t"].ndim != 1:
            message = f"log[{k}].t is missing: give the times, an array of one axis"
            raise InputError(message, (Fault(f"log[{k}].t", message),))
        for name, array in arrays.items():
            try:
                arrays[name] = np.broadcast_to(array, arrays["t"].shape)
            except ValueError:
                message = f"log[{k}].{name} has the shape {array.shape}, and t {arrays['t'].shape}"
                raise InputError(message, (Fault(f"log[{k}].{name}", message),)) from None
        path = os.path.join(folder, f"log-{k}.csv")
        with open(path, "w") as file:
            file.write(",".join(f"{name} [{_UNITS[name]}]" for name in arrays) + "\n")
            for row in zip(*(array.tolist() for array in arrays.values())):
                file.write(",".join(map(repr, row)) + "\n")
        rest = {key: plain(value) for key, value in log.items() if key not in _UNITS}
        return {"file": path, **{name: name for name in arrays}, **rest}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fit):
            return NotImplemented
        return repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        keys = {"friction": self._friction, "free": self._free, "system": self._system, "fit": self._fit}
        said = [f"{key}={pasted(value)}" for key, value in keys.items() if value]
        said += [f"title={self._title!r}"] if self._title else []
        said += [f"folder={self.folder!r}"] if self.folder else []
        return f"bristle.Fit({pasted(self._logs)}, {', '.join(said)})"
