"""Runs: of scenarios, of machines, of functions."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import bristle


def test_a_path_a_text_and_a_dict_run_alike():
    text = Path("scenarios/belt.toml").read_text()
    path = bristle.run("scenarios/belt.toml")
    assert bristle.run(text) == path
    table = {
        "system": {"model": "belt", "drive": {"model": "constant", "value": 0.1}},
        "friction": {"model": "frbd", "law": bristle.Friction("frbd").table["law"]},
        "run": {"end": np.float64(2.0), "spacing": 0.01},
    }
    one = bristle.run(table)
    assert one.t[0] == 0.0 and one.t[-1] == 2.0 and len(one.t) == 201
    table["friction"] = bristle.Friction("frbd")
    assert bristle.run(table) == one
    assert bristle.run(table, {"friction.sigma0": 500}) != one


def test_a_run_has_everything():
    r = bristle.run("scenarios/belt.toml", {"friction.model": "implicit", "system.drive.value": 0.2})
    assert r.units == {**r.units, "t": "s", "x": "m", "F": "N"}
    assert set(r) == set(r.units) and len(r["x"]) == len(r.t)
    kinds = {event.kind for event in r.events}
    assert kinds and kinds <= {"stick", "slip", "reversal", "element", "drive", "mechanism"}
    assert all(0.0 <= event.t <= r.t[-1] for event in r.events)
    books = r.ledger[""]
    assert abs(books["residual"]) < 1e-6 * abs(books["work"])
    assert r.statistics["accepted"] > 10
    assert r.summary["columns"]["x"]["unit"] == "m"
    assert "energy [J]" in str(r)
    assert r.figure.svg.startswith("<svg") and r.figure.png()[:4] == b"\x89PNG"
    assert "<table>" in r._repr_html_()
    assert eval(repr(r)) == r


def test_what_has_no_meaning_any_more_is_told():
    table = {"system": {"model": "belt"}, "friction": {"model": "lugre", "sigma1": 40.0}, "run": {"end": 1.0}}
    r = bristle.run(table, {"friction.model": "dahl"})
    assert any("left out" in said for said in r.left_out)


@pytest.mark.parametrize(
    "make",
    [
        lambda: bristle.run("scenarios/belt.toml"),
        lambda: bristle.audit("frbd"),
        lambda: bristle.linearize("frbd"),
        lambda: bristle.Patch().steady(sigma_x=0.1),
        lambda: bristle.Patch(n=2, friction={"sigma0_xx": 300.0}),
        lambda: bristle.Line("scenarios/line-step.toml"),
        lambda: bristle.Line(friction={"model": "frbd"}, length=0.2, slip={"model": "constant"}, run={"end": 0.01}),
        lambda: bristle.Machine("one", body=[{"name": "a", "mass": 1.0}]),
        lambda: bristle.Fit([{"t": [0.0, 1.0]}], friction="frbd", free=["sigma0"]),
    ],
)
def test_objects_pickle_compare_copy_and_can_be_pasted(make):
    one = make()
    assert one == make()
    again = pickle.loads(pickle.dumps(one))
    assert again == one and copy.copy(one) == one and copy.deepcopy(one) == one
    if isinstance(one, bristle.Report):
        assert str(again).splitlines()[0] == str(one).splitlines()[0]
        assert again.figure.svg == one.figure.svg
    assert eval(repr(one)) == one
    assert one != object()


def test_runs_beside_each_other_are_what_they_are_alone():
    several = bristle.runs("scenarios/belt.toml", vary={"friction.model": ["lugre", "frbd"], "run.end": [1.0, 2.0]})
    assert several.labels == ["lugre, end = 1.0", "lugre, end = 2.0", "frbd, end = 1.0", "frbd, end = 2.0"]
    for one, model, end in zip(several, ["lugre", "lugre", "frbd", "frbd"], [1.0, 2.0, 1.0, 2.0]):
        alone = bristle.run("scenarios/belt.toml", {"friction.model": model, "run.end": end})
        assert one == alone and eval(repr(one)) == alone
    assert "frbd" in str(several) and several.together.figure.svg
    assert len(bristle.runs(["scenarios/belt.toml", "scenarios/pulse.toml"])) == 2
    assert len(bristle.runs([])) == 0
    assert several[1:][0] is several[1]


def test_a_machine_is_what_its_file_is():
    text = """
