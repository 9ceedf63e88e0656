"""Machines of parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _bristle
from ._errors import Fault, InputError
from ._given import Overrides, pasted, plain
from ._progress import Progress
from ._report import rows
from ._run import Run, run

_PARTS = dict(_bristle.parts())


class Machine:
    """A machine of parts: bodies, springs, gears, stops, controllers, contacts.

    A method for each part adds it and gives its name, by which other parts know it: keywords are the keys of that part
    in a file, see :func:`bristle.models`.

    >>> import bristle
    >>> m = bristle.Machine(friction=bristle.Friction("lugre"))
    >>> block = m.body("block", mass=1.0, velocity=0.1)
    >>> belt = m.motion("belt", velocity=0.1)
    >>> m.spring("wall", between=[block, "ground"], stiffness=2.0)
    'wall'
    >>> m.contact("rub", between=[block, belt], load=9.81)
    'rub'
    >>> r = m.run(10.0)
    >>> r.units["F_rub"]
    'N'

    ``friction`` is that of every contact that has none of its own. ``folder`` is where logs stand that parts name.
    """

    def __init__(
        self,
        title: str = "",
        *,
        friction: Any = None,
        initial: Mapping[str, float] | None = None,
        run: Mapping[str, Any] | None = None,
        figure: Mapping[str, Any] | None = None,
        folder: str | os.PathLike[str] = "",
        **parts: Sequence[Mapping[str, Any]],
    ):
        for kind in parts:
            self._known(kind)
        sections = {"friction": friction, "initial": initial, "run": run, "figure": figure}
        self._title, self.folder = title, os.fspath(folder)
        self._sections = {key: plain(value) for key, value in sections.items() if value is not None}
        self._parts: dict[str, list[dict[str, Any]]] = {}
        for kind, own in parts.items():
            self._parts[kind] = [plain(part) for part in own]

    @staticmethod
    def _known(kind: str) -> None:
        if kind not in _PARTS:
            message = f"a machine has no `{kind}`; its parts are {', '.join(_PARTS)}"
            raise InputError(message, (Fault(kind, message),))

    def add(self, kind: str, name: str, **keys: Any) -> str:
        """Adds a part of a kind, and gives its name."""
        self._known(kind)
        if not isinstance(name, str):
            message = f"the name of a {kind} must be a text, not {type(name).__name__}"
            raise InputError(message, (Fault(f"{kind}.name", message),))
        self._parts.setdefault(kind, []).append({"name": name, **plain(keys)})
        return name

    def __getattr__(self, kind: str) -> Callable[..., str]:
        if kind.startswith("_") or kind not in _PARTS:
            raise AttributeError(f"a machine has no `{kind}`; its parts are {', '.join(_PARTS)}")

        def add(name: str, **keys: Any) -> str:
            return self.add(kind, name, **keys)

        add.__doc__ = f"Adds {_PARTS[kind]}, and gives its name."
        add.__name__ = kind
        return add

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_PARTS]

    @property
    def table(self) -> dict[str, Any]:
        """All of it as a file has it."""
        title = {"title": self._title} if self._title else {}
        return {**title, "body": [], **self._parts, **self._sections}

    def run(
        self,
        end: float | None = None,
        overrides: Overrides = None,
        *,
        force: bool = False,
        progress: Progress = None,
        **how: Any,
    ) -> Run:
        """Runs it to ``end``, s. ``how`` are keys of ``[run]``: ``tolerance``, ``method``, ``step``, ``spacing``."""
        own = {**self._sections.get("run", {}), **plain(how)}
        if end is not None:
            own["end"] = plain(end)
        if "end" in own and not isinstance(own["end"], (int, float)):
            message = f"end = {own['end']!r} must be a number of seconds"
            raise InputError(message, (Fault("run.end", message),))
        whole = Machine._of(self._title, {**self._sections, "run": own}, self._parts, self.folder)
        return run(whole, overrides, force=force, progress=progress)

    @classmethod
    def _of(cls, title: str, sections: dict[str, Any], parts: dict[str, Any], folder: str) -> Machine:
        new = cls.__new__(cls)
        new._title, new._sections, new._parts, new.folder = title, sections, parts, folder
        return new

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Machine):
            return NotImplemented
        return (self.table, self.folder) == (other.table, other.folder)

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Machine:
        parts = {kind: list(own) for kind, own in self._parts.items()}
        return Machine._of(self._title, dict(self._sections), parts, self.folder)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        own = [repr(self._title)] if self._title else []
        own += [f"{key}={pasted(value)}" for key, value in {**self._sections, **self._parts}.items() if value]
        own += [f"folder={self.folder!r}"] if self.folder else []
        return f"bristle.Machine({', '.join(own)})"

    def _repr_html_(self) -> str:
        body = [
            [kind, part["name"], ", ".join(f"{key} = {value}" for key, value in part.items() if key != "name")]
            for kind, own in self._parts.items()
            for part in own
        ]
        return f"<b>{self._title or 'machine'}</b>" + rows(["part", "name", ""], body)
