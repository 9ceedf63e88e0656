"""Logs of a friction element with known parameters, for the chapter on fits and its tests.

    python tools/reference/fit_logs.py

LuGre per unit load, 000 (7): z' = v - sigma0 |v| z/g(v), F = N (sigma0 z + sigma1 z' + viscous v), by the exact step at
the middle velocity of 10 microseconds. Position: quantum 0.1 um. Load: 50 N, noise 0.1 N. Force: noise 0.3 N.
"""
import math
import random

SIGMA0, SIGMA1, MU_D, MU_S, V_S, VISCOUS = 2.0e4, 60.0, 0.25, 0.38, 0.01, 0.5
LOAD, RATE, SUBSTEPS = 50.0, 500, 200


def log(path, end, position, velocity, seed):
    noise = random.Random(seed)
    z, h = 0.0, 1.0 / RATE / SUBSTEPS
    level = lambda v: MU_D + (MU_S - MU_D) * math.exp(-((v / V_S) ** 2))
    with open(path, "w") as out:
        out.write("t [s],x [mm],N [N],F [N]\n")
        for k in range(int(end * RATE) + 1):
            t = k / RATE
            v = velocity(t)
            rate = v - SIGMA0 * abs(v) * z / level(v)
            force = LOAD * (SIGMA0 * z + SIGMA1 * rate + VISCOUS * v) + noise.gauss(0, 0.3)
            x = round(position(t) / 1e-7) * 1e-4
            out.write(f"{t:.3f},{x:.4f},{LOAD + noise.gauss(0, 0.1):.3f},{force:.3f}\n")
            for i in range(SUBSTEPS):
                v = velocity(t + (i + 0.5) * h)
                a = SIGMA0 * abs(v) / level(v)
                z = z * math.exp(-a * h) + v * (-math.expm1(-a * h) / a if a > 1e-9 else h)


def motion(parts):
    """A sum of sines, each with amplitude, frequency and the time over which it swells from the moment it begins."""
    def position(t):
        return sum(a * swell(t, b, r) * math.sin(math.tau * f * (t - b)) for a, f, b, r in parts)

    def velocity(t):
        d = 1e-7
        return (position(t + d) - position(t - d)) / (2 * d)

    def swell(t, b, r):
        s = min(max((t - b) / r, 0.0), 1.0)
        return s * s * (3 - 2 * s)

    return position, velocity


# Pre-sliding that grows, then strokes that slide.
log("data/logs/slide.csv", 5.0, *motion([(1.5e-5, 4.0, 0.0, 2.0), (8e-3, 0.7, 2.0, 1.0), (2e-4, 9.0, 2.5, 0.5)]), seed=1)
log("data/logs/slide-2.csv", 3.0, *motion([(1e-5, 6.0, 0.0, 1.0), (5e-3, 1.1, 1.0, 0.5)]), seed=2)