[[body]]
name = "block"
mass = 1.0
velocity = 0.1
[[motion]]
name = "belt"
velocity = 0.1
[[spring]]
name = "wall"
between = ["block", "ground"]
stiffness = 2.0
[[contact]]
name = "rub"
between = ["block", "belt"]
load = 9.81
[friction]
model = "lugre"
[run]
end = 3.0
"""
    m = bristle.Machine(friction="lugre" and {"model": "lugre"})
    block = m.body("block", mass=1.0, velocity=0.1)
    belt = m.motion("belt", velocity=0.1)
    m.spring("wall", between=[block, "ground"], stiffness=2.0)
    m.contact("rub", between=[block, belt], load=9.81)
    r = m.run(3.0)
    assert r == bristle.run(text) == bristle.run(m, {"run.end": 3.0})
    assert eval(repr(m)) == m
    assert m.run(3.0, {"contact.rub.load": 5.0})["N_rub"][0] == 5.0
    assert "layout" in r.figures
    with pytest.raises(bristle.InputError, match="run.end is missing"):
        m.run()


def test_a_function_is_a_mechanism():
    """The belt of the catalogue as a function gives the same motion."""
    friction = bristle.Friction("frbd")
    table = {
        "system": {"model": "belt", "mass": 1.0, "stiffness": 2.0, "load": 9.81,
                   "drive": {"model": "constant", "value": 0.1}},
        "friction": friction, "run": {"end": 10.0, "spacing": 0.05},
    }  # fmt: skip
    own = bristle.run(table)
    contact = bristle.Contact(friction, velocity=lambda t, y: y[1] - 0.1, load=9.81)
    start = {"x": float(own["x"][0]), "v": float(own["v"][0])}
    r = bristle.simulate(lambda t, y, F: [y[1], -2.0 * y[0] - F[0]], [contact], start, 10.0,
                         units={"x": "m", "v": "m/s"}, spacing=0.05)  # fmt: skip
    assert r.units["x"] == "m"
    np.testing.assert_allclose(r["x"], own["x"], atol=1e-6)
    np.testing.assert_allclose(r["F"], own["F"], atol=1e-4)
    assert r.ledger[""]["work"] == pytest.approx(own.ledger[""]["work"], rel=1e-5)
    assert pickle.loads(pickle.dumps(r)) == r


def test_two_contacts_of_a_function():
    f = bristle.Friction("frbd", law={"model": "coulomb", "mu": 0.3})
    left = bristle.Contact(f, velocity=lambda t, y: y[1], load=4.0, name="left")
    right = bristle.Contact(f, velocity=lambda t, y: y[1], load=lambda t, y: 6.0, name="right")
    r = bristle.simulate(lambda t, y, F: [y[1], -F.sum()], [left, right], [0.0, 0.5], 0.1)
    assert {"F_left", "F_right"} <= set(r)
    assert r["F_right"][-1] == pytest.approx(1.8, rel=1e-6)
    with pytest.raises(bristle.InputError, match="names of their own"):
        bristle.simulate(lambda t, y, F: y, [left, left], [0.0, 0.0], 1.0)


def test_patches_take_arrays():
    p = bristle.Patch(n=2, m=2, pressure="parabolic", load=4000, accuracy=1e-5)
    slips = np.linspace(-0.2, 0.2, 5)
    many = p.steady(sigma_x=slips[:, None], sigma_y=slips, phi1=1.5)
    assert many.Fx.shape == (5, 5)
    one = p.steady(sigma_x=slips[1], sigma_y=slips[3], phi1=1.5)
    assert many.Fx[1, 3] == pytest.approx(one.Fx, rel=2e-5)
    assert np.all(many.error <= 1e-5)
    surface = p.surface(sigma_x_points=3, sigma_y_points=3)
    assert len(surface["Fx"]) == 9
    signal = {"model": "sine", "mean": 0.08, "amplitude": 0.02, "frequency": 5.0}
    assert len(p.transient(distance=0.01, step=0.001, sigma_x=signal)["Fx"]) == 11


def test_cases_come_back_with_results():
    cases = bristle.Patch.cases("sigma_x,load\n0.1,4000\n0.2,4000\n")
    assert cases.faults is None and np.all(cases.results["Fx_N"] > 0.0)
    assert cases.summary["cases"] == 2


def test_a_fit_of_arrays_finds_what_made_them():
    rng = np.random.default_rng(3)
    truth = bristle.Friction("lugre", sigma0=2e4, law={"model": "coulomb", "mu": 0.3})
    t = np.arange(0.0, 4.0, 0.002)
    x = 1e-3 * np.sin(2 * np.pi * t) + 1e-4 * np.sin(2 * np.pi * 7 * t)
    s = truth.states()
    force = [s.step(float(v), 20.0, 0.002) for v in np.gradient(x, t)]
    log = {"t": t, "x": x, "load": 20.0, "force": force + 0.02 * rng.standard_normal(len(t))}
    job = bristle.Fit([log], friction={"model": "lugre", "law": {"model": "coulomb"}}, free=["sigma0", "mu"])
    found = job.run()
    assert found.parameters["mu"] == pytest.approx(0.3, rel=0.01)
    assert found.parameters["sigma0"] == pytest.approx(2e4, rel=0.05)
    assert found.correlation.shape == (2, 2)
    assert found.friction["law.mu"] == pytest.approx(found.parameters["mu"], rel=1e-6)
    assert found.figure.svg


def test_results_go_where_they_are_wanted(tmp_path):
    r = bristle.run("scenarios/belt.toml", {"run.end": 1.0})
    names = {path.name for path in r.save(tmp_path)}
    assert names == {"trace.csv", "summary.json", "figure.svg", "figure.png"}
    head, *rows = (tmp_path / "trace.csv").read_text().splitlines()
    assert head.startswith("t [s],") and float(rows[-1].split(",")[list(r).index("x")]) == r["x"][-1]
    r.figure.save(tmp_path / "one.png")
    with pytest.raises(bristle.InputError, match="svg"):
        r.figure.save(tmp_path / "one.gif")


def test_progress_is_told_as_tqdm_does():
    told = []

    class Bar:
        def __init__(self, total, desc):
            told.append(("begin", total, desc))

        def update(self, n):
            told.append(("update", n))

        def close(self):
            told.append(("close",))

    bristle.run("scenarios/belt.toml", {"run.end": 2000.0, "run.spacing": 0.1}, progress=Bar)
    assert told[0][0] == "begin" and told[-1] == ("close",)
    assert sum(row[1] for row in told if row[0] == "update") == told[0][1]


def test_extras():
    pandas = pytest.importorskip("pandas")
    r = bristle.run("scenarios/belt.toml", {"run.end": 1.0})
    frame = r.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "t" and frame.attrs["units"]["x"] == "m"
    data = pytest.importorskip("xarray") and r.to_xarray()
    assert data["x"].attrs["units"] == "m" and data["x"].dims == ("t",)


def test_a_plot_has_a_panel_for_each_unit():
    pytest.importorskip("matplotlib")
    r = bristle.run("scenarios/belt.toml", {"run.end": 1.0})
    figure = r.plot("x", "F", "v_rel")
    assert [axis.get_ylabel() for axis in figure.axes] == ["x [m]", "F [N]", "v_rel [m/s]"]
    with pytest.raises(KeyError, match="there is no column"):
        r.plot("y")


def test_a_linearisation_goes_to_other_programs():
    control = pytest.importorskip("control")
    scipy = pytest.importorskip("scipy.signal")
    linear = bristle.linearize("scenarios/belt.toml", {"system.drive.value": 1.0})
    assert linear.A.shape == (3, 3)
    np.testing.assert_allclose(sorted(linear.poles), sorted(np.linalg.eigvals(linear.A)), rtol=1e-6)
    system = linear.to_control()
    at = 2.0
    own = (linear.C @ np.linalg.solve(2j * np.pi * at * np.eye(3) - linear.A, linear.B) + linear.D)[0, 0]
    assert control.evalfr(system, 2j * np.pi * at)[0, 0] == pytest.approx(own, rel=1e-9)
    assert isinstance(linear.to_scipy(), scipy.StateSpace)


def test_a_cluster_runs_the_same():
    pytest.importorskip("dask.bag")
    import bristle.dask

    vary = {"system.drive.value": [0.05, 0.1, 0.15]}
    bag = bristle.dask.runs("scenarios/belt.toml", {"run.end": 1.0}, vary=vary, per_task=2)
    assert bag.npartitions == 2
    alone = bristle.runs("scenarios/belt.toml", {"run.end": 1.0}, vary=vary)
    assert [row["x"] for row in bag.compute(scheduler="sync")] == [float(r["x"][-1]) for r in alone]
