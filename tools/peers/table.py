"""The table of `run.sh`, from its rows `solver,problem,model,tolerance,error,seconds`.

A solver is taken at its coarsest tolerance from which on every finer one of the row's list stays
within the wanted error too: a coarse run that is right by luck does not count. The other solver is
given the best of its settings.
"""

import csv
import sys
from collections import defaultdict

# problem, model, wanted error in m, the other solver, the ratio asked for
WANTED = [
    ("belt", "lugre", 1e-6, "CVODE", 8),
    ("festoon", "static", 1e-7, "LSODA", 40),
    ("festoon", "lugre", 1e-7, "LSODA", 40),
    ("festoon", "bristle2", 1e-7, "LSODA", 40),
    ("valve", "frbd", 1e-9, "LSODA", 20),
    ("valve", "lugre", 1e-9, "LSODA", 20),
    ("chain5", "lugre", 1e-7, "CVODE", 3),
    ("chain20", "lugre", 1e-7, "CVODE", 3),
    ("chain50", "lugre", 1e-7, "CVODE", 3),
    ("chain150", "lugre", 1e-7, "CVODE", 3),
]


def read(path):
    runs = defaultdict(list)
    with open(path) as file:
        for solver, problem, model, tolerance, error, seconds in csv.reader(file):
            run = (float(tolerance), float(error), float(seconds))
            runs[solver, problem, model].append(run)
    return {key: sorted(found, reverse=True) for key, found in runs.items()}


def reliable(runs, error):
    """The coarsest run from which on all are within `error`."""
    best = None
    for run in reversed(runs):
        if not run[1] <= error:
            break
        best = run
    return best


def cell(run):
    tolerance, error, seconds = run
    return f"{1e3 * seconds:.3g} ms (tolerance {tolerance:.0e}, error {error:.0e} m)"


def rivals(runs, problem, model, error, family):
    """(what it is, its run): of each family the fastest setting that keeps the error; for the
    festoon, which is asked for at a nominal tolerance, also the plain call at that."""
    settings = {s: found for (s, p, m), found in runs.items() if (p, m) == (problem, model)}
    for form in sorted({s.split()[1] for s in settings if s.startswith(family)}):
        best = None
        for setting, found in settings.items():
            run = reliable(found, error) if setting.startswith(f"{family} {form}") else None
            if run and (best is None or run[2] < best[1][2]):
                best = (setting, run)
        if best:
            yield best
        nominal = settings.get(f"{family} {form} solve_ivp one atol", [])
        for run in nominal if problem == "festoon" else []:
            if abs(run[0] - 1e-8) < 1e-12:
                yield f"{family} {form} solve_ivp at 1e-8", run


def main():
    runs = read(sys.argv[1])
    print("| problem | model | error at most | ours | other solver | its time | times faster | asked |")
    print("|---|---|---:|---|---|---|---:|---:|")
    for problem, model, error, family, asked in WANTED:
        ours = reliable(runs["bristle", problem, model], error)
        for name, run in rivals(runs, problem, model, error, family):
            row = [problem, model, f"{error:.0e} m", cell(ours), name, cell(run)]
            print("| " + " | ".join(row) + f" | {run[2] / ours[2]:.1f} | {asked} |")


if __name__ == "__main__":
    main()
