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


def pendulum(path, seed):
    """A geared pendulum under a voltage that is held: J q'' = g u - k q' - G sin q - F, FrBD with the level
    base + |c_m tau_m - c_e tau_e| + viscous |q'|, by steps of 10 microseconds of Runge and Kutta."""
    inertia, gravity, gain, back_emf = 6e-3, 0.5, 0.2, 0.05
    sigma0, sigma1, base, motor, external, viscous = 30.0, 0.05, 0.03, 0.1, 0.15, 0.01
    noise = random.Random(seed)
    state = [0.0, 0.0, 0.0]

    def rates(y, u):
        q, v, z = y
        tau_m, tau_e = gain * u - back_emf * v, -gravity * math.sin(q)
        mu = base + abs(motor * tau_m - external * tau_e) + viscous * abs(v)
        rate = (mu * v - sigma0 * abs(v) * z) / (sigma1 * abs(v) + mu)
        return v, (tau_m + tau_e - sigma0 * z - sigma1 * rate) / inertia, rate

    h = 1e-5
    moved = lambda y, d, h: [a + h * b for a, b in zip(y, d)]
    with open(path, "w") as out:
        out.write("t [s],u [V],q [rad]\n")
        for k in range(1001):
            t = 5e-3 * k
            u = 2.5 * math.sin(math.tau * 0.4 * t) + 1.5 * math.sin(math.tau * 1.3 * t) * min(t / 2, 1)
            u = round(u, 4)
            out.write(f"{t:.3f},{u:.4f},{state[0] + noise.gauss(0, 5e-4):.5f}\n")
            for _ in range(500):
                a = rates(state, u)
                b = rates(moved(state, a, h / 2), u)
                c = rates(moved(state, b, h / 2), u)
                d = rates(moved(state, c, h), u)
                state = [s + h / 6 * (i + 2 * (j + k) + l) for s, i, j, k, l in zip(state, a, b, c, d)]


pendulum("data/logs/pendulum.csv", seed=3)
