"""Figures of matplotlib in the project's look."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ._errors import Fault, InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._report import Table

_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
"""Those of Okabe and Ito (2008), without the yellow, as in all figures of the project."""

style: dict[str, Any] = {
    "axes.edgecolor": "#222222",
    "axes.grid": True,
    "axes.labelcolor": "#222222",
    "axes.labelsize": 10,
    "figure.constrained_layout.use": True,
    "grid.color": "#E2E2E2",
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "svg.fonttype": "none",
    "xtick.color": "#222222",
    "ytick.color": "#222222",
}
"""The project's look, for ``matplotlib.rc_context``."""


def plot(table: Table, columns: tuple[str, ...] = ()) -> Figure:
    """Columns of a table over its first one: those of one unit share a panel."""
    try:
        import matplotlib
        from cycler import cycler
        from matplotlib.figure import Figure
    except ImportError:
        message = "plot() needs matplotlib: pip install bristle[plot]"
        raise InputError(message, (Fault(None, message),)) from None

    class Shown(Figure):
        """A figure that notebooks show, whatever is behind it."""

        def _repr_png_(self) -> bytes:
            png = io.BytesIO()
            self.savefig(png, format="png", dpi=120)
            return png.getvalue()

    first, *rest = table
    shown = list(columns) or rest
    panels: dict[str, list[str]] = {}
    for name in shown:
        table[name]
        panels.setdefault(table.units[name], []).append(name)
    look: Any = {**style, "axes.prop_cycle": cycler(color=_COLOURS)}
    with matplotlib.rc_context(look):
        figure = Shown(figsize=(7.5, 1.2 + 1.8 * len(panels)))
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axis, (unit, names) in zip(axes, panels.items()):
            for name in names:
                axis.plot(table[first], table[name], label=name)
            axis.set_ylabel(f"{names[0] if len(names) == 1 else ''} [{unit}]".strip())
            if len(names) > 1:
                axis.legend()
        axes[-1].set_xlabel(f"{first} [{table.units[first]}]")
    return figure
