"""Runs: of scenarios, of machines, of functions of one's own."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import _bristle
from ._arrays import numbers
from ._errors import Fault, InputError
from ._given import Overrides, Scenario, asked, call, pasted
from ._progress import Progress, telling
from ._report import Array, Report, Table, rows


class Event(NamedTuple):
    """Something discrete that happened in a run."""

    t: float
    """When, s."""
    kind: str
    """What: ``stick``, ``slip``, ``reversal``, ``element`` (a tooth, a branch), ``drive``, ``mechanism``."""
    which: int | None
    """To which contact, or in which drive."""
    way: float | None
    """In which direction, −1 or 1."""


class Run(Report):
    """What a run gave: ``r.t``, ``r["x"]``, ``r.units``, ``r.events``, ``r.ledger``, ``r.statistics``.

    It is a :class:`bristle.Report` too, whose text and figure are those of ``bristle run``.
    """

    def __init__(self, recorded: _bristle.Recorded, runs: _bristle.Runs | None, index: int, call: str):
        super().__init__(None, call)
        self._recorded, self._runs, self._index = recorded, runs, index
        left_out = runs.left_out(index) if runs else []
        self.left_out: list[str] = left_out
        """What the file says and has no meaning with what was put over it."""

    def _made(self) -> _bristle.Report:
        if self._found is None:
            if self._runs is None:
                message = "a run of functions has neither text nor figure: take its columns, or plot()"
                raise InputError(message, (Fault(None, message),))
            self._found = self._runs.report(self._index)
        return self._found

    @property
    def t(self) -> Array:
        """Time, s."""
        return self["t"]

    @cached_property
    def table(self) -> Table:
        """Every recorded column."""
        return Table(self._recorded.columns())

    @cached_property
    def events(self) -> list[Event]:
        """What happened, and when."""
        return [Event(*row) for row in self._recorded.events()]

    @cached_property
    def ledger(self) -> dict[str, dict[str, float]]:
        """Where the energy of each contact went, J."""
        return dict(self._recorded.ledger())

    @cached_property
    def statistics(self) -> dict[str, int]:
        """What the solver did."""
        return dict(self._recorded.statistics())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Run):
            return NotImplemented
        return self.table == other.table and self.events == other.events and self.ledger == other.ledger

    __hash__ = None

    def __str__(self) -> str:
        return self.text if self._runs is not None or "text" in self.__dict__ else repr(self.table)

    def _repr_html_(self) -> str:
        extremes = [
            [f"{name} [{unit}]", *(f"{f(self[name]):.7g}" for f in (np.min, np.max)), f"{self[name][-1]:.7g}"]
            for name, unit in self.units.items()
        ]
        shown = rows(["", "least", "greatest", "at the end"], extremes)
        return shown + (self.figure.svg if self._runs is not None or "figures" in self.__dict__ else "")

    def __getstate__(self) -> dict[str, Any]:
        own = {name: getattr(self, name) for name in ("table", "events", "ledger", "statistics", "left_out", "_call")}
        whole = super().__getstate__() if self._runs is not None or self._found is not None else {}
        return {**whole, **own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _found=None, _recorded=None, _runs=None, _index=0)


class Runs(Sequence[Run]):
    """Several runs beside each other: one by one, or ``together``."""

    def __init__(self, runs: list[Run], together: Report, call: str):
        self._runs, self.together, self._call = runs, together, call

    def __getitem__(self, index: Any) -> Any:
        return self._runs[index]

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def labels(self) -> list[str]:
        """What sets each run apart from the others."""
        return [run._label for run in self._runs]  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return self._call

    def __str__(self) -> str:
        return self.together.text

    def _repr_html_(self) -> str:
        return self.together._repr_html_()


def run(
    what: Scenario, overrides: Overrides = None, *, force: bool = False, progress: Progress = None
) -> Run:
    """Runs a scenario or a machine: a path, the text of a file, its content as a dict, or a :class:`bristle.Machine`.

    ``overrides`` are values put over it, ``{"friction.model": "implicit"}``. ``force`` keeps a run, marked, whose energy
    does not balance. The same as ``bristle run``.

    >>> import bristle
    >>> r = bristle.run("scenarios/belt.toml", {"friction.model": "implicit"})
    >>> r.units["x"], round(float(r["x"].max()), 3)
    ('m', 0.748)
    """
    own = asked(what, overrides)
    with telling(progress, own[0]) as tell:
        runs = _bristle.run([("", own)], force, tell)
    return Run(runs.recorded(0), runs, 0, _called(what, overrides, force))


def _called(what: Scenario, overrides: Overrides, force: bool) -> str:
    args = [what] if not overrides else [what, overrides]
    return call("run", args, {"force": force or None})


_MOST = 100_000


def runs(
    what: Scenario | Sequence[Scenario],
    overrides: Overrides = None,
    *,
    vary: Mapping[str, Iterable[Any]] | None = None,
    force: bool = False,
    progress: Progress = None,
) -> Runs:
    """Runs several scenarios, or one with every combination of what is varied, on all cores.

    ``vary`` has a list of values for each key, ``{"friction.model": ["lugre", "frbd"]}``. The same as ``bristle run`` with
    several files or ``--vary``; thousands of runs make no figure, and are better spread with :func:`bristle.dask.runs`.

    >>> import bristle
    >>> [len(r.events) for r in bristle.runs("scenarios/belt.toml", vary={"system.drive.value": [0.1, 0.2]})]
    [9, 13]
    """
    several = isinstance(what, Sequence) and not isinstance(what, str)
    files: Any = what if several else [what]
    jobs = []
    for file, (label, over) in itertools.product(files, combinations(vary)):
        own = asked(file, {**(overrides or {}), **over})
        named = [Path(own[0]).stem] if len(files) > 1 else []
        jobs.append((", ".join([*named, *label]), own))
    if len(jobs) > _MOST:
        message = f"{len(jobs)} runs are more than {_MOST}: run them in parts, or with bristle.dask.runs"
        raise InputError(message, (Fault("vary", message),))
    said = call("runs", [what] if not overrides else [what, overrides], {"vary": vary, "force": force or None})
    if not jobs:
        return Runs([], Report(None, said), said)
    with telling(progress, f"{len(jobs)} runs") as tell:
        made = _bristle.run(jobs, force, tell)
    all_of_them = []
    for i, (label, own) in enumerate(jobs):
        one = Run(made.recorded(i), made, i, _called(own[1] if isinstance(own[1], dict) else own[0], dict(own[2]), force))
        one._label = label  # type: ignore[attr-defined]
        all_of_them.append(one)
    return Runs(all_of_them, _Together(made, said), said)


class _Together(Report):
    """A report that is made when it is looked at."""

    def __init__(self, runs: _bristle.Runs, call: str):
        super().__init__(None, call)
        self._runs = runs

    def _made(self) -> _bristle.Report:
        if self._found is None:
            self._found = self._runs.together()
        return self._found


def combinations(vary: Mapping[str, Iterable[Any]] | None) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Every combination of what is varied, and what it is called."""
    vary = {key: list(values) for key, values in (vary or {}).items()}
    for values in itertools.product(*vary.values()):
        over = dict(zip(vary, values))
        short = {key: key.rsplit(".", 1)[-1] for key in over}
        yield [v if isinstance(v, str) else f"{short[k]} = {pasted(v)}" for k, v in over.items()], over


