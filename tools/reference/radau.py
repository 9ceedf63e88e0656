"""Prints the coefficients of crates/ode/src/radau/coefficients.rs: Radau IIA with 3 and 5 stages, to 21 digits.

It needs mpmath and works with 60 digits. The nodes are the zeros of d^(s-1)/dx^(s-1) x^(s-1) (x-1)^s, A
integrates polynomials of degree s - 1 exactly up to each node, and A^-1 = T diag(gamma, [[a, -b], [b, a]], ...)
T^-1: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.5 and IV.8. The real column of T has
length 1; the complex eigenvectors end in 1.
"""

from mpmath import eig, im, matrix, mp, mpf, norm, nstr, polyroots, re

mp.dps = 60


def nodes(s):
    p = [mpf(1)] + [mpf(0)] * (s - 1)
    for _ in range(s):
        p = [a - b for a, b in zip(p + [mpf(0)], [mpf(0)] + p)]
    for _ in range(s - 1):
        p = [a * (len(p) - 1 - i) for i, a in enumerate(p[:-1])]
    return sorted(re(x) for x in polyroots(p, maxsteps=500, extraprec=400))


def runge_kutta(c):
    s = len(c)
    powers, integrals = matrix(s, s), matrix(s, s)
    for i in range(s):
        for k in range(s):
            powers[i, k] = c[i] ** k
            integrals[i, k] = c[i] ** (k + 1) / (k + 1)
    return integrals * powers**-1


def diagonalise(a):
    s = a.rows
    values, vectors = eig(a**-1)
    t = matrix(s, s)
    real = min(range(s), key=lambda k: abs(im(values[k])))
    vector = [re(vectors[i, real] / vectors[s - 1, real]) for i in range(s)]
    for i in range(s):
        t[i, 0] = vector[i] / norm(vector)
    pairs = sorted((k for k in range(s) if k != real and im(values[k]) < 0), key=lambda k: -re(values[k]))
    for p, k in enumerate(pairs):
        for i in range(s):
            x = vectors[i, k] / vectors[s - 1, k]
            t[i, 2 * p + 1], t[i, 2 * p + 2] = re(x), im(x)
    return re(values[real]), [(re(values[k]), -im(values[k])) for k in pairs], t


def show(x):
    return nstr(x, 21, min_fixed=-10, max_fixed=10)


for s in (3, 5):
    c = nodes(s)
    gamma, pairs, t = diagonalise(runge_kutta(c))
    print("nodes", ", ".join(map(show, c)))
    print("eigenvalues", show(gamma), *(f"{show(a)} + {show(b)}i" for a, b in pairs))
    for name, m in (("T", t), ("T inverse", t**-1)):
        print(name)
        for i in range(s):
            print("   ", ", ".join(show(m[i, k]) for k in range(s)))
