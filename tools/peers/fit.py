"""Fits with scipy and numba, beside ours, in one run.

    tools/peers/fit.py LOGS FOLDER

LOGS holds `p1.csv` (an element: t, x, N, F) and `p2.csv` (an axis: t, u, x), FOLDER is for results. The element is
simulated as `bristle fit` does it, by the exact exponential step at the mean velocity of a sample, with its analytic
Jacobian; and by scipy's LSODA. The axis takes 20 midpoint substeps to a sample, differentiated by two-point differences.
Each of them and ours begin at the same values, 30 % off; CPU time counts, compilation does not.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from numba import njit
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares
from scipy.signal import savgol_filter

SIX = {"sigma0": 3.1e4, "sigma1": 38.0, "mu_d": 0.38, "mu_s": 0.56, "v_s": 0.0084, "viscous": 0.46}
NINE = {
    "mass": 65.0, "viscous": 240.0, "mu_d": 28.0, "mu_s": 36.0, "v_s": 0.0084,
    "sigma0": 1.33e6, "sigma1": 4160.0, "offset": -1.9, "delay": 0.0014,
}


@njit
def element(p, dt, x, v, load, jacobian):
    """Force and its derivatives, by the step at the mean velocity of each sample."""
    s0, s1, mu_d, mu_s, v_s, viscous = p
    n = len(x)
    out, slope = np.empty(n), np.zeros((n, 6))
    z, dz = 0.0, np.zeros(6)
    for k in range(n):
        if k > 0:
            w = (x[k] - x[k - 1]) / dt
            q = (w / v_s) ** 2
            e = np.exp(-q)
            g = mu_d + (mu_s - mu_d) * e
            a = s0 * abs(w) / g
            ends = g / s0 * np.sign(w)
            decay = np.exp(-a * dt)
            if jacobian:
                dg = np.array([0.0, 0.0, 1.0 - e, e, (mu_s - mu_d) * e * 2.0 * q / v_s, 0.0])
                for i in range(6):
                    da = (abs(w) / g if i == 0 else 0.0) - a / g * dg[i]
                    dend = np.sign(w) * (dg[i] / s0 - (g / s0**2 if i == 0 else 0.0))
                    dz[i] = dend * (1.0 - decay) + dz[i] * decay - (z - ends) * decay * dt * da
            z = ends + (z - ends) * decay
        q = (v[k] / v_s) ** 2
        e = np.exp(-q)
        g = mu_d + (mu_s - mu_d) * e
        a = s0 * abs(v[k]) / g
        rate = v[k] - a * z
        out[k] = load[k] * (s0 * z + s1 * rate + viscous * v[k])
        if jacobian:
            dg = np.array([0.0, 0.0, 1.0 - e, e, (mu_s - mu_d) * e * 2.0 * q / v_s, 0.0])
            for i in range(6):
                da = (abs(v[k]) / g if i == 0 else 0.0) - a / g * dg[i]
                drate = -da * z - a * dz[i]
                own = z if i == 0 else rate if i == 1 else v[k] if i == 5 else 0.0
                slope[k, i] = load[k] * (s0 * dz[i] + s1 * drate + own)
    return out, slope


@njit
def axis(p, dt, u):
    """Positions of a body under a held force that comes late, by midpoint substeps."""
    mass, fv, fc, fs, v_s, s0, s1, offset, delay = p
    n, parts = len(u), 20
    out = np.empty(n)
    h = dt / parts
    x, v, z = 0.0, 0.0, offset / s0
    for k in range(n):
        out[k] = x
        for i in range(parts):
            at = k * dt + (i + 0.5) * h - delay
            force = offset + (u[int(at / dt)] if at >= 0.0 else 0.0)
            m, zm = v, z
            for _ in range(4):
                a = s0 * abs(m) / (fc + (fs - fc) * np.exp(-((m / v_s) ** 2)))
                # The midpoint rule, solved for z and linearised in v.
                zm = (z + 0.5 * h * m) / (1.0 + 0.5 * h * a)
                rate = m - a * zm
                stiff = fv + s1 + 0.5 * h * s0
                rest = s0 * zm + s1 * rate + fv * m
                m = m + (v + 0.5 * h / mass * (force - rest) - m) / (1.0 + 0.5 * h / mass * stiff)
            a = s0 * abs(m) / (fc + (fs - fc) * np.exp(-((m / v_s) ** 2)))
            zm = (z + 0.5 * h * m) / (1.0 + 0.5 * h * a)
            x, v, z = x + h * m, 2.0 * m - v, 2.0 * zm - z
    return out


def timed(run):
    """The least CPU time of up to five runs, as ours is, or of one that is long."""
    best, spent = float("inf"), 0.0
    for _ in range(5):
        start = time.process_time()
        result = run()
        best, spent = min(best, time.process_time() - start), spent + time.process_time() - start
        if spent > 2.0:
            break
    return best, result


def ours(kind, path, starts, folder, system):
    # One search from the same values: no random starts, plain squares, no intervals.
    free = "".join(f"{name} = {{ start = {value} }}\n" for name, value in starts.items())
    text = f'[[log]]\nfile = "{path.resolve()}"\n{system}[free]\n{free}'
    text += "[fit]\nstarts = 0\nrobust = false\ncorrelated = false\nprofile = false\n"
    file = folder / f"{kind}.toml"
    file.write_text(text)
    root = Path(__file__).resolve().parents[2]
    command = "cargo run -q --release -p bristle-fit --example timing --manifest-path".split()
    done = subprocess.run(command + [root / "Cargo.toml", "--", file], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main():
    logs, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    rows = []

    def row(log, name, seconds, rms):
        rows.append((log, name, seconds, rms))
        print(f"{log} {name:45} {seconds:9.3f} s CPU, rms {rms:.4g}", flush=True)

    table = np.genfromtxt(logs / "p1.csv", delimiter=",", names=True)
    t, x, load, force = (table[table.dtype.names[i]] for i in (0, 1, 3, 4))
    dt = t[1] - t[0]
    load = savgol_filter(load, 101, 1)
    xs, vs = savgol_filter(x, 11, 3), savgol_filter(x, 11, 3, deriv=1, delta=dt)
    start = np.array(list(SIX.values()))
    found = ours("p1", logs / "p1.csv", SIX, folder, '[friction]\nmodel = "lugre"\n')
    row("p1", "bristle", found["cpu"], found["rms"])
    residual = lambda p: element(p, dt, xs, vs, load, False)[0] - force
    slopes = lambda p: element(p, dt, xs, vs, load, True)[1]
    residual(start), slopes(start)
    options = dict(x_scale=start, bounds=(1e-6 * start, 1e3 * start))
    seconds, fit = timed(lambda: least_squares(residual, start, slopes, **options))
    row("p1", "numba, exact step, analytic Jacobian", seconds, np.sqrt(np.mean(fit.fun**2)))
    seconds, fit = timed(lambda: least_squares(residual, start, **options))
    row("p1", "numba, exact step, two-point differences", seconds, np.sqrt(np.mean(fit.fun**2)))

    def lsoda(p):
        s0, s1, mu_d, mu_s, v_s, viscous = p
        g = lambda v: mu_d + (mu_s - mu_d) * np.exp(-((v / v_s) ** 2))
        def rate(s, z):
            v = np.interp(s, t, vs)
            return v - s0 * abs(v) / g(v) * z
        z = solve_ivp(rate, (t[0], t[-1]), [0.0], "LSODA", t, rtol=1e-6, atol=1e-11, max_step=0.01).y[0]
        return load * (s0 * z + s1 * (vs - s0 * abs(vs) / g(vs) * z) + viscous * vs) - force

    seconds, fit = timed(lambda: least_squares(lsoda, start, diff_step=1e-4, **options))
    row("p1", "solve_ivp LSODA, differences of 1e-4", seconds, np.sqrt(np.mean(fit.fun**2)))

    table = np.genfromtxt(logs / "p2.csv", delimiter=",", names=True)
    t, u, x = (table[table.dtype.names[i]] for i in (0, 2, 3))
    dt = t[1] - t[0]
    start = np.array(list(NINE.values()))
    system = '[system]\nkind = "axis"\n[friction]\nmodel = "lugre"\nscaling = "absolute"\n'
    found = ours("p2", logs / "p2.csv", NINE, folder, system)
    row("p2", "bristle", found["cpu"], found["rms"])
    residual = lambda p: 1e6 * (axis(p, dt, u) - x)
    residual(start)
    low, high = 0.01 * start, 100.0 * start
    low[7], high[7], low[8], high[8] = -100.0, 100.0, 0.0, 0.02
    options = dict(x_scale=np.abs(start), bounds=(low, high), diff_step=1e-4, max_nfev=200)
    seconds, fit = timed(lambda: least_squares(residual, start, **options))
    row("p2", "numba, two-point differences", seconds, 1e-6 * np.sqrt(np.mean(fit.fun**2)))

    print("\n| log | program | CPU, s | rms | times ours |\n|---|---|---:|---:|---:|")
    own = {log: seconds for log, name, seconds, _ in rows if name == "bristle"}
    for log, name, seconds, rms in rows:
        print(f"| {log} | {name} | {seconds:.3f} | {rms:.4g} | {seconds / own[log]:.1f} |")


if __name__ == "__main__":
    main()
