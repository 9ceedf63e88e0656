"""Many runs of one file: grids, samples, boundaries, on one machine or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _bristle
from ._errors import Fault, InputError
from ._given import Overrides, Scenario, asked, call, flat, plain
from ._progress import Progress, telling
from ._report import Array, Report, Table, _missing

if TYPE_CHECKING:
    import xarray

_PER_TASK = 1000
"""A task of its own for every run would cost more than the run."""

Rows = tuple[Array, list[tuple[int, str]]]


class Sweep(Report):
    """What came of many runs: ``s["drift"]`` has what was kept, ``s["friction.sigma1"]`` what was varied, ``s.failed`` why runs
    failed, by their index.

    It is a :class:`bristle.Report` too, whose text, summary and figures are those of ``bristle sweep``.
    """

    def __init__(self, sweep: _bristle.Sweep, rows: Rows, call: str):
        super().__init__(None, call)
        self._sweep = sweep
        self._values, failed = rows
        self.failed: dict[int, str] = dict(failed)
        """Why runs failed, by their index."""

    def _made(self) -> _bristle.Report:
        if self._found is None:
            self._found = self._sweep.report(self._values, list(self.failed.items()))
        return self._found

    @cached_property
    def table(self) -> Table:
        """What was varied, where it is a number, and what was kept: one row a run."""
        count = len(self._sweep)
        columns = []
        for k, (key, unit, _) in enumerate(self._sweep.axes()):
            values = self._sweep.values(k, 0, count)
            if isinstance(values, np.ndarray):
                columns.append((key, unit, values))
        for k, (name, unit) in enumerate(self._sweep.columns()):
            columns.append((name, unit, self._values[:, k].copy()))
        return Table(columns)

    def to_xarray(self) -> xarray.Dataset:
        """A ``Dataset`` with a dimension for each key of the grid, and one of samples where there are distributions; each
        variable has its ``units``."""
        try:
            import xarray
        except ImportError:
            raise _missing("xarray") from None
        count, samples = len(self._sweep), self._sweep.per_grid_point()
        axes = list(enumerate(self._sweep.axes()))
        grid = [(k, key, unit, n) for k, (key, unit, n) in axes if n is not None]
        spread = [(k, key, unit) for k, (key, unit, n) in axes if n is None]
        dims = [key for _, key, _, _ in grid]
        shape = [n for *_, n in grid]
        coords: dict[str, Any] = {}
        stride = count
        for k, key, unit, n in grid:
            # From one value of a key to the next.
            stride //= n
            values = [self._sweep.values(k, i * stride, i * stride + 1)[0] for i in range(n)]
            coords[key] = (key, values, {"units": unit})
        if spread:
            dims, shape = [*dims, "sample"], [*shape, samples]
            for k, key, unit in spread:
                coords[key] = ("sample", self._sweep.values(k, 0, samples), {"units": unit})
        variables: dict[str, Any] = {}
        for k, (name, unit) in enumerate(self._sweep.columns()):
            variables[name] = (dims, self._values[:, k].reshape(shape), {"units": unit})
        failed = np.full(count, "", dtype=object)
        for index, why in self.failed.items():
            failed[index] = why
        variables["failed"] = (dims, failed.reshape(shape).astype(str))
        return xarray.Dataset(variables, coords=coords, attrs={"title": self._sweep.title()})

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes what ``bristle sweep`` writes: CSV, Parquet, summary, figures."""
        written = super().save(folder)
        names = ("sweep.csv", "sweep.parquet")
        for name, content in zip(names, self._sweep.files(self._values, list(self.failed.items()))):
            (Path(folder) / name).write_bytes(content)
            written.append(Path(folder) / name)
        return [path for path in written if path.exists()]

    @cached_property
    def tables(self) -> dict[str, Table]:
        """There is one, which :meth:`save` writes with what is no number as well."""
        return {}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sweep):
            return NotImplemented
        return self.table == other.table and self.failed == other.failed

    __hash__ = None

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("a sweep does not pickle: save it, or take to_xarray()")


