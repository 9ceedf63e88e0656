"""The drift map of `scenarios/sweeps/drift.toml` by scipy and multiprocessing: what a sweep is measured against.

    pip install scipy
    python tools/peers/sweep.py 35 results/sweep-drift/sweep.csv

computes every seventh row of the map (of 35 × 35), says how long a run takes on as many processes as there are cores, and how far the
drift is from that of the sweep.
"""

import csv
import math
import multiprocessing
import os
import sys
import time

from scipy.integrate import solve_ivp

MASS, LOAD, SIGMA0 = 1.0, 9.81, 3.9e4
MU_D, MU_S, V_S = 0.3, 0.6, 0.01
ON, PERIOD, END = 0.1, 0.2, 0.4
# As strict as the run's 1e-9: relative, and absolute by the size of position, velocity and bristle.
RTOL, ATOL = 1e-9, [1e-12, 1e-12, 1e-14]


def drift(point: tuple[float, float]) -> float:
    """Where LuGre has let the mass creep after two pulses, m."""
    sigma1, force = point

    def rates(t: float, y: list[float], on: bool) -> list[float]:
        _, v, z = y
        level = LOAD * (MU_D + (MU_S - MU_D) * math.exp(-abs(v) / V_S))
        dz = v - SIGMA0 * abs(v) / level * z
        return [v, ((force if on else 0.0) - SIGMA0 * z - sigma1 * dz) / MASS, dz]

    y = [0.0, 0.0, 0.0]
    # From switch to switch: no step runs over one.
    for k in range(round(2 * END / PERIOD)):
        start = k * ON
        found = solve_ivp(rates, (start, start + ON), y, "LSODA", args=(k % 2 == 0,), rtol=RTOL, atol=ATOL)
        y = [row[-1] for row in found.y]
    return y[0]


if __name__ == "__main__":
    with open(sys.argv[2]) as file:
        rows = list(csv.reader(file))[1 :: int(sys.argv[1]) // 5]
    points = [(float(row[1]), float(row[2])) for row in rows]
    began = time.perf_counter()
    with multiprocessing.Pool(os.cpu_count()) as pool:
        found = pool.map(drift, points)
    each = (time.perf_counter() - began) / len(points)
    off = max(abs(x - float(row[3]) / 1e3) for x, row in zip(found, rows))
    print(f"{len(points)} runs, {1e3 * each:.2f} ms a run on {os.cpu_count()} processes; at most {off:.1e} m from the sweep")
