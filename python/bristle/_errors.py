"""What goes wrong, with everything that is wrong at once."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with what was given."""

    key: str | None
    """The key that it is about: ``friction.law.mu_s``."""
    message: str
    """What is wrong, with value, unit and allowed range, and what to do."""
    line: int | None = None
    """The line of the file, from 1."""
    column: int | None = None
    """The column of the file, from 1."""
    value: float | None = None
    """The number found, where it is one that is out of its range."""
    unit: str | None = None
    """Its unit."""
    allowed: str | None = None
    """What is allowed: ``[0, inf)``."""

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        return place + self.message


class Error(ValueError):
    """Why there is no result."""

    def __init__(self, message: str, faults: tuple[Fault, ...] = ()):
        super().__init__(message)
        self.faults = faults

    def __reduce__(self) -> tuple[type[Error], tuple[str, tuple[Fault, ...]]]:
        return type(self), (str(self), self.faults)


class InputError(Error):
    """What was given makes no sense. ``faults`` has everything that is wrong with it."""


class RunError(Error):
    """The computation came to no end, or its energy does not balance."""


def _said(message: str) -> str:
    """A message in the words of Python: what the command line calls ``--set key=value`` is put over a file here."""
    message = message.replace("--set ", "").replace("--force", "force=True")
    message = re.sub(r"`bristle ([a-z]+)`", r"`bristle.\1()`", message)
    message = message.replace("`bristle.patch() steady`", "`bristle.Patch.steady()`")
    return re.sub(r"--([a-z]+)", r"\1", message)


_Row = tuple[str | None, str, int | None, int | None, float | None, str | None, str | None]


def input_error(subject: str, rows: list[_Row]) -> InputError:
    """The exception for what makes no sense."""
    faults = tuple(Fault(row[0], _said(row[1]), *row[2:]) for row in rows)
    if len(faults) == 1 and faults[0].line is None:
        return InputError(f"{subject}: {faults[0]}" if subject else str(faults[0]), faults)
    lines = "".join(f"\n  {fault}" for fault in faults)
    return InputError(f"{subject}:{lines}" if subject else lines.strip(), faults)


def run_error(subject: str, message: str) -> RunError:
    """The exception for what came to no end."""
    message = _said(message)
    text = f"{subject}: {message}" if subject else message
    return RunError(text, (Fault(None, message),))