def sweep(
    what: Scenario,
    overrides: Overrides = None,
    *,
    vary: Mapping[str, Any] | None = None,
    keep: Mapping[str, str] | Iterable[str] | None = None,
    samples: int | None = None,
    method: str | None = None,
    seed: int | None = None,
    sensitivities: bool = False,
    boundary: Mapping[str, Any] | None = None,
    command: str | None = None,
    twin: bool = False,
    folder: str | os.PathLike[str] | None = None,
    client: Any = None,
    per_task: int = _PER_TASK,
    progress: Progress = None,
) -> Sweep:
    """Runs a scenario at many points, or the file of a sweep.

    ``vary`` has keys and their values: ``"0:500:35"``, ``"1e-3:1:20:log"``, a list or an array, or a distribution such as
    ``"normal(0.6, 0.05)"``. ``keep`` names what is kept of each run, an expression over its columns: ``{"drift [mm]":
    "1e3*end(x)"}``. ``boundary`` looks for a change instead: ``{"key": …, "between": "0.01:1", "holds": "range(x) > 1e-3"}``.

    With a ``folder`` finished rows are kept there, and the same call goes on where an interrupted one stopped. With a ``client`` of
    ``dask.distributed`` the runs are spread over its workers, ``per_task`` at a time, with the same numbers to the last bit. The
    same as ``bristle sweep``.

    >>> import bristle
    >>> s = bristle.sweep("scenarios/pulse.toml", vary={"friction.sigma1": "0:800:3"}, keep={"drift [mm]": "1e3*end(x)"})
    >>> s.units["drift"], len(s["drift"])
    ('mm', 3)
    """
    table: dict[str, Any] = {}
    if vary is not None:
        table["vary"] = [{"key": key, "values": _listed(values)} for key, values in vary.items()]
    if keep is not None:
        kept = keep if isinstance(keep, Mapping) else {value: value for value in keep}
        table["keep"] = [_kept(name, value) for name, value in kept.items()]
    own = {"count": samples, "method": method, "seed": seed, "sensitivities": sensitivities or None}
    own = {key: value for key, value in own.items() if value is not None}
    if own:
        table["samples"] = plain(own)
    if boundary is not None:
        table["boundary"] = plain(boundary)
    if command is not None:
        table["command"] = command
    if twin:
        table["twin"] = True
    if not isinstance(per_task, int) or per_task < 1:
        message = f"per_task = {per_task!r} must be a whole number, at least 1"
        raise InputError(message, (Fault("per_task", message),))
    given = asked(what, overrides)
    made = _bristle.read_sweep(given, table)
    keeping = made.kept(Path(folder)) if folder is not None else None
    with telling(progress, "the sweep") as tell:
        rows = _rows(made, keeping, client, per_task, tell)
    return Sweep(made, rows, call("sweep", [what], {"overrides": flat(overrides) or None, "vary": vary, "keep": keep}))


def _listed(values: Any) -> Any:
    """A text stands for itself; what can be listed is a list."""
    return values if isinstance(values, str) else plain(list(values))


def _kept(name: str, value: str) -> dict[str, str]:
    """``drift [mm]`` is a name and a unit; an expression that names itself has neither."""
    if name != value and name.endswith("]") and "[" in name:
        name, _, unit = name[:-1].partition("[")
        return {"name": name.strip(), "unit": unit.strip(), "value": value}
    return {"name": name, "value": value}


Tell = Callable[[float, str], None]
Work = tuple[str, str, Path, str, str]
"""Name, text and folder of a base, the table of the sweep, and what its rows are told by."""


def _rows(
    made: _bristle.Sweep,
    keeping: _bristle.Kept | None,
    client: Any,
    per_task: int,
    tell: Tell | None,
) -> Rows:
    count = len(made)
    if keeping is None and client is None:
        return made.rows(0, count, tell)
    parts = [(start, min(start + per_task, count)) for start in range(0, count, per_task)]
    found: dict[int, Rows] = {}
    missing = []
    for start, stop in parts:
        if keeping is not None and keeping.has(start, stop):
            found[start] = keeping.get(start, stop)
        else:
            missing.append((start, stop))
    done = count - sum(stop - start for start, stop in missing)
    if client is None:
        computed: Iterator[tuple[int, Rows]] = ((a, made.rows(a, b, None)) for a, b in missing)
    else:
        computed = _on_cluster(client, (*made.parts(), made.description()), missing)
    for start, rows in computed:
        if keeping is not None:
            keeping.put(start, *rows)
        found[start] = rows
        done += len(rows[0])
        if tell is not None:
            tell(done / count, f"{done} of {count}")
    values = [found[start][0] for start, _ in parts]
    failed = [(start + index, why) for start, _ in parts for index, why in found[start][1]]
    return np.concatenate(values), failed


def _on_cluster(
    client: Any, work: Work, parts: list[tuple[int, int]]
) -> Iterator[tuple[int, Rows]]:
    """Rows of some parts as they come. What a worker takes with it when it dies is done again by another."""
    try:
        from distributed import as_completed
    except ImportError:
        raise _missing("dask") from None
    # Each worker has something to do while the next task is on its way, and no more waits in memory.
    ahead = 4 * max(1, len(client.scheduler_info()["workers"]))
    waiting = iter(parts)
    begun: dict[Any, int] = {}

    def begin() -> Any:
        for start, stop in waiting:
            future = client.submit(_task, work, start, stop, pure=False, retries=5)
            begun[future.key] = start
            return future
        return None

    finished = as_completed([future for future in (begin() for _ in range(ahead)) if future is not None])
    for future in finished:
        rows = future.result()
        following = begin()
        if following is not None:
            finished.add(following)
        yield begun.pop(future.key), rows


def _task(work: Work, start: int, stop: int) -> Rows:
    """The rows of one task, on all cores of who works on it."""
    name, text, folder, table, description = work
    made = _bristle.same_sweep(name, text, folder, table)
    if made.description() != description:
        raise RuntimeError("a worker has another version of bristle, or other files beside the scenario")
    return made.rows(start, stop, None)
