"""Nodes and weights of the nested rules of 3, 7, 15 and 31 points (Patterson 1968).

Each rule keeps the nodes of the one before and adds n + 1 zeros of the polynomial E that makes
P·E orthogonal, over [-1, 1], to all polynomials of degree at most n, P having the old nodes as zeros.
Prints the constants of crates/contact/src/quadrature/nested.rs: nodes on [0, 1] in the order in which they
are added, and the weights of each rule. Needs mpmath.
"""
from mpmath import mp, mpf, matrix, lu_solve, polyroots

mp.dps = 120


def integral(coefficients):
    """Over [-1, 1], lowest power first."""
    return sum(2 * c / (k + 1) for k, c in enumerate(coefficients) if k % 2 == 0)


def product(p, q):
    r = [mpf(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            r[i + j] += a * b
    return r


def from_roots(roots):
    p = [mpf(1)]
    for x in roots:
        p = product(p, [-x, mpf(1)])
    return p


def extension(nodes):
    p, n = from_roots(nodes), len(nodes)
    a, b = matrix(n + 1), matrix(n + 1, 1)
    for k in range(n + 1):
        for j in range(n + 2):
            value = integral([mpf(0)] * (k + j) + p)
            if j <= n:
                a[k, j] = value
            else:
                b[k] = -value
    e = list(lu_solve(a, b)) + [mpf(1)]
    roots = polyroots(e[::-1], maxsteps=2000, extraprec=2000)
    return sorted(mp.re(x) for x in roots)


def weights(nodes):
    out = []
    for i, x in enumerate(nodes):
        basis = from_roots(nodes[:i] + nodes[i + 1:])
        scale = mpf(1)
        for j, y in enumerate(nodes):
            if j != i:
                scale *= x - y
        out.append(integral(basis) / scale)
    return out


nodes = [-mp.sqrt(mpf(3) / 5), mpf(0), mp.sqrt(mpf(3) / 5)]
rules = [weights(nodes)]
while len(nodes) < 31:
    nodes = nodes + extension(nodes)
    rules.append(weights(nodes))
show = lambda x: mp.nstr(x, 19, min_fixed=-3, max_fixed=3)
print("NODES", [show((1 + x) / 2) for x in nodes])
for rule in rules:
    print(len(rule), [show(w / 2) for w in rule])
