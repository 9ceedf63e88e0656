"""What is wrong is told, all of it at once, in the words of the declarations."""

import pickle

import pytest

import bristle

BELT = """
title = "A belt"
[system]
model = "belt"
mas = 2
[friction]
model = "lugre"
sigma1 = -1
[run]
end = -1
"""


def test_all_faults_of_a_text_at_once_with_places():
    with pytest.raises(bristle.InputError) as caught:
        bristle.run(BELT)
    error = caught.value
    assert isinstance(error, ValueError)
    assert [f.key for f in error.faults] == ["system.mas", "friction.sigma1", "run.end"]
    assert [f.line for f in error.faults] == [5, 8, 10]
    damping = error.faults[1]
    assert (damping.value, damping.unit, damping.allowed) == (-1.0, "s/m", "[0, inf)")
    assert "bristle damping" in damping.message
    assert all(fault.message in str(error) for fault in error.faults)
    again = pickle.loads(pickle.dumps(error))
    assert again.faults == error.faults and str(again) == str(error)


def test_faults_of_parameters_say_what_the_declaration_says():
    with pytest.raises(bristle.InputError) as caught:
        bristle.Friction("frbd", sigma0=-1, sigma_9=2, law={"mu_s": 0.1, "mu_d": 0.3})
    keys = [f.key for f in caught.value.faults]
    assert set(keys) == {"sigma0", "sigma_9", "law.mu_s"}
    told = str(caught.value)
    assert "did you mean `sigma0`" in told or "did you mean `sigma1`" in told
    assert "must be at least mu_d" in told


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: bristle.Friction("frdb"), "did you mean `frbd`"),
        (lambda: bristle.run("scenarios/bell.toml"), "cannot read"),
        (lambda: bristle.run("bell"), "neither a file nor a model"),
        (lambda: bristle.run({"run": {"end": 1}}), "system.model is missing"),
        (lambda: bristle.run("scenarios/belt.toml", {"friction.sigma1": -4}), "sigma1 = -4"),
        (lambda: bristle.run("scenarios/belt.toml", {"frction.sigma1": 4}), "frction"),
        (lambda: bristle.run("scenarios/belt.toml", {"friction.sigma1": object()}), "neither a number"),
        (lambda: bristle.run("scenarios/belt.toml", "friction"), "overrides must be a dict"),
        (lambda: bristle.audit("frbd_planar"), "slides in a plane"),
        (lambda: bristle.audit("scenarios/belt.toml", load=3.0), "load has no meaning"),
        (lambda: bristle.linearize("frbd", at=float("nan")), "at = NaN"),
        (lambda: bristle.linearize("scenarios/belt.toml", output="y"), "there are"),
        (lambda: bristle.loop("frbd", amplitude=-1.0), "amplitude = -1 m"),
        (lambda: bristle.cycle("frbd"), "a cycle needs"),
        (lambda: bristle.map("frbd"), "a map needs"),
        (lambda: bristle.compare(["frbd_planar"]), "slides in a plane"),
        (lambda: bristle.compare(None, {"friction.gnu": 3}), "gnu"),
        (lambda: bristle.papers("005"), "there is no 005"),
        (lambda: bristle.models("frbt"), "did you mean `frbd`"),
        (lambda: bristle.schema("ran"), "must be one of"),
        (lambda: bristle.Patch(n=0.3), "n = 0.3"),
        (lambda: bristle.Patch(wide=3), "wide"),
        (lambda: bristle.Patch().steady(sigma_x=[0.1, float("inf")]), "point 1"),
        (lambda: bristle.Patch().steady(phi1=40.0), "tilting centre"),
        (lambda: bristle.Line(), "friction"),
        (lambda: bristle.Machine(bodies=[]), "a machine has no `bodies`"),
        (lambda: bristle.Machine().run(1.0), "body"),
        (lambda: bristle.fit({"log": []}), "there is no log"),
        (lambda: bristle.Fit([{"x": [1.0]}], friction="frbd", free=["sigma0"]).run(), "t is missing"),
        (lambda: bristle.simulate(lambda t, y, F: y, [], [0.0], 1.0), "there is no contact"),
        (lambda: bristle.Friction("frbd").steady("fast"), "must be a number"),
        (lambda: bristle.Friction("frbd").steady([1.0, 2.0], [1.0, 2.0, 3.0]), "broadcast"),
    ],
)
def test_mistakes_are_input_errors_that_say_what_to_do(call, said):
    with pytest.raises(bristle.InputError) as caught:
        call()
    assert said in str(caught.value)
    assert caught.value.faults
    assert "--" not in str(caught.value), "options of the command line mean nothing here"


def test_a_run_that_fails_is_a_run_error():
    with pytest.raises(bristle.RunError, match="max|steps"):
        bristle.run("scenarios/belt.toml", {"run.max_steps": 3})


def test_what_a_function_raises_comes_through():
    f = bristle.Friction("frbd")
    sled = bristle.Contact(f, velocity=lambda t, y: y[1])

    def rhs(t, y, F):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        bristle.simulate(rhs, [sled], {"x": 0.0, "v": 1.0}, 1.0)
    with pytest.raises(bristle.InputError, match="2 rates"):
        bristle.simulate(lambda t, y, F: [1.0], [sled], {"x": 0.0, "v": 1.0}, 1.0)
