"""Rolling contact: patches and lines."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from . import _bristle
from ._arrays import common, numbers
from ._errors import Fault, InputError
from ._given import Asked, Overrides, asked, pasted, plain, read
from ._progress import Progress, telling
from ._report import Array, Report, rows


@cache
def _keys(which: str) -> dict[str, set[str]]:
    """The keys of each section of a file."""
    sections = json.loads(_bristle.schema(which))["properties"]
    return {name: set(section.get("properties", {})) for name, section in sections.items()}


def _merged(table: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(table)
    for key, value in over.items():
        own = merged.get(key)
        both = isinstance(own, Mapping) and isinstance(value, Mapping)
        merged[key] = _merged(own, value) if both else value  # type: ignore[arg-type]
    return merged


def _sorted(which: str, keys: Mapping[str, Any], sections: tuple[str, ...]) -> dict[str, Any]:
    """Keys under the sections of a file that have them; a section may be given whole."""
    known = _keys(which)
    table: dict[str, Any] = {}
    for key, value in keys.items():
        if value is None:
            continue
        value = plain(value)
        if key in known and (isinstance(value, Mapping) or not any(key in known[name] for name in sections)):
            table = _merged(table, {key: value})
            continue
        # What is unknown is refused by the first section, which knows what it has.
        section = next((name for name in sections if key in known[name]), sections[0])
        table = _merged(table, {section: {key: value}})
    return table


class _Rolling:
    """What a file of rolling contact says."""

    _which = ""
    _sections: tuple[str, ...] = ()

    def __init__(self, file: str | os.PathLike[str] | None = None, **keys: Any):
        self._file = os.fspath(file) if file is not None else None
        self._own = _sorted(self._which, keys, self._sections)
        self._check()

    def _check(self) -> None:
        """Raises what is wrong with it, if something is."""
        raise NotImplementedError

    @property
    def table(self) -> dict[str, Any]:
        """What it says over its file."""
        return self._own

    def _asked(self, over: Mapping[str, Any] | None = None, overrides: Overrides = None) -> Asked:
        table = _merged(self._own, over or {})
        if self._file is None:
            return asked(table, overrides, type(self).__name__.lower())
        return asked(self._file, {**_flat("", table), **(overrides or {})})

    def replace(self, **keys: Any) -> Any:
        """The same with other values."""
        new = type(self).__new__(type(self))
        new._file, new._own = self._file, _merged(self._own, _sorted(self._which, keys, self._sections))
        new._check()
        return new

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return (self._file, self._own) == (other._file, other._own)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        file = [repr(self._file)] if self._file is not None else []
        said: dict[str, Any] = {}
        for section, value in self._own.items():
            # Keys of the first section stand alone, as they are mostly written.
            said.update(value if section == self._sections[0] else {section: value})
        own = [f"{key}={pasted(value)}" for key, value in said.items()]
        return f"bristle.{type(self).__name__}({', '.join(file + own)})"

    def _repr_html_(self) -> str:
        return f"<b>{type(self).__name__}</b>" + rows(
            ["key", "value"], [[key, str(value)] for key, value in _flat("", self._own).items()]
        )


def _flat(prefix: str, table: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat.update(_flat(f"{prefix}{key}.", value) if isinstance(value, Mapping) else {prefix + key: value})
    return flat


class Wrenches(NamedTuple):
    """Forces and moments of steady rolling at many points."""

    Fx: Array
    """Longitudinal force, N."""
    Fy: Array
    """Lateral force, N."""
    Mz: Array
    """Aligning moment in the undeformed configuration, N·m."""
    Mz_deformed: Array
    """The same in the deformed configuration."""
    error: Array
    """An estimate of the relative error."""


class Steady(Report):
    """Steady rolling at one point: ``Fx``, ``Fy``, ``Mz``, ``Mz_deformed``, ``error``."""

    def _of(self, name: str) -> float:
        return float(self.summary["steady"][name])

    @property
    def Fx(self) -> float:  # noqa: N802
        """Longitudinal force, N."""
        return self._of("Fx_N")

    @property
    def Fy(self) -> float:  # noqa: N802
        """Lateral force, N."""
        return self._of("Fy_N")

    @property
    def Mz(self) -> float:  # noqa: N802
        """Aligning moment in the undeformed configuration, N·m."""
        return self._of("Mz_Nm")

    @property
    def Mz_deformed(self) -> float:  # noqa: N802
        """The same in the deformed configuration."""
        return self._of("Mz_deformed_Nm")

    @property
    def error(self) -> float:
        """An estimate of the relative error."""
        return self._of("est_error")


class Patch(_Rolling):
    """A contact patch: outline, pressure, load, friction in the plane.

    Keywords are those of ``[patch]`` (``a``, ``b``, ``n``, ``m``, ``pressure``, ``gamma``, ``load``, ``table``); ``friction`` is a
    :class:`bristle.Friction` or a dict, ``accuracy`` that of every result, and other sections of a file are dicts. What is
    absent is as in Table 1 of paper 004. A ``file`` may say it too.

    >>> import bristle
    >>> p = bristle.Patch(n=2, m=2, pressure="parabolic", load=4000)
    >>> round(p.steady(sigma_x=0.08, sigma_y=0.04, phi1=1.5).Fx, 1)
    2033.8
    """

    _which = "patch"
    _sections = ("patch", "run", "rolling", "transient", "surface")

    def _check(self) -> None:
        _bristle.check_patch(self._asked())

    def steady(self, *, show_rule: bool = False, **rolling: Any) -> Any:
        """Forces and moment at constant slip and spin: ``sigma_x``, ``sigma_y``, ``phi1``, ``phi2``, ``v_r``, ``model``.

        Numbers give a :class:`Steady`, the same as ``bristle patch steady``; arrays are broadcast and give
        :class:`Wrenches`, on all cores.
        """
        known = _keys("patch")["rolling"]
        many = {key: value for key, value in rolling.items() if key in known and np.ndim(value) > 0}
        one = {key: value for key, value in rolling.items() if key not in many}
        over = _sorted("patch", one, ("rolling", "patch", "run"))
        if not many:
            return Steady(_bristle.patch_steady(self._asked(over), show_rule), self._called("steady", rolling))
        arrays = {key: numbers(key, value) for key, value in many.items()}
        shape = common({key: array.shape for key, array in arrays.items()})
        contact = _bristle.Contact(self._asked(over))
        flat = [(key, np.ascontiguousarray(np.broadcast_to(a, shape)).ravel()) for key, a in arrays.items()]
        return Wrenches(*(column.reshape(shape) for column in contact.solve(flat)))

    def surface(self, *, progress: Progress = None, **keys: Any) -> Report:
        """Forces over a grid of slips: ``sigma_x_from``, ``sigma_x_to``, ``sigma_x_points``, … The same as ``bristle patch surface``."""
        over = _sorted("patch", keys, ("surface", "rolling", "patch", "run"))
        with telling(progress, "surface") as tell:
            found = _bristle.patch_surface(self._asked(over), tell)
        return Report(found, self._called("surface", keys))

    def transient(self, *, progress: Progress = None, **keys: Any) -> Report:
        """Rolling from undeflected bristles over ``distance`` in steps of ``step``, m.

        Slip, spin, speed, load and outline are numbers or signals over the distance travelled, dicts such as
        ``sigma_x={"model": "sine", "mean": 0.08, "amplitude": 0.02, "frequency": 5.0}``. The same as ``bristle patch transient``.
        """
        signals = {key: value for key, value in keys.items() if isinstance(value, Mapping) and key not in _keys("patch")}
        plainly = {key: value for key, value in keys.items() if key not in signals}
        over = _sorted("patch", plainly, ("rolling", "transient", "patch", "run"))
        over = _merged(over, {"transient": plain(signals)} if signals else {})
        with telling(progress, "transient") as tell:
            found = _bristle.patch_transient(self._asked(over), tell)
        return Report(found, self._called("transient", keys))

    def _called(self, name: str, keys: Mapping[str, Any]) -> str:
        return f"{self!r}.{name}({', '.join(f'{key}={pasted(value)}' for key, value in keys.items())})"

    @staticmethod
    def cases(table: str | os.PathLike[str], accuracy: float = 1e-6) -> Cases:
        """A table of cases, a path or a CSV text, and the same with its results. The same as ``bristle patch steady --cases``."""
        text = table if isinstance(table, str) and "\n" in table else read(table, 1 << 30)
        subject = "the cases" if text is table else os.fspath(table)
        return Cases(*_bristle.patch_cases(subject, text, accuracy))


class Cases(NamedTuple):
    """A table of cases with its results."""

    table: str
    """The table, with results appended to every row; those of a bad row are empty."""
    text: str
    """How many there are, and how exact."""
    summary_json: str
    """The same for programs."""
    faults: str | None
    """What is wrong with which rows."""
    unknown: list[str]
    """Columns that say nothing about a case."""

    @property
    def summary(self) -> dict[str, Any]:
        """How many there are, and how exact, for programs."""
        summary: dict[str, Any] = json.loads(self.summary_json)
        return summary

    @property
    def results(self) -> dict[str, Array]:
        """The columns of the results."""
        lines = [line.split(",") for line in self.table.splitlines() if not line.startswith("#")]
        wanted = ["Fx_N", "Fy_N", "Mz_Nm", "Mz_deformed_Nm", "est_error"]
        places = [lines[0].index(name) for name in wanted]


        def number(text: str) -> float:
            return float(text) if text.strip() else np.nan

        return {name: np.array([number(row[k]) for row in lines[1:]]) for name, k in zip(wanted, places)}


class Line(_Rolling):
    """A line contact that rolls.

    Keywords are those of ``[line]`` (``length``, ``rate``, ``pressure``, ``p0``, …); ``friction``, ``slip``, ``transport``,
    ``along``, ``profile`` and ``run`` are sections of a file. A ``file`` may say it too.

    >>> import bristle
    >>> line = bristle.Line("scenarios/line-step.toml")
    >>> line.run().summary["accuracy_reached"]
    True
    """

    _which = "line"
    _sections = ("line", "run")

    def _check(self) -> None:
        _bristle.check_line(self._asked())

    def run(self, **keys: Any) -> Report:
        """Rolls it: ``end`` in s, ``accuracy``, and whatever else differs. The same as ``bristle line``."""
        over = _sorted("line", keys, ("run", "line"))
        said = ", ".join(f"{key}={pasted(value)}" for key, value in keys.items())
        return Report(_bristle.roll_line(self._asked(over)), f"{self!r}.run({said})")

    @property
    def folder(self) -> str:
        """Where tables stand that it names."""
        return os.path.dirname(self._file) if self._file is not None else ""
