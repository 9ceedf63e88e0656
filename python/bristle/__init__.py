"""Friction for simulation and control: models, machines, rolling contact, identification.

>>> import bristle
>>> r = bristle.run("scenarios/belt.toml", {"friction.model": "implicit"})
>>> r.units["x"]
'm'

SI units throughout. A friction force is positive for positive sliding, and an equation of motion subtracts it. Everything
that is wrong with what is given is told at once, by an :class:`bristle.InputError`, which is a ``ValueError``.
"""

from ._analysis import Papers, StateSpace, audit, compare, cycle, linearize, loop, map, models, papers, schema
from ._bristle import States, __version__, threads, use_threads
from ._errors import Error, Fault, InputError, RunError
from ._export import export
from ._fit import Fit, Fitted, fit
from ._friction import Friction, Parameter
from ._machine import Machine
from ._patch import Cases, Line, Patch, Steady, Wrenches
from ._report import Figure, Report, Table
from ._run import Contact, Event, Run, Runs, run, runs, simulate
from ._sweep import Sweep, sweep

__all__ = [
    "Cases",
    "Contact",
    "Error",
    "Event",
    "Fault",
    "Figure",
    "Fit",
    "Fitted",
    "Friction",
    "InputError",
    "Line",
    "Machine",
    "Papers",
    "Parameter",
    "Patch",
    "Report",
    "Run",
    "RunError",
    "Runs",
    "StateSpace",
    "States",
    "Steady",
    "Sweep",
    "Table",
    "Wrenches",
    "__version__",
    "audit",
    "compare",
    "cycle",
    "export",
    "fit",
    "linearize",
    "loop",
    "map",
    "models",
    "papers",
    "run",
    "runs",
    "schema",
    "simulate",
    "sweep",
    "threads",
    "use_threads",
]
