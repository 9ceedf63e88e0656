"""How far a computation is, for who wants to see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from ._errors import Fault, InputError

Progress: TypeAlias = "bool | Callable[..., Any] | None"
"""True for a bar of ``tqdm``, in terminals and notebooks; or anything called like it: ``progress(total=…, desc=…)``
gives a bar with ``update(n)`` and ``close()``."""

_PARTS = 1000


@contextmanager
def telling(progress: Progress, name: str) -> Iterator[Callable[[float, str], None] | None]:
    """What the library calls with the part that is done, from 0 to 1, and with what is being done."""
    if progress is None or progress is False:
        yield None
        return
    if progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            message = "progress=True needs tqdm: pip install bristle[progress]"
            raise InputError(message, (Fault("progress", message),)) from None
        progress = tqdm
    if not callable(progress):
        message = "progress must be True or something called like tqdm"
        raise InputError(message, (Fault("progress", message),))
    bar = progress(total=_PARTS, desc=name)
    done = 0

    def tell(part: float, doing: str) -> None:
        nonlocal done
        now = max(done, min(_PARTS, int(_PARTS * part)))
        if doing and hasattr(bar, "set_postfix_str"):
            bar.set_postfix_str(doing, refresh=False)
        if now > done:
            bar.update(now - done)
            done = now

    try:
        yield tell
        tell(1.0, "")
    finally:
        bar.close()
