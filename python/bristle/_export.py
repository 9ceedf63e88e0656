"""Friction for other tools."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from . import _bristle
from ._given import Overrides, asked, plain


def export(
    what: Any,
    overrides: Overrides = None,
    *,
    out: str | os.PathLike[str] | None = None,
    fmi: int = 3,
    keep_drives: bool = False,
    library: str | os.PathLike[str] | None = None,
) -> Path:
    """Writes a functional mock-up unit (FMI 2.0 or 3.0) and returns its path.

    ``what`` is a friction model, a :class:`bristle.Friction`, a machine, or a scenario or patch as a path, the text of a file or
    a dict. Drives become inputs unless ``keep_drives``. The shared library that every unit holds is looked for where cargo
    builds it (``cargo build --release -p bristle-fmu``), or given as ``library``. The same as ``bristle export fmu``.
    """
    if isinstance(what, _bristle.Element):
        what = {"friction": plain(what)}
    own = asked(what, overrides)
    path = Path(out) if out is not None else Path(f"{Path(own[0]).stem.replace(' ', '-')}.fmu")
    unit = _bristle.unit(own, fmi, keep_drives, os.fspath(library) if library is not None else None)
    unfinished = path.with_name(path.name + ".part")
    try:
        unfinished.write_bytes(unit)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path
