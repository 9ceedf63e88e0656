"""scipy's LSODA on the festoon and on the valve, against the trajectories of the first argument.

Prints rows `solver,problem,model,tolerance,error,seconds`: the error is the greatest of any
position at any sample, against the reference trajectory; the time is the best of several runs.
Right-hand sides are written for speed in plain Python: with 4 to 20 states, floats in local
variables are several times faster than NumPy's short arrays. The festoon is also there in NumPy, as
such models are usually written. Equations and parameters are those of `crates/system` and
`data/params`.
"""

import sys
import time
import tomllib
from math import exp, pi, sin, sqrt
from pathlib import Path

import numpy as np
from scipy.integrate import odeint, solve_ivp

PARAMS = Path(__file__).parents[2] / "data" / "params"
SAMPLE = 0.1
REPEAT = 3

# The tow of the festoon: velocity by straight lines through (s, m/s), position by integration.
COURSE = [
    (0.0, 0.0), (3.0, 0.0), (3.5, 0.5 / 2.88), (5.88, 0.5 / 2.88), (6.38, 0.0), (7.6, 0.0),
    (8.1, -0.5 / 3.435), (11.035, -0.5 / 3.435), (11.535, 0.0), (14.0, 0.0), (15.0, 0.7),
    (18.8, 0.7), (19.0, 0.0), (24.0, 0.0), (1e9, 0.0),
]  # fmt: skip
START = 1.5529


def pieces():
    """(end, start, position, velocity, acceleration) of every piece of the course."""
    x, found = START, []
    for (t0, v0), (t1, v1) in zip(COURSE, COURSE[1:]):
        found.append((t1, t0, x, v0, (v1 - v0) / (t1 - t0)))
        x += 0.5 * (v0 + v1) * (t1 - t0)
    return found


PIECES = pieces()


def parameters(name):
    friction = tomllib.loads((PARAMS / f"{name}.toml").read_text())["friction"]
    law = friction["law"]
    assert law["exponent"] == 2.0 and friction["epsilon"] == 0.0
    return friction, law


def festoon_friction(model):
    """(v, load, states) -> (force, rates of the states); absolute scaling, 002 (15)-(25)."""
    friction, law = parameters("lugre-or-not-festoon")
    s0, s1, vr = friction["sigma0"], friction["sigma1"], friction["v_r"]
    mu_d, mu_s, v_s, nu = law["mu_d"], law["mu_s"], law["v_s"], law["viscous"]
    fall = mu_s - mu_d

    def regularised(v):
        speed = abs(v)
        if speed < vr:
            return mu_s * (v / vr) * (2.0 - speed / vr)
        speed -= vr
        q = speed / v_s
        level = mu_d + fall * exp(-q * q) + nu * speed
        return level if v > 0.0 else -level

    def static(v, load, z):
        return load * regularised(v), ()

    def lugre(v, load, z):
        z = z[0]
        q = v / v_s
        dz = v - s0 * abs(v) * z / (load * (mu_d + fall * exp(-q * q)))
        return s0 * z + s1 * dz + nu * load * v, (dz,)

    mass = s1 * s1 / (4.0 * s0)

    def bristle2(v, load, z):
        z, dz = z
        stick = s0 * z + s1 * v
        spare = 1.0 - abs(stick) / (mu_s * load)
        shift = vr * (1.0 - sqrt(spare)) if spare > 0.0 else vr
        force = load * regularised(v - dz + (shift if stick > 0.0 else -shift if stick < 0.0 else 0.0))
        return force, (dz, (force - s0 * z - s1 * dz) / mass)

    return {"static": (static, 0), "lugre": (lugre, 1), "bristle2": (bristle2, 2)}[model]


