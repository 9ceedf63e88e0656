"""Writes data/reference/viscoelastic/prony.csv: viscoelastic solids in their equivalent forms, to 25 digits.

Run it from the root of the project; it needs mpmath. Works with 240 digits and again with 60 more; both must agree to 60 digits, and the
expected form, converted back, must give the given one to 60 digits.

The route is not that of viscoelastic.rs: sigma(s) and gamma(s) are expanded, their roots isolated
by the sign of the polynomial alone and polished by Newton, the parameters read off as residues.
"""

import random

from mpmath import mp, mpf

DIGITS, AGREE = 240, 60


def times(polynomial, t):
    """polynomial * (1 + t s)"""
    return [a + t * b for a, b in zip(polynomial + [mpf(0)], [mpf(0)] + polynomial)]


def add(p, q):
    return [a + b for a, b in zip(p, q)]


def ode_of_gm(k0, k, tau):
    """Eq. (3): E = k0 + sum k tau s / (1 + tau s) = sigma / gamma."""
    gamma, sigma = [mpf(1)], [mpf(k0)]
    for ki, ti in zip(k, tau):
        sigma = add(times(sigma, ti), [mpf(0)] + [ki * ti * g for g in gamma])
        gamma = times(gamma, ti)
    return gamma, sigma


def ode_of_gkv(k0, k, c):
    """Eq. (4): 1/E = 1/K0 + sum 1/(K + C s) = gamma / sigma, then gamma_0 = 1."""
    gamma, sigma = [mpf(1)], [mpf(k0)]
    for ki, ci in zip(k, c):
        gamma = add(times(gamma, ci / ki), [x / ki for x in sigma] + [mpf(0)])
        sigma = times(sigma, ci / ki)
    return [x / gamma[0] for x in gamma], [x / gamma[0] for x in sigma]


def at(polynomial, s):
    return mp.polyval(polynomial[::-1], s)


def slope(polynomial):
    return [i * c for i, c in enumerate(polynomial)][1:]


def rates(polynomial):
    """All p with polynomial(-p) = 0, ascending; each isolated by the roots of the derivative."""
    if len(polynomial) < 2:
        return []
    edges = [mpf(0)] + rates(slope(polynomial)) + [2 * polynomial[-2] / polynomial[-1]]
    found = []
    for low, high in zip(edges, edges[1:]):
        sign = mp.sign(at(polynomial, -low))
        assert sign * at(polynomial, -high) < 0, "no change of sign"
        root, step = (low + high) / 2, mp.inf
        while abs(step) > mpf(10) ** (20 - mp.dps) * root:
            if sign * at(polynomial, -root) > 0:
                low = root
            else:
                high = root
            newton = root + at(polynomial, -root) / at(slope(polynomial), -root)
            step = (newton if low < newton < high else (low + high) / 2) - root
            root += step
        found.append(root)
    return found


def gm_of_ode(gamma, sigma):
    """Residues of E: k = -sigma(-a) / (a gamma'(-a)), tau = 1/a."""
    a = rates(gamma)
    k = [-at(sigma, -x) / (x * at(slope(gamma), -x)) for x in a]
    return sigma[0], k, [1 / x for x in a]


def gkv_of_ode(gamma, sigma):
    """Residues of 1/E: C = sigma'(-p) / gamma(-p), K = p C."""
    p = rates(sigma)
    c = [at(slope(sigma), -x) / at(gamma, -x) for x in p]
    return sigma[-1] / gamma[-1], [x * y for x, y in zip(p, c)], c


def merged_gm(k0, k, tau):
    """Equal times add up; longest time first."""
    sums = {}
    for ki, ti in zip(k, tau):
        sums[ti] = sums.get(ti, mpf(0)) + ki
    tau = sorted(sums, reverse=True)
    return k0, [sums[t] for t in tau], tau


def merged_gkv(k0, k, c):
    order = sorted(zip(k, c), key=lambda e: e[0] / e[1])
    return k0, [e[0] for e in order], [e[1] for e in order]


def flat(form):
    return [x for field in form for x in (field if isinstance(field, list) else [field])]


def same(a, b):
    return all(abs(x - y) <= mpf(10) ** -AGREE * abs(y) for x, y in zip(flat(a), flat(b), strict=True))


