"""Runs on a cluster, in tasks of many runs each: needs ``pip install bristle[dask]``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._errors import Fault, InputError
from ._given import Overrides, Scenario, asked
from ._report import _missing
from ._run import combinations

_PER_TASK = 500
"""A task of its own for every run would cost more than the run."""


def runs(
    what: Scenario,
    overrides: Overrides = None,
    *,
    vary: Mapping[str, Iterable[Any]],
    keep: Any = None,
    per_task: int = _PER_TASK,
) -> Any:
    """Every combination of what is varied, as a ``dask.bag`` of what ``keep`` makes of each run, in the order of
    :func:`bristle.runs`.

    ``keep`` takes a :class:`bristle.Run` and gives what is worth sending: a number, a dict. If nothing is said, the last
    value of every column.
    """
    try:
        import dask.bag
    except ImportError:
        raise _missing("dask") from None
    if not isinstance(per_task, int) or per_task < 1:
        message = f"per_task = {per_task!r} must be a whole number, at least 1"
        raise InputError(message, (Fault("per_task", message),))
    own = asked(what, overrides)
    jobs = [over for _, over in combinations(vary)]
    parts = max(1, -(-len(jobs) // per_task))
    bag = dask.bag.from_sequence(jobs, npartitions=parts)
    return bag.map_partitions(_some, own, keep or last)


def last(run: Any) -> dict[str, float]:
    """The last value of every column."""
    return {name: float(run[name][-1]) for name in run}


def _some(jobs: Iterable[dict[str, Any]], own: Any, keep: Any) -> list[Any]:
    """The runs of one task, on all cores of who works on it."""
    from . import _bristle
    from ._run import Run

    name, text, over, folder = own
    wanted = [("", (name, text, [*over, *job.items()], folder)) for job in jobs]
    if not wanted:
        return []
    made = _bristle.run(wanted, False, None)
    return [keep(Run(made.recorded(i), made, i, "bristle.dask.runs(…)")) for i in range(len(wanted))]