def festoon(model):
    """Right-hand side, start, end, indices of the positions, sizes of the states."""
    friction, n = festoon_friction(model)
    g, trolley, cable, length, k, c = 9.81, 0.4426, 1.8, 1.0, 9000.0, 60.0
    short, kb, cb = 0.2, 20_000.0, 100.0

    def rope(x, v, cx, cz, vx, vz):
        dx = cx - x
        l = sqrt(dx * dx + cz * cz)
        nx, nz = dx / l, cz / l
        elastic = k * (l - length)
        if elastic <= 0.0:
            return 0.0, 0.0
        damped = c * (nx * (vx - v) + nz * vz)
        pull = elastic + (damped if -elastic < damped < elastic else elastic if damped > 0.0 else -elastic)
        return pull * nx, pull * nz

    def buffer(spacing, rate):
        if spacing >= short:
            return 0.0
        elastic = kb * (short - spacing)
        return elastic + max(-elastic, min(elastic, -cb * rate))

    def rhs(t, y):
        y = y.tolist()
        x1, v1, x2, v2, a, az, va, vaz, b, bz, vb, vbz, d, dz, vd, vdz = y[:16]
        for end, t0, x3, v3, slope in PIECES:
            if t < end:
                break
        s = t - t0
        x3 += s * (v3 + 0.5 * slope * s)
        v3 += slope * s
        ax0, az0 = rope(0.0, 0.0, a, az, va, vaz)
        ax1, az1 = rope(x1, v1, a, az, va, vaz)
        bx1, bz1 = rope(x1, v1, b, bz, vb, vbz)
        bx2, bz2 = rope(x2, v2, b, bz, vb, vbz)
        dx2, dz2 = rope(x2, v2, d, dz, vd, vdz)
        dx3, dz3 = rope(x3, v3, d, dz, vd, vdz)
        f1, r1 = friction(v1, az1 + bz1 + trolley * g, y[16 : 16 + n])
        f2, r2 = friction(v2, bz2 + dz2 + trolley * g, y[16 + n :])
        p1, p2, p3 = buffer(x1, v1), buffer(x2 - x1, v2 - v1), buffer(x3 - x2, v3 - v2)
        return (
            v1, (ax1 + bx1 + p1 - p2 - f1) / trolley,
            v2, (bx2 + dx2 + p2 - p3 - f2) / trolley,
            va, vaz, -(ax0 + ax1) / cable, g - (az0 + az1) / cable,
            vb, vbz, -(bx1 + bx2) / cable, g - (bz1 + bz2) / cable,
            vd, vdz, -(dx2 + dx3) / cable, g - (dz2 + dz3) / cable,
            *r1, *r2,
        )  # fmt: skip

    third = START / 3.0
    lo, hi = 0.0, 2.0 * length
    for _ in range(200):
        z = 0.5 * (lo + hi)
        l = sqrt(0.25 * third * third + z * z)
        lo, hi = (z, hi) if 2.0 * k * (l - length) * z / l < cable * g else (lo, z)
    y0 = np.zeros(16 + 2 * n)
    y0[0], y0[2] = third, 2.0 * third
    for j in range(3):
        y0[4 + 4 * j], y0[5 + 4 * j] = (j + 0.5) * third, hi
    sizes = np.array([1e-2] * 16 + [1e-6, 1e-2][:n] * 2)
    return rhs, y0, 24.0, [0, 2, 4, 5, 8, 9, 12, 13], sizes


def festoon_in_arrays(model):
    """The same festoon on arrays: trolleys, cables and ropes at once."""
    friction, law = parameters("lugre-or-not-festoon")
    s0, s1, vr = friction["sigma0"], friction["sigma1"], friction["v_r"]
    mu_d, mu_s, v_s, nu = law["mu_d"], law["mu_s"], law["v_s"], law["viscous"]
    _, y0, end, positions, sizes = festoon(model)
    g, trolley, cable, length, k, c = 9.81, 0.4426, 1.8, 1.0, 9000.0, 60.0
    short, kb, cb = 0.2, 20_000.0, 100.0
    bristle_mass = s1**2 / (4.0 * s0)
    until, since, at, speed, slope = np.array(PIECES).T

    def regularised(v):
        u = np.abs(v)
        beyond = np.maximum(u - vr, 0.0)
        sliding = mu_d + (mu_s - mu_d) * np.exp(-((beyond / v_s) ** 2)) + nu * beyond
        return np.sign(v) * np.where(u < vr, mu_s * (u / vr) * (2.0 - u / vr), sliding)

    def force(v, load, z):
        if model == "static":
            return load * regularised(v), []
        if model == "lugre":
            dz = v - s0 * np.abs(v) * z / (load * (mu_d + (mu_s - mu_d) * np.exp(-((v / v_s) ** 2))))
            return s0 * z + s1 * dz + nu * load * v, dz
        z, dz = z.reshape(2, 2).T
        stick = s0 * z + s1 * v
        shift = vr * (1.0 - np.sqrt(np.maximum(1.0 - np.abs(stick) / (mu_s * load), 0.0)))
        f = load * regularised(v - dz + np.sign(stick) * shift)
        return f, np.column_stack((dz, (f - s0 * z - s1 * dz) / bristle_mass)).ravel()

    def rhs(t, y):
        piece = np.searchsorted(until, t, side="right")
        s = t - since[piece]
        tow = at[piece] + s * (speed[piece] + 0.5 * slope[piece] * s)
        x = np.array([0.0, y[0], y[2], tow])
        v = np.array([0.0, y[1], y[3], speed[piece] + slope[piece] * s])
        cx, cz, vx, vz = y[4:16].reshape(3, 4).T
        # Ropes from each cable to the rail on its left and on its right.
        dx = np.array([cx - x[:3], cx - x[1:]])
        l = np.hypot(dx, cz)
        nx, nz = dx / l, cz / l
        elastic = np.maximum(k * (l - length), 0.0)
        rate = nx * np.array([vx - v[:3], vx - v[1:]]) + nz * vz
        pull = elastic + np.clip(c * rate, -elastic, elastic)
        px, pz = pull * nx, pull * nz
        squeezed = np.maximum(kb * (short - np.diff(x)), 0.0)
        push = squeezed + np.clip(-cb * np.diff(v), -squeezed, squeezed)
        load = pz[1, :2] + pz[0, 1:] + trolley * g
        f, dz = force(v[1:3], load, y[16:])
        dy = np.empty_like(y)
        dy[0:4:2] = v[1:3]
        dy[1:4:2] = (px[1, :2] + px[0, 1:] + push[:2] - push[1:] - f) / trolley
        dy[4:16] = np.column_stack((vx, vz, -px.sum(0) / cable, g - pz.sum(0) / cable)).ravel()
        dy[16:] = dz
        return dy

    return rhs, y0, end, positions, sizes


