"""Units of Bristle in FMPy: validation, model exchange by CVODE, co-simulation at three steps, against our own runs.

    tools/peers/fmu.sh [FOLDER]
"""
import csv
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
from fmpy import read_model_description, simulate_fmu
from fmpy.validation import validate_fmu

warnings.filterwarnings("ignore")
PROGRAM = sys.argv[1]
FOLDER = Path(sys.argv[2] if len(sys.argv) > 2 else "target/fmu")
FOLDER.mkdir(parents=True, exist_ok=True)

# What is exported, whether its drives stay inside, and what is compared.
SYSTEMS = [
    ("scenarios/belt.toml", False, "x"),
    ("scenarios/belt-dry.toml", False, "x"),
    ("scenarios/pulse.toml", True, "x"),
    ("scenarios/festoon.toml", True, None),
    ("scenarios/valve-sine.toml", True, None),
    ("scenarios/arm.toml", True, "q"),
    ("scenarios/servo.toml", True, None),
    ("scenarios/servo-sampled.toml", True, None),
    ("scenarios/gear-backlash.toml", True, None),
    ("scenarios/blocks.toml", True, None),
    ("scenarios/pendulum.toml", True, None),
]
ELEMENTS = ["static", "dry", "dahl", "lugre", "frbd", "elasto_plastic", "gms", "implicit", "bristle2", "frbd_gm", "frbd_gkv",
            "rotating", "rotating_discontinuous", "sawtooth", "ffbm", "mpabm", "transmission"]
PATCHES = ["scenarios/patch-step.toml", "scenarios/patch-bend.toml"]


def export(what, version, inside=False, trace=None):
    out = FOLDER / f"{Path(what).stem}-{version}.fmu"
    words = [PROGRAM, what, str(version), str(out)] + (["inside"] if inside else ["inputs"]) + ([str(trace)] if trace else [])
    subprocess.run(words, check=True)
    return out


def findings(fmu):
    found = validate_fmu(str(fmu))
    return f"{len(found)} findings: {found[:3]}" if found else "no finding"


def trace_of(path):
    with open(path) as file:
        rows = list(csv.reader(file))
    names = [cell.split(" [")[0] for cell in rows[0]]
    return dict(zip(names, np.array(rows[1:], dtype=float).T))


def distance(ours, result, column):
    own = np.interp(result["time"], ours["t"], ours[column])
    size = np.ptp(ours[column]) or 1.0
    return float(np.max(np.abs(result[column] - own)) / size)


def simulate(fmu, **how):
    try:
        return simulate_fmu(str(fmu), **how)
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {str(error)[:120]}"


def systems():
    print("| unit | column | FMI | validate_fmu | CVODE | steps of end/100 | /1000 | /5000 |")
    print("|---|---|---|---|---|---|---|---|")
    for what, inside, column in SYSTEMS:
        for version in (2, 3):
            trace = FOLDER / f"{Path(what).stem}.csv"
            fmu = export(what, version, inside, trace)
            ours = trace_of(trace)
            description = read_model_description(str(fmu))
            end = float(description.defaultExperiment.stopTime)
            states = [v.name for v in description.modelVariables if v.causality == "output" and v.name in ours]
            shown = column or states[0]
            cells = [findings(fmu)]
            result = simulate(fmu, fmi_type="ModelExchange", stop_time=end, output_interval=end / 5000, output=[shown],
                              relative_tolerance=1e-8)
            cells.append(result if isinstance(result, str) else f"{distance(ours, result, shown):.1e}")
            for parts in (100, 1000, 5000):
                result = simulate(fmu, fmi_type="CoSimulation", stop_time=end, output_interval=end / parts, step_size=end / parts,
                                  output=[shown])
                cells.append(result if isinstance(result, str) else f"{distance(ours, result, shown):.1e}")
            print(f"| `{Path(what).stem}` | {shown} | {version}.0 | " + " | ".join(cells) + " |", flush=True)


def elements():
    """A sine of 20 mm/s and 2 Hz at 10 N: the force in model exchange is the reference for fixed steps."""
    t = np.linspace(0.0, 1.0, 20001)
    signals = np.rec.fromarrays([t, 0.02 * np.sin(4 * np.pi * t), np.full_like(t, 10.0), 0.02 / (4 * np.pi) * (1 - np.cos(4 * np.pi * t))],
                                names=["time", "v", "N", "x"])
    print("\n| element | FMI | validate_fmu | F at most, N (CVODE) | 1 ms | 0.1 ms | 0.05 ms |")
    print("|---|---|---|---|---|---|---|")
    for name in ELEMENTS:
        for version in (2, 3):
            fmu = export(name, version)
            names = [v.name for v in read_model_description(str(fmu)).modelVariables]
            given = np.rec.fromarrays([signals[n] for n in ("time", "v", "N", "x") if n == "time" or n in names],
                                      names=[n for n in ("time", "v", "N", "x") if n == "time" or n in names])
            reference = simulate(fmu, fmi_type="ModelExchange", stop_time=1.0, output_interval=1e-4, input=given, output=["F"],
                                 relative_tolerance=1e-8)
            cells = [findings(fmu)]
            if isinstance(reference, str):
                print(f"| `{name}` | {version}.0 | {cells[0]} | {reference} |", flush=True)
                continue
            size = np.max(np.abs(reference["F"]))
            cells.append(f"{size:.3f}")
            for h in (1e-3, 1e-4, 5e-5):
                result = simulate(fmu, fmi_type="CoSimulation", stop_time=1.0, output_interval=h, step_size=h, input=given,
                                  output=["F"])
                # The force of all instants but those around reversals, where it is steep.
                cells.append(result if isinstance(result, str) else
                             f"{np.median(np.abs(result['F'] - np.interp(result['time'], reference['time'], reference['F']))) / size:.1e}")
            print(f"| `{name}` | {version}.0 | " + " | ".join(cells) + " |", flush=True)


def patches():
    print("\n| patch | FMI | validate_fmu | F_x, N | in co-simulation |")
    print("|---|---|---|---|---|")
    for what in PATCHES:
        for version in (2, 3):
            fmu = export(what, version)
            exchange = simulate(fmu, fmi_type="ModelExchange", stop_time=0.1, output_interval=0.05, output=["F_x"])
            steps = simulate(fmu, fmi_type="CoSimulation", stop_time=0.1, output_interval=0.05, output=["F_x"])
            cells = [r if isinstance(r, str) else f"{r['F_x'][-1]:.6g}" for r in (exchange, steps)]
            print(f"| `{Path(what).stem}` | {version}.0 | {findings(fmu)} | " + " | ".join(cells) + " |", flush=True)


if "elements" not in sys.argv:
    systems()
elements()
patches()