class Contact(NamedTuple):
    """Where friction acts in a mechanism of one's own, see :func:`bristle.simulate`."""

    friction: Any
    """A :class:`bristle.Friction`."""
    velocity: Callable[[float, Array], float]
    """The relative velocity of the contact at ``(t, y)``, m/s."""
    load: float | Callable[[float, Array], float] = 1.0
    """Its load, N; a number or a function of ``(t, y)``."""
    position: Callable[[float, Array], float] | None = None
    """The relative position, m, for friction that depends on it."""
    name: str = ""
    """What its columns are marked with: ``F_name``; needed where there are several."""


def simulate(
    rhs: Callable[[float, Array, Array], Any],
    contacts: Sequence[Contact],
    initial: Mapping[str, float] | Sequence[float],
    end: float,
    *,
    units: Mapping[str, str] | None = None,
    small: Mapping[str, float] | None = None,
    tolerance: float = 1e-9,
    spacing: float = 0.0,
    force: bool = False,
    progress: Progress = None,
) -> Run:
    """Runs a mechanism of one's own: ``rhs(t, y, F)`` gives the rates of the states under the forces of the contacts.

    For prototypes: every step asks Python. Rates must be linear in the forces. ``initial`` names the states and says
    where they start; a state counts as small below ``small`` (0.001 if nothing is said), which sets its absolute
    tolerance.

    >>> import bristle
    >>> friction = bristle.Friction("frbd", law={"model": "coulomb", "mu": 0.2})
    >>> sled = bristle.Contact(friction, velocity=lambda t, y: y[1], load=9.81)
    >>> r = bristle.simulate(lambda t, y, F: [y[1], -F[0]], [sled], {"x": 0.0, "v": 1.0}, end=1.0)
    >>> round(float(r["x"][-1]), 3)
    0.255
    """
    if not isinstance(initial, Mapping):
        initial = {f"y{i}": value for i, value in enumerate(initial)}
    count = len(initial)
    states = []
    for name, start in initial.items():
        little = float((small or {}).get(name, 1e-3))
        if not (math.isfinite(little) and little > 0.0):
            message = f"small[{name!r}] = {little} must be a number above 0"
            raise InputError(message, (Fault("small", message),))
        states.append((str(name), str((units or {}).get(name, "1")), little, float(start)))
    contacts = list(contacts)
    names = [c.name for c in contacts]
    if len(set(names)) < len(names):
        message = "contacts must have names of their own: bristle.Contact(…, name=\"left\")"
        raise InputError(message, (Fault("contacts", message),))

    def rates(t: float, y: Array, forces: Array) -> Array:
        made = numbers("the rates", rhs(t, y, forces))
        if made.shape != (count,):
            message = f"rhs must give {count} rates, one for each state, not an array of shape {made.shape}"
            raise InputError(message, (Fault("rhs", message),))
        return made

    def drive(contact: Contact) -> Callable[[float, Array, Array], Array]:
        velocity, load, position = contact.velocity, contact.load, contact.position

        def at(t: float, y: Array, _: Array) -> Array:
            place = 0.0 if position is None else position(t, y)
            pressed = load(t, y) if callable(load) else load
            return np.array([place, velocity(t, y), pressed], dtype=np.float64)

        return at

    touches = [(c.name, c.friction, drive(c)) for c in contacts]
    with telling(progress, "the simulation") as tell:
        recorded = _bristle.simulate(rates, states, touches, end, tolerance, spacing, force, tell)
    return Run(recorded, None, 0, call("simulate", ["…"], {}).replace("'…'", "…"))
