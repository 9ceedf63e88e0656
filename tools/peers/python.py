"""What the Python package costs, beside the Rust lanes, NumPy, numba and scipy; one table, in the form of docs/performance.md.

    tools/peers/python.sh           sets up what it needs and runs this

Everything takes turns, round after round, so that a busy neighbour hits all alike; a figure is the best of its rounds.
"""

import subprocess
import sys
import time
from math import exp
from pathlib import Path

import numba
import numpy as np
from scipy.integrate import solve_ivp

import bristle

ROOT = Path(__file__).parents[2]
COUNT, H = 4096, 1e-3
ROUNDS, STEPS = 40, 50

k = np.arange(COUNT)
V = ((k * 37) % 101 - 50.0) * 1e-3
LOAD = (k * 13) % 7 + 1.0


class Rust:
    """The lanes of the library by themselves: crates/kernel/examples/batch.rs."""

    def __init__(self, program):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([program, str(COUNT)], **pipes)

    def ask(self, steps):
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def seconds(self, steps):
        return 1e-9 * int(self.ask(steps))

    def forces(self):
        return np.array(self.ask(0).split(), dtype=np.uint64).view(np.float64)


def parameters(friction):
    names = ["sigma0", "sigma1", "law.mu_d", "law.mu_s", "law.v_s", "law.viscous"]
    assert friction["law.exponent"] == 2.0 and friction["scaling"] == "per_load", friction
    return [friction[name] for name in names]


def lugre_in_numpy(friction):
    """A midpoint step of LuGre as it is written in NumPy, without a temporary too many."""
    s0, s1, mu_d, mu_s, v_s, nu = parameters(friction)
    z = np.zeros(COUNT)

    def step(v, load, h):
        nonlocal z
        q = v / v_s
        a = s0 * np.abs(v) / (mu_d + (mu_s - mu_d) * np.exp(-q * q))
        new = ((1.0 - 0.5 * h * a) * z + h * v) / (1.0 + 0.5 * h * a)
        force = load * (s0 * 0.5 * (z + new) + s1 * (new - z) / h + nu * v)
        z = new
        return force

    return step


def lugre_in_numba(friction):
    """The same, compiled: one loop, into an array that is there."""
    s0, s1, mu_d, mu_s, v_s, nu = parameters(friction)

    @numba.njit
    def steps(z, v, load, h, out):
        for i in range(len(z)):
            q = v[i] / v_s
            a = s0 * abs(v[i]) / (mu_d + (mu_s - mu_d) * exp(-q * q))
            new = ((1.0 - 0.5 * h * a) * z[i] + h * v[i]) / (1.0 + 0.5 * h * a)
            out[i] = load[i] * (s0 * 0.5 * (z[i] + new) + s1 * (new - z[i]) / h + nu * v[i])
            z[i] = new

    z, out = np.zeros(COUNT), np.zeros(COUNT)

    def step(v, load, h):
        steps(z, v, load, h, out)
        return out

    return step


def timed(call, count):
    began = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - began) / count


def batches(program):
    frbd, lugre = bristle.Friction("frbd"), bristle.Friction("lugre")
    own, ours = frbd.states(COUNT), lugre.states(COUNT)
    out = np.empty(COUNT)
    rust, in_numpy, in_numba = Rust(program), lugre_in_numpy(lugre), lugre_in_numba(lugre)
    # All do the same.
    for _ in range(3):
        ask, forces = rust.seconds(1), own.step(V, LOAD, H)
        lugres = [f(V, LOAD, H) for f in (ours.step, in_numpy, in_numba)]
    assert np.array_equal(rust.forces(), forces), "the lanes of Rust give other bits"
    assert all(np.allclose(one, lugres[0], rtol=1e-9) for one in lugres), "another LuGre"
    assert ask > 0.0
    tasks = {
        "Rust lanes, frbd": lambda: rust.seconds(STEPS) / STEPS,
        "bristle, frbd": lambda: timed(lambda: own.step(V, LOAD, H), STEPS),
        "bristle, frbd, into an array": lambda: timed(lambda: own.step(V, LOAD, H, out=out), STEPS),
        "bristle, lugre": lambda: timed(lambda: ours.step(V, LOAD, H), STEPS),
        "numba, lugre": lambda: timed(lambda: in_numba(V, LOAD, H), STEPS),
        "NumPy, lugre": lambda: timed(lambda: in_numpy(V, LOAD, H), STEPS),
    }
    best = {name: min(task() for _ in range(3)) for name, task in tasks.items()}
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            best[name] = min(best[name], task())
    print(f"| a step of {COUNT} elements | µs | ns an element | times |\n|---|---:|---:|---:|")
    for name, seconds in best.items():
        to = best["Rust lanes, frbd" if "frbd" in name else "bristle, lugre"]
        print(f"| {name} | {1e6 * seconds:.1f} | {1e9 * seconds / COUNT:.1f} | {seconds / to:.2f} |")


