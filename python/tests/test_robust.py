"""Garbage in gets an exception, never an abort, and never a mistake of the library itself."""

import math
import os
import random

import numpy as np
import pytest

import bristle

CALLS = int(os.environ.get("BRISTLE_CALLS", 10_000))
REFUSED = (ValueError, TypeError, KeyError, OverflowError, MemoryError, IndexError)


class Odd:
    """Raises whatever it is asked."""

    def __float__(self):
        raise ZeroDivisionError("odd")

    def __len__(self):
        return -1

    def __iter__(self):
        return self


class Same:
    """A dict that holds itself."""

    def __new__(cls):
        own: dict = {}
        own["friction"] = own
        return own


def garbage(rng: random.Random, depth: int = 0):
    """Something, seldom what is asked for."""
    kinds = [
        lambda: None,
        lambda: rng.choice([True, False]),
        lambda: rng.choice([0, -1, 1, 7, 2**31, -(2**63), 2**64, 10**400]),
        lambda: rng.choice([0.0, -0.0, 1e-320, 1e308, -1e308, math.inf, -math.inf, math.nan, 0.1, -3.5]),
        lambda: rng.choice(["", "frbd", "lugre", "implicit", "\x00", "é" * 300, "midpoint", "a\nb", "x = [", "[run]\nend=1"]),
        lambda: b"bytes",
        lambda: np.array(rng.choice([[], [1.0], [[1.0, 2.0]], [math.nan], ["a"], [1j], [True]])),
        lambda: np.zeros((2, 0, 3)),
        lambda: np.arange(6.0).reshape(2, 3)[:, ::-1],
        lambda: np.float32(rng.random()),
        lambda: object(),
        lambda: rng.random,
        lambda: Odd(),
        lambda: Same(),
        lambda: bristle.Friction("dahl"),
        lambda: bristle.Friction,
        lambda: 1j,
        lambda: {rng.choice(["friction", "system", "run", "model", "end", "", "law", 3]): garbage(rng, depth + 1)},
        lambda: [garbage(rng, depth + 1) for _ in range(rng.randrange(3))],
        lambda: (garbage(rng, depth + 1),),
        lambda: {"friction.model": garbage(rng, depth + 1)},
        lambda: {"system": {"model": "belt"}, "friction": {"model": "frbd"}, "run": {"end": garbage(rng, 9)}},
    ]  # fmt: skip
    return rng.choice(kinds[:17] if depth > 3 else kinds)()


def keys(rng: random.Random) -> dict:
    names = ["load", "at", "amplitude", "frequency", "x", "shape", "update", "out", "force", "vary", "overrides",
             "sigma0", "law", "set", "matrix", "epsilon", "n", "m", "pressure", "friction", "accuracy", "sigma_x",
             "phi1", "model", "table", "length", "slip", "body", "contact", "run", "free", "export", "progress",
             "output", "frequencies", "lowest", "tolerance", "end", "initial", "units", "small", "spacing"]  # fmt: skip
    return {rng.choice(names): garbage(rng) for _ in range(rng.randrange(3))}


def functions(rng: random.Random) -> list:
    f, s = bristle.Friction("frbd"), bristle.Friction("implicit").states(3)
    plane, rough = bristle.Friction("frbd_planar"), bristle.Patch(accuracy=0.1, transient={"step": 0.1})
    return [
        bristle.Friction, f.steady, f.states, f.replace, s.step, s.restore, plane.steady, plane.states(2).step,
        bristle.audit, bristle.linearize, bristle.loop, bristle.cycle, bristle.map, lambda *a, **k: bristle.compare(list(a), **k), bristle.models,
        bristle.schema, bristle.run, bristle.runs, bristle.simulate, bristle.Patch, rough.steady,
        rough.transient, bristle.Patch.cases, bristle.Line, bristle.Machine, bristle.Machine().add,
        bristle.Machine().run, bristle.fit, bristle.Fit, lambda *a, **k: bristle.Fit(*a, **k).run(),
        lambda *a, **k: bristle.Friction("lugre", *a, **k), lambda *a, **k: bristle.Machine(**k).run(*a),
        lambda *a, **k: setattr(s, "z", a[0]), lambda *a, **k: bristle.Friction(rng.choice(NAMES), **k).states(2).step(*a),
        lambda *a, **k: bristle.papers(*map(str, a[:1] or ["no"])),
    ]  # fmt: skip


NAMES = ["frbd", "lugre", "gms", "frbd_gm", "implicit", "bristle2", "rotating", "transmission", "frbd_planar"]


def test_garbage_gets_an_exception():
    rng = random.Random(20260918)
    all_of_them = functions(rng)
    refused = 0
    for k in range(CALLS):
        function = rng.choice(all_of_them)
        args = [garbage(rng) for _ in range(rng.randrange(4))]
        given = keys(rng)
        given.pop("tolerance" if k % 2 else "", None)
        try:
            with np.errstate(all="ignore"):
                function(*args, **given)
        except REFUSED:
            refused += 1
        except ZeroDivisionError as error:
            # What an object of the user raises comes through.
            assert "odd" in str(error)
            refused += 1
        except AttributeError as error:
            pytest.fail(f"{function} {args} {given}: {error}")
    assert refused > CALLS // 2


def test_what_has_no_end_has_one():
    own: dict = {}
    own["system"] = own
    with pytest.raises(bristle.InputError, match="deeper"):
        bristle.run(own)
    deep: list = []
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises((bristle.InputError, RecursionError)):
        bristle.run({"run": {"end": deep}})
    with pytest.raises(bristle.InputError, match="neither|cannot read|MB"):
        bristle.run("/dev/zero")
    with pytest.raises((MemoryError, bristle.InputError, ValueError, OverflowError)):
        bristle.Friction("frbd").states(10**15)
    with pytest.raises((MemoryError, ValueError, OverflowError)):
        bristle.Friction("frbd").states((2**40, 2**40))


def test_numbers_that_are_none_stay_none():
    f = bristle.Friction("frbd")
    assert math.isnan(f.steady(math.nan))
    assert np.isnan(f.steady([math.nan, 0.1])).tolist() == [True, False]
    for model in NAMES[:-1]:
        s = bristle.Friction(model).states(5)
        s.step([math.nan, math.inf, -math.inf, 1e308, 0.1], [1.0, 1.0, math.nan, 1e308, -1.0], 1e-3)
