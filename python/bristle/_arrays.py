"""Arrays in, arrays out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._errors import Fault, InputError

if TYPE_CHECKING:
    from ._bristle import Element


def numbers(name: str, given: ArrayLike) -> NDArray[np.float64]:
    """An array of numbers, or an error that names what is none."""
    try:
        array = np.asarray(given)
        if array.dtype.kind in "fiu":
            return array.astype(np.float64, copy=False)
        if array.dtype.kind == "b":
            raise TypeError("truth values are no numbers")
        # What is not of a kind of its own, such as a list of mixed numbers, may still be numbers.
        if array.dtype.kind == "O":
            return np.array([float(x) for x in array.ravel()]).reshape(array.shape)
        raise TypeError(f"{array.dtype} holds no real numbers")
    except (TypeError, ValueError) as error:
        message = f"{name} must be a number or an array of numbers: {error}"
        raise InputError(message, (Fault(name, message),)) from None


def broadcast(given: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """A contiguous array of that shape."""
    array = numbers("the array", given)
    try:
        return np.ascontiguousarray(np.broadcast_to(array, shape)).reshape(shape)
    except ValueError:
        message = f"an array of shape {array.shape} cannot be broadcast to {shape}"
        raise InputError(message, (Fault(None, message),)) from None


def common(shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that all are broadcast to."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        told = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        message = f"these shapes cannot be broadcast together: {told}"
        raise InputError(message, (Fault(None, message),)) from None


def steady(element: Element, v: ArrayLike, load: ArrayLike, x: ArrayLike) -> Any:
    """The force of steady sliding, broadcast."""
    given = {"v": numbers("v", v), "load": numbers("load", load), "x": numbers("x", x)}
    shapes = {name: array.shape for name, array in given.items()}
    if element.planar:
        if not shapes["v"] or shapes["v"][-1] != 2:
            message = f"`{element.model}` slides in a plane: the last axis of v must have two components"
            raise InputError(message, (Fault("v", message),))
        shapes["v"] = shapes["v"][:-1]
    shape = common(shapes)
    forces = element.steady_at(given["v"], given["load"], given["x"], list(shape))
    return forces if shape or element.planar else float(forces)
