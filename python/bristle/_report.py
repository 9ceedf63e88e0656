"""What commands give: text, summary, tables, figures."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _bristle
from ._errors import Fault, InputError

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure as MatplotlibFigure

Array = NDArray[np.float64]


def _missing(extra: str) -> InputError:
    message = f"this needs {extra}: pip install bristle[{extra}]"
    return InputError(message, (Fault(None, message),))


class Table(Mapping[str, Array]):
    """Columns of numbers by name, with units."""

    def __init__(self, columns: list[tuple[str, str, Array]]):
        self._columns = {name: values for name, _, values in columns}
        self.units = {name: unit for name, unit, _ in columns}
        """The unit of each column."""

    def __getitem__(self, name: str) -> Array:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self._columns)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        same = [*self.units.items()] == [*other.units.items()]
        return same and all(np.array_equal(self[name], other[name], equal_nan=True) for name in self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        rows = max(map(len, self._columns.values()), default=0)
        titled = ", ".join(f"{name} [{unit}]" for name, unit in self.units.items())
        return f"<{rows} rows of {titled}>"

    def to_pandas(self) -> pandas.DataFrame:
        """A ``DataFrame`` whose index is the first column; ``attrs["units"]`` has the units."""
        try:
            import pandas
        except ImportError:
            raise _missing("pandas") from None
        first, *rest = self
        frame = pandas.DataFrame(
            {name: self[name] for name in rest}, index=pandas.Index(self[first], name=first)
        )
        frame.attrs["units"] = dict(self.units)
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """A ``Dataset`` along the first column; each variable has its ``units``."""
        try:
            import xarray
        except ImportError:
            raise _missing("xarray") from None
        first, *rest = self
        own = {name: (first, self[name], {"units": self.units[name]}) for name in rest}
        return xarray.Dataset(own, coords={first: (first, self[first], {"units": self.units[first]})})

    def csv(self) -> str:
        """The table as text; it comes back bit for bit."""
        head = ",".join(f"{name} [{unit}]" if unit else name for name, unit in self.units.items())
        rows = zip(*(map(repr, values.tolist()) for values in self._columns.values()))
        return "\n".join([head, *map(",".join, rows)]) + "\n"


class Figure:
    """A figure in the project's look. Notebooks show it."""

    def __init__(self, picture: _bristle.Picture | tuple[str, bytes]):
        self._picture = picture

    @cached_property
    def svg(self) -> str:
        """As SVG."""
        return self._picture[0] if isinstance(self._picture, tuple) else self._picture.svg()

    def png(self, scale: float = 2.0) -> bytes:
        """As PNG, so many points to a unit of the SVG. What was pickled has two."""
        return self._picture[1] if isinstance(self._picture, tuple) else self._picture.png(scale)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, SVG or PNG by its name."""
        path = Path(path)
        if path.suffix == ".svg":
            path.write_text(self.svg)
        elif path.suffix == ".png":
            path.write_bytes(self.png())
        else:
            message = f"{path}: the name of a figure ends in .svg or .png"
            raise InputError(message, (Fault("path", message),))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<figure, {len(self.svg)} bytes of SVG>"

    def __reduce__(self) -> tuple[type[Figure], tuple[tuple[str, bytes]]]:
        return Figure, ((self.svg, self.png()),)


class Report(Mapping[str, Array]):
    """What a command gives. ``print`` shows what the command line shows; columns of its first table go by name."""

    def __init__(self, found: _bristle.Report | None, call: str):
        self._found = found
        self._call = call

    def _made(self) -> _bristle.Report:
        assert self._found is not None
        return self._found

    @cached_property
    def text(self) -> str:
        """What a person reads."""
        return self._made().text

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The same and more for programs: what ``--json`` prints on the command line."""
        summary: dict[str, Any] = json.loads(self._made().summary())
        return summary

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Numbers, by the names of their files."""
        return {file: Table(columns) for file, columns in self._made().tables()}

    @cached_property
    def figures(self) -> dict[str, Figure]:
        """Figures by name."""
        return {name: Figure(picture) for name, picture in self._made().figures()}

    @cached_property
    def documents(self) -> dict[str, str]:
        """Texts for other readers, by the names of their files: a page, a parameter set."""
        return dict(self._made().documents())

    @cached_property
    def _summary_file(self) -> str:
        return self._made().summary_file

    @property
    def table(self) -> Table:
        """The first table."""
        return next(iter(self.tables.values()), Table([]))

    @property
    def units(self) -> dict[str, str]:
        """The units of its columns."""
        return self.table.units

    @property
    def figure(self) -> Figure:
        """The first figure."""
        try:
            return next(iter(self.figures.values()))
        except StopIteration:
            message = "there is no figure"
            raise InputError(message, (Fault(None, message),)) from None

    def __getitem__(self, name: str) -> Array:
        return self.table[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.table)

    def __len__(self) -> int:
        return len(self.table)

    def __bool__(self) -> bool:
        return True

    def to_pandas(self) -> pandas.DataFrame:
        """The first table as a ``DataFrame``."""
        return self.table.to_pandas()

    def to_xarray(self) -> xarray.Dataset:
        """The first table as a ``Dataset``."""
        return self.table.to_xarray()

    def plot(self, *columns: str) -> MatplotlibFigure:
        """Columns over the first one, in a figure of matplotlib in the project's look; all of them if none is named."""
        from ._plot import plot

        return plot(self.table, columns)

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes what the command line writes into a folder: tables, summary, documents, figures."""
        folder = Path(folder)
        contents: dict[str, str | bytes] = {}
        contents |= {name: table.csv() for name, table in self.tables.items()}
        contents |= {self._summary_file: json.dumps(self.summary, indent=2, ensure_ascii=False) + "\n"}
        contents |= self.documents
        for name, figure in self.figures.items():
            contents |= {f"{name}.svg": figure.svg, f"{name}.png": figure.png()}
        written = []
        for name, content in contents.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            written.append(path)
        return written

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.summary == other.summary and self.tables == other.tables

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self._call

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        shown = f"<pre>{html.escape(self.text)}</pre>"
        return shown + (self.figure.svg if self.figures else "")

    def __getstate__(self) -> dict[str, Any]:
        kept = "text", "summary", "tables", "figures", "documents", "_summary_file", "_call"
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _found=None)


def rows(heads: list[str], body: list[list[str]]) -> str:
    """A table of HTML."""


    def line(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

    return "<table>" + line(heads, "th") + "".join(line(cells, "td") for cells in body) + "</table>"