def convert(form, given):
    """The given form, its branches merged and sorted, and the other two."""
    if form == "gm":
        gm = merged_gm(*given)
        ode = ode_of_gm(*gm)
        gkv = gkv_of_ode(*ode)
        assert same(gm_of_ode(*ode_of_gkv(*gkv)), gm)
    elif form == "gkv":
        gkv = merged_gkv(*given)
        ode = ode_of_gkv(*gkv)
        gm = gm_of_ode(*ode)
        assert same(gkv_of_ode(*ode_of_gm(*gm)), gkv)
    else:
        ode = given
        gm, gkv = gm_of_ode(*ode), gkv_of_ode(*ode)
        assert same(ode_of_gm(*gm), ode) and same(ode_of_gkv(*gkv), ode)
    return {"gm": gm, "gkv": gkv, "ode": ode}


FIELDS = {"gm": ("k0", "k", "tau"), "gkv": ("k0", "k", "c"), "ode": ("gamma", "sigma")}


def short(x, digits=4):
    """A double with few decimal digits."""
    return float(f"{x:.{digits - 1}e}")


def decades(rng, low, high):
    return short(10 ** rng.uniform(low, high))


def spread(rng, n):
    """n times over nine decades, evenly in the logarithm but for 30 % of a step."""
    return [short(10 ** (3 - 9 * (i + rng.uniform(-0.3, 0.3)) / (n - 1))) for i in range(n)]


def cases():
    rng = random.Random(3)
    yield "example_n3", "gm", (1e4, [1e4, 2e4, 3e4], [1.0, 0.1, 0.01])
    yield "gm_n20_nine_decades", "gm", (1e4, [decades(rng, 2, 6) for _ in range(20)], spread(rng, 20))
    # Relative gaps of 1e-12 and 1e-6, one time given twice, in no order.
    cluster = [0.0123000123, 3.0, 0.0123, 250.0, 0.0123000000000123, 3.000000000003, 3.0, 4e-5, 3.000003]
    yield "gm_clusters", "gm", (2e4, [decades(rng, 3, 6) for _ in cluster], cluster)
    k = [decades(rng, 2, 6) for _ in range(20)]
    yield "gkv_n20_nine_decades", "gkv", (5e5, k, [short(a * t) for a, t in zip(k, spread(rng, 20))])
    k = [decades(rng, 3, 6) for _ in cluster]
    c = [a * t for a, t in zip(k, cluster)]
    del k[6], c[6]
    yield "gkv_clusters", "gkv", (5e5, k, c)
    gm = (mpf(1e4), [mpf(decades(rng, 3, 5)) for _ in range(20)], [mpf(t) for t in spread(rng, 20)])
    ode = ode_of_gm(*gm)
    yield "ode_n20_nine_decades", "ode", tuple([float(x) for x in field] for field in ode)


def exact(given):
    return tuple([mpf(x) for x in field] if isinstance(field, list) else mpf(field) for field in given)


HEADER = """\
# what:      linear viscoelastic solids as GM (3), GKV (4) and coefficients of (5); SI units
# source:    (3), (4), (5) of Romano, Aamo, Åslund, Frisk, "Linear viscoelastic rheological FrBD
#            models"; the given numbers, read as doubles, are exact; the expected ones are roots and
#            residues of sigma(s)/gamma(s), longest time first, branches of equal tau added up
# made by:   tools/reference/prony.py (mpmath, {0} and {1} digits, which agree to {2})
# tolerance: 1e-12 relative (25 digits are printed)
# lists:     separated by ;
case,role,form,field,values
"""


def main():
    with open("data/reference/viscoelastic/prony.csv", "w") as out:
        out.write(HEADER.format(DIGITS, DIGITS + 60, AGREE))
        for name, form, given in cases():
            mp.dps = DIGITS + 60
            check = convert(form, exact(given))
            mp.dps = DIGITS
            forms = convert(form, exact(given))
            assert all(same(forms[f], check[f]) for f in forms)
            for field, values in zip(FIELDS[form], given):
                values = values if isinstance(values, list) else [values]
                out.write(f"{name},given,{form},{field},{';'.join(map(repr, values))}\n")
            for other in FIELDS:
                if other == form:
                    continue
                for field, values in zip(FIELDS[other], forms[other]):
                    values = values if isinstance(values, list) else [values]
                    text = ";".join(mp.nstr(x, 25, min_fixed=1, max_fixed=0) for x in values)
                    out.write(f"{name},expected,{other},{field},{text}\n")
            print(name, "n =", len(forms["gm"][1]))


if __name__ == "__main__":
    mp.dps = DIGITS
    main()
