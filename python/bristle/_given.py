"""What users give: a path, a text, a dict, an object; and what is put over it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from . import _bristle
from ._errors import Fault, InputError

Scenario: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Any"
"""A path, the text of a file, its content as a dict, or an object that has one (``Machine``, ``Line``)."""

Overrides: TypeAlias = "Mapping[str, Any] | None"
"""Values put over a scenario's: ``{"friction.model": "implicit"}``."""

Asked: TypeAlias = "tuple[str, str | dict[str, Any], list[tuple[str, Any]], str]"

_LONGEST = 16 << 20
"""A scenario is no longer than this, bytes."""


def plain(value: Any) -> Any:
    """A value as a file may hold it: arrays become lists, objects of ours their tables."""
    if isinstance(value, (str, bool, int, float)):
        # Subclasses too: a NumPy float is a float.
        return float(value) if isinstance(value, np.floating) else value
    return _plain(value, 0)


def _plain(value: Any, depth: int) -> Any:
    if depth > 32:
        message = "the scenario is nested deeper than 32 levels"
        raise InputError(message, (Fault(None, message),))
    table = getattr(value, "table", None)
    if isinstance(table, Mapping) and not isinstance(value, Mapping):
        return _plain(table, depth + 1)
    if isinstance(value, Mapping):
        return {_name(key): _plain(item, depth + 1) for key, item in value.items() if item is not None}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist(), depth + 1)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (list, tuple, range)):
        return [_plain(item, depth + 1) for item in value]
    return value


def _name(key: Any) -> str:
    if not isinstance(key, str):
        message = f"a key must be a text, not {key!r}"
        raise InputError(message, (Fault(None, message),))
    return key


def flat(overrides: Overrides) -> list[tuple[str, Any]]:
    """Keys and values that are put over a scenario."""
    if overrides is None:
        return []
    if not isinstance(overrides, Mapping):
        message = 'overrides must be a dict of keys and values: {"friction.sigma1": 400.0}'
        raise InputError(message, (Fault(None, message),))
    return [(_name(key), plain(value)) for key, value in overrides.items()]


def read(path: str | os.PathLike[str], most: int = _LONGEST) -> str:
    """The text of a file, which may have so many bytes."""
    try:
        with open(path, "rb") as file:
            text = file.read(most + 1)
        if len(text) > most:
            raise ValueError(f"it has more than {most >> 20} MB; is it the right file?")
        return text.decode()
    except (OSError, ValueError) as error:
        message = f"cannot read {os.fspath(path)}: {error}"
        raise InputError(message, (Fault(None, message),)) from None


def models() -> list[str]:
    """The names of all models."""
    line, plane = _bristle.names()
    return [*line, *plane]


def asked(what: Scenario, overrides: Overrides = None, name: str = "the scenario") -> Asked:
    """A scenario as the library takes it: its name for messages, text or table, what is put over it, its folder."""
    over = flat(overrides)
    folder = ""
    if isinstance(what, str) and "\n" in what:
        return name, what, over, folder
    if isinstance(what, (str, os.PathLike)):
        if isinstance(what, str) and what in models() and not os.path.exists(what):
            return what, {"friction": {"model": what}}, over, folder
        path = Path(what)
        if isinstance(what, str) and not path.suffix and not os.path.exists(what):
            message = f"`{what}` is neither a file nor a model; bristle.models() lists the models, scenarios/ has files"
            raise InputError(message, (Fault(None, message),))
        return os.fspath(what), read(path), over, str(path.parent)
    folder = str(getattr(what, "folder", "") or "")
    table = plain(what)
    if not isinstance(table, dict):
        message = f"{name} must be a path, the text of a file or a dict, not {type(what).__name__}"
        raise InputError(message, (Fault(None, message),))
    return name, table, over, folder


def subject(what: Any, overrides: Overrides = None) -> Any:
    """What a command looks at: a friction element, or a scenario."""
    if isinstance(what, _bristle.Element):
        if not overrides:
            return what
        over = flat(overrides)
        table = {"friction": plain(what)}
        return what.model, table, over, ""
    return asked(what, overrides)


def pasted(value: Any) -> str:
    """A value as it is written in a program."""
    if isinstance(value, os.PathLike):
        return repr(os.fspath(value))
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {pasted(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(pasted, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(pasted, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


def call(name: str, args: Sequence[Any], keys: Mapping[str, Any]) -> str:
    """A call as it is written in a program; keys that are None are left out."""
    given = [pasted(arg) for arg in args]
    given += [f"{key}={pasted(value)}" for key, value in keys.items() if value is not None and value != {}]
    return f"bristle.{name}({', '.join(given)})"