def calls():
    f = bristle.Friction("frbd")
    one = f.states()
    tasks = {
        "`f.steady(v, load)`": lambda: f.steady(0.01, 9.81),
        "`s.step(v, load, h)` of one element": lambda: one.step(0.01, 9.81, H),
        "`abs(v)`, to compare with": lambda: abs(-0.01),
    }
    best = {name: min(timed(task, 20_000) for _ in range(ROUNDS)) for name, task in tasks.items()}
    print("\n| a call with floats | ns |\n|---|---:|")
    for name, seconds in best.items():
        print(f"| {name} | {1e9 * seconds:.0f} |")


def belt():
    """20 s of LuGre on the belt, 002 §4.4, set 2; the error is that of the position at the end."""
    right = next(
        float(row.split(",")[3])
        for row in (ROOT / "data/reference/lugre-or-not/scalars.csv").read_text().splitlines()
        if row.startswith("belt,LuGre,x(20)_m,")
    )
    scenario = (ROOT / "scenarios" / "belt.toml").read_text()
    plain = bristle.run(scenario)
    values = plain.summary["friction"]["parameters"]
    s0, s1 = values["sigma0"], values["sigma1"]
    mu_d, mu_s, v_s, nu = (values[f"law.{name}"] for name in ("mu_d", "mu_s", "v_s", "viscous"))
    mass, k, v_b, load = 1.0, 2.0, 0.1, 9.81
    assert values["scaling"] == "absolute" and values["law.exponent"] == 2.0

    def rhs(t, y):
        x, u, z = y
        v = u - v_b
        q = v / v_s
        dz = v - s0 * abs(v) * z / (load * (mu_d + (mu_s - mu_d) * exp(-q * q)))
        force = s0 * z + s1 * dz + nu * load * v
        return u, (-k * x - force) / mass, dz

    start = [plain[name][0] for name in ("x", "v", "z")]
    size = [1e-3, 1e-3, 1e-6]

    def scipy(method, tol):
        run = solve_ivp(rhs, (0.0, 20.0), start, method=method, rtol=tol, atol=[tol * s for s in size])
        return run.y[0, -1]

    def ours(tol):
        return bristle.run(scenario, {"run.tolerance": tol})["x"][-1]

    tasks = {}
    for tol in (1e-5, 1e-7, 1e-9):
        tasks["bristle.run, recorded, with ledger and check", tol] = lambda tol=tol: ours(tol)
    for method, tols in (("LSODA", (1e-8, 1e-10)), ("Radau", (1e-6, 1e-8)), ("BDF", (1e-8, 1e-10))):
        for tol in tols:
            tasks[f"scipy {method}", tol] = lambda method=method, tol=tol: scipy(method, tol)
    error = {name: abs(task() - right) for name, task in tasks.items()}
    best = {name: float("inf") for name in tasks}
    for _ in range(5):
        for name, task in tasks.items():
            best[name] = min(best[name], timed(task, 20 if "bristle" in name[0] else 1))
    to = best["bristle.run, recorded, with ledger and check", 1e-9]
    print("\n| 20 s of LuGre on a belt | tolerance | error, m | ms | times |\n|---|---:|---:|---:|---:|")
    for (name, tol), seconds in best.items():
        print(f"| {name} | {tol:.0e} | {error[name, tol]:.0e} | {1e3 * seconds:.2f} | {seconds / to:.2f} |")


if __name__ == "__main__":
    batches(sys.argv[1])
    calls()
    belt()
