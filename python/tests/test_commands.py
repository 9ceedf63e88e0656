"""Everything that the command line can do, and the same numbers."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import bristle

FUNCTIONS = {
    "models": bristle.models,
    "run": bristle.run,
    "papers": bristle.papers,
    "patch": bristle.Patch,
    "schema": bristle.schema,
    # Python completes its own names: the stubs tell editors.
    "completions": None,
    "line": bristle.Line,
    "audit": bristle.audit,
    "linearize": bristle.linearize,
    "loop": bristle.loop,
    "cycle": bristle.cycle,
    "compare": bristle.compare,
    "fit": bristle.fit,
    "export": bristle.export,
    "sweep": bristle.sweep,
    # A page for people; Python has the same numbers and notebooks.
    "lab": None,
    "map": bristle.map,
}


def test_every_command_has_a_function():
    readme = Path("README.md").read_text()
    table = readme.split("<!-- generated: commands -->")[1].split("<!-- end -->")[0]
    commands = re.findall(r"^\| `bristle (\S+)`", table, re.M)
    assert len(commands) > 10
    assert set(FUNCTIONS) == set(commands), "a command has no function, or a function no command"
    for name, function in FUNCTIONS.items():
        assert function is None or f"bristle {name}" in function.__doc__ or name in ("patch", "line")
    for task in ("steady", "surface", "transient"):
        assert f"bristle patch {task}" in getattr(bristle.Patch, task).__doc__
    assert "--cases" in bristle.Patch.cases.__doc__ and "bristle line" in bristle.Line.run.__doc__


BEND = "scenarios/patch-bend.toml"
SAME = {
    "run scenarios/belt.toml": lambda: bristle.run("scenarios/belt.toml"),
    "run scenarios/servo.toml --set run.end=1": lambda: bristle.run("scenarios/servo.toml", {"run.end": 1}),
    "run scenarios/servo-log.toml": lambda: bristle.run("scenarios/servo-log.toml"),
    "run scenarios/pulse.toml --set friction.model=implicit --set system.drive.value=5.6": lambda: bristle.run(
        "scenarios/pulse.toml", {"friction.model": "implicit", "system.drive.value": 5.6}
    ),
    "run scenarios/belt.toml --set run.end=2 --vary friction.model=lugre,frbd": lambda: bristle.runs(
        "scenarios/belt.toml", {"run.end": 2}, vary={"friction.model": ["lugre", "frbd"]}
    ).together,
    "patch steady --sigma-x 0.08 --sigma-y 0.04 --phi1 1.5": lambda: bristle.Patch().steady(
        sigma_x=0.08, sigma_y=0.04, phi1=1.5
    ),
    f"patch steady {BEND} --show-rule": lambda: bristle.Patch(BEND).steady(show_rule=True),
    f"patch surface {BEND} --set surface.sigma_x_points=5": lambda: bristle.Patch(BEND).surface(sigma_x_points=5),
    "patch transient scenarios/patch-step.toml": lambda: bristle.Patch("scenarios/patch-step.toml").transient(),
    "line scenarios/line-step.toml": lambda: bristle.Line("scenarios/line-step.toml").run(),
    "line scenarios/line-heterogeneous.toml": lambda: bristle.Line("scenarios/line-heterogeneous.toml").run(),
    "audit lugre --set friction.set=frbd-table-2 --load 5": lambda: bristle.audit(
        "lugre", {"friction.set": "frbd-table-2"}, load=5.0
    ),
    "audit scenarios/belt.toml": lambda: bristle.audit("scenarios/belt.toml"),
    "audit scenarios/line-step.toml": lambda: bristle.audit("scenarios/line-step.toml"),
    "linearize frbd --at 0.005 --frequencies 1,10": lambda: bristle.linearize(
        bristle.Friction("frbd"), at=0.005, frequencies=[1, 10]
    ),
    "linearize scenarios/belt.toml --from 0.1 --to 10": lambda: bristle.linearize(
        "scenarios/belt.toml", lowest=0.1, highest=10
    ),
    "linearize scenarios/line-step.toml": lambda: bristle.linearize("scenarios/line-step.toml"),
    "linearize frbd_planar --output F_y": lambda: bristle.linearize("frbd_planar", output="F_y"),
    "loop frbd --amplitude 1e-4 --frequency 10": lambda: bristle.loop("frbd", amplitude=1e-4, frequency=10),
    "loop scenarios/belt.toml": lambda: bristle.loop("scenarios/belt.toml"),
    "cycle scenarios/belt.toml": lambda: bristle.cycle("scenarios/belt.toml"),
    "map scenarios/rotating-hysteresis.toml": lambda: bristle.map("scenarios/rotating-hysteresis.toml"),
    "compare lugre frbd --set friction.set=frbd-table-2": lambda: bristle.compare(
        ["lugre", "frbd"], {"friction.set": "frbd-table-2"}
    ),
    "papers 002-fig-8": lambda: bristle.papers("002-fig-8"),
    "fit data/logs/slide.toml --models lugre,dahl": lambda: bristle.fit("data/logs/slide.toml", ["lugre", "dahl"]),
}
# How long something took is another number each time.
TIMES = {"seconds", "cost_s_per_s", "evaluations_per_s"}


def without_times(found):
    if isinstance(found, dict):
        return {key: without_times(value) for key, value in found.items() if key not in TIMES}
    if isinstance(found, list):
        return [without_times(value) for value in found]
    return found


@pytest.mark.parametrize("command", SAME)
def test_numbers_are_those_of_the_program_bit_for_bit(command, program):
    told = json.loads(program(*command.split(), "--json"))
    found = json.loads(json.dumps(SAME[command]().summary))
    assert without_times(found) == without_times(told)


def test_every_command_is_compared_or_has_no_numbers():
    compared = {command.split()[0] for command in SAME}
    assert compared | {"models", "schema", "completions", "export", "sweep", "lab"} == set(FUNCTIONS)


@pytest.mark.parametrize("file", ["belt", "pulse-implicit", "hunting", "rotating-stick-slip", "arm"])
def test_every_bit_of_a_trace_is_that_of_the_program(file, program, tmp_path):
    program("run", f"scenarios/{file}.toml", "--no-figure", out=tmp_path / "out")
    head, *rows = (tmp_path / "out" / "trace.csv").read_text().splitlines()
    table = np.array([[float(x) for x in row.split(",")] for row in rows])
    r = bristle.run(f"scenarios/{file}.toml")
    assert [column.split(" [")[0] for column in head.split(",")] == list(r)
    for k, name in enumerate(r):
        np.testing.assert_array_equal(r[name], table[:, k])


def test_the_catalogue_and_the_schemas_are_the_same(program):
    assert json.loads(program("models", "--json", writes=False)) == bristle.models().summary
    for name in ("frbd", "frbd-table-2", "stribeck"):
        assert json.loads(program("models", name, "--json", writes=False)) == bristle.models(name).summary
        assert program("models", name, writes=False) == str(bristle.models(name))
    for which in ("run", "patch", "line"):
        assert json.loads(program("schema", which, writes=False)) == bristle.schema(which)


def test_a_table_of_cases_is_the_same(program, tmp_path):
    table = tmp_path / "cases.csv"
    table.write_text("n,m,sigma_x,sigma_y,phi1\n2,2,0.1,0.05,1\n18,18,0.02,0,3\n")
    out = program("patch", "steady", "--cases", str(table), "--quiet", writes=False)
    assert bristle.Patch.cases(table).table == out
