"""scipy's LSODA and Radau on the servo axis, against the positions in the first argument.

Prints rows `solver,tolerance,error,seconds`; then, of all rows of the second argument and its own, for each solver the
fastest at the coarsest tolerance from which on every finer one keeps the error of the third argument too. The right-hand
side is in plain Python numbers, which is faster than NumPy with three states.
"""

import sys
import time
from math import cos, exp, pi, sin
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

A, B = 2.0 * pi * 0.3, 2.0 * pi * 1.9


def rates(t, y):
    x, v, z = y.tolist()
    r = 0.05 * sin(A * t) + 0.006 * sin(B * t)
    dr = 0.05 * A * cos(A * t) + 0.006 * B * cos(B * t)
    u = max(-150.0, min(150.0, 3e4 * (r - x) + 2e3 * (dr - v)))
    q = v / 0.005
    dz = v - 1e4 * abs(v) * z / (0.102 + 0.028 * exp(-q * q))
    return (v, (u - 203.5 * v - 200.0 * (1e4 * z + 50.0 * dz)) / 95.1, dz)


def main():
    reference = np.loadtxt(sys.argv[1])
    rows = [line.split(",") for line in Path(sys.argv[2]).read_text().splitlines()]
    samples = np.linspace(0.1, 10.0, len(reference))
    for method, finest in (("LSODA", 22), ("Radau", 16)):
        for kind in ("one atol", "atol by unit"):
            for k in range(8, finest + 1, 2):
                rtol = 10.0 ** (-0.5 * k)
                atol = rtol if kind == "one atol" else rtol * np.array([1.0, 1.0, 1e-5])
                start = time.process_time()
                run = solve_ivp(
                    rates, (0.0, 10.0), np.zeros(3), method=method, t_eval=samples, rtol=rtol, atol=atol
                )
                seconds = time.process_time() - start
                error = np.abs(run.y[0] - reference).max() if run.success else float("nan")
                rows.append([f"{method} {kind}", f"{rtol:.1e}", f"{error:.2e}", f"{seconds:.4e}"])
    for row in rows:
        print(",".join(row))
    allowed, best = float(sys.argv[3]), {}
    for name in dict.fromkeys(row[0] for row in rows):
        for row in reversed([row for row in rows if row[0] == name]):
            # From the finest on, as long as the error is kept.
            if not float(row[2]) <= allowed:
                break
            best[name] = row
    ours = float(best["bristle"][3])
    print(f"\nerror of the position at most {allowed:g} m")
    for name, (_, rtol, error, seconds) in best.items():
        print(f"{name:20} {rtol:>8} {error:>9} m {1e3 * float(seconds):10.3f} ms {float(seconds) / ours:8.1f} times ours")


if __name__ == "__main__":
    main()