def valve(model):
    """000 (61), Test 2: a sinusoidal input, load 1 N."""
    friction, law = parameters("frbd-table-3")
    s0, s1 = friction["sigma0"], friction["sigma1"]
    mu_d, mu_s, v_s, nu = law["mu_d"], law["mu_s"], law["v_s"], law["viscous"]
    fall = mu_s - mu_d
    m, area, k, preload, gain, least, lag = 1.6, 445e-4, 203_495.8, 2578.3, 1666.49, 41_276.40, 0.425
    omega = 2.0 * pi / 20.0

    def frbd(v, z):
        q = v / v_s
        mu = mu_d + fall * exp(-q * q) + nu * abs(v)
        speed = abs(v)
        dz = (v - s0 * speed * z / mu) / (1.0 + s1 * speed / mu)
        return s0 * z + s1 * dz, dz

    def lugre(v, z):
        q = v / v_s
        dz = v - s0 * abs(v) * z / (mu_d + fall * exp(-q * q))
        return s0 * z + s1 * dz + nu * v, dz

    friction = {"frbd": frbd, "lugre": lugre}[model]

    def rhs(t, y):
        x, v, p, z = y.tolist()
        force, dz = friction(v, z)
        opening = 50.0 + 30.0 * sin(omega * t)
        return (
            v,
            (area * p - k * x - preload - force) / m,
            (gain * opening + least - p) / lag,
            dz,
        )

    p = gain * 50.0 + least
    y0 = np.array([(area * p - preload) / k, 0.0, p, 0.0])
    return rhs, y0, 60.0, [0], np.array([1e-4, 1e-5, 1e3, 1e-7])


def by_solve_ivp(rhs, y0, samples, rtol, atol):
    run = solve_ivp(rhs, (0.0, samples[-1]), y0, method="LSODA", t_eval=samples, rtol=rtol, atol=atol)
    assert run.success, run.message
    return run.y.T


def by_odeint(rhs, y0, samples, rtol, atol):
    times = np.concatenate(([0.0], samples))
    return odeint(rhs, y0, times, rtol=rtol, atol=atol, tfirst=True, mxstep=10**7)[1:]


def rows(name, model, problem, folder, tolerances, form="plain"):
    rhs, y0, end, positions, sizes = problem
    samples = np.minimum(SAMPLE * np.arange(1, round(end / SAMPLE) + 1), end)
    reference = np.loadtxt(folder / f"{name}-{model}.csv", delimiter=",", ndmin=2)
    for label, call in (("solve_ivp", by_solve_ivp), ("odeint", by_odeint)):
        for kind in ("one atol", "atol by unit"):
            for rtol in tolerances:
                atol = rtol if kind == "one atol" else rtol * sizes
                best = np.inf
                # Runs of seconds vary little, and there are many of them.
                for _ in range(1 if form == "NumPy" else REPEAT):
                    start = time.process_time()
                    y = call(rhs, y0, samples, rtol, atol)
                    best = min(best, time.process_time() - start)
                error = np.abs(y[:, positions] - reference).max()
                print(f"LSODA {form} {label} {kind},{name},{model},{rtol:.1e},{error:.2e},{best:.4e}", flush=True)


def main():
    folder = Path(sys.argv[1])
    for model in ("static", "lugre", "bristle2"):
        rows("festoon", model, festoon(model), folder, [1e-7, 1e-8, 1e-9, 1e-10])
        rows("festoon", model, festoon_in_arrays(model), folder, [1e-8, 1e-9], "NumPy")
    for model in ("frbd", "lugre"):
        rows("valve", model, valve(model), folder, [1e-8, 1e-9, 1e-10, 1e-11])


if __name__ == "__main__":
    main()
