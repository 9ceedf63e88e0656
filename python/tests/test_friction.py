"""Friction elements, one and many."""

import copy
import math
import pickle

import numpy as np
import pytest

import bristle

LAW = {"model": "stribeck", "mu_s": 0.15, "mu_d": 0.1, "v_s": 1e-3}


def every_model() -> list[str]:
    return [entry["name"] for entry in bristle.models().summary if entry["kind"].startswith("model")]


def test_steady_sliding_follows_the_law():
    f = bristle.Friction("lugre", law=LAW)
    v = np.array([-0.1, -1e-3, 1e-3, 0.1])
    mu = 0.1 + 0.05 * np.exp(-((v / 1e-3) ** f["law.exponent"]))
    np.testing.assert_allclose(f.steady(v, load=9.81), 9.81 * np.sign(v) * mu, rtol=1e-12)


def test_arguments_broadcast():
    f = bristle.Friction("frbd", law=LAW)
    v, load = np.linspace(-0.1, 0.1, 7)[:, None], np.array([0.0, 1.0, 5.0])
    forces = f.steady(v, load)
    assert forces.shape == (7, 3)
    assert forces[5, 2] == f.steady(float(v[5, 0]), 5.0)
    assert np.all(forces[:, 0] == 0.0), "there is no friction without load"
    assert isinstance(f.steady(0.01), float)
    assert f.steady([], 1.0).shape == (0,)


@pytest.mark.parametrize("model", every_model())
def test_every_model_is_built_by_its_name_alone_and_pasted_back(model):
    f = bristle.Friction(model)
    assert eval(repr(f)) == f
    assert pickle.loads(pickle.dumps(f)) == f
    assert copy.deepcopy(f) == f
    assert model in f._repr_html_()
    assert hash(f) == hash(bristle.Friction(model))
    for key, p in f.parameters.items():
        assert p.meaning and p.value == p.start or p.key == key


def test_what_differs_is_shown_and_nothing_else():
    f = bristle.Friction("frbd", sigma0=1e5, law=LAW)
    assert repr(f) == (
        "bristle.Friction('frbd', sigma0=100000.0, "
        "law={'model': 'stribeck', 'mu_d': 0.1, 'mu_s': 0.15, 'v_s': 0.001})"
    )
    assert eval(repr(f)) == f != bristle.Friction("frbd")


def test_replace_keeps_the_rest():
    f = bristle.Friction("frbd", sigma0=1e5, law=LAW)
    other = f.replace(sigma1=3.0, law={"mu_s": 0.2})
    assert (other["sigma0"], other["sigma1"], other["law.mu_s"], other["law.mu_d"]) == (1e5, 3.0, 0.2, 0.1)
    assert f["law.mu_s"] == 0.15


def test_sets_of_the_papers_load():
    f = bristle.Friction("frbd", set="frbd-table-2")
    assert f != bristle.Friction("frbd")
    assert eval(repr(f)) == f


def test_a_batch_does_what_one_element_does():
    """Lanes have an exponential of their own, which differs in the last digits."""
    f = bristle.Friction("frbd", law=LAW)
    n = 1003
    v = 0.02 * np.sin(np.arange(n))
    load = 1.0 + np.arange(n) % 5
    batch, forces = f.states(n), []
    for _ in range(5):
        forces.append(batch.step(v, load, 1e-3))
    for i in (0, 1, 500, 1000, 1001, 1002):
        one = f.states()
        for k in range(5):
            force = one.step(float(v[i]), float(load[i]), 1e-3)
            assert math.isclose(force, forces[k][i], rel_tol=1e-12)
        np.testing.assert_allclose(batch.z[:, i], one.z, rtol=1e-12)


def test_threads_change_no_bit():
    f = bristle.Friction("frbd", law=LAW)
    n = 50_003
    v = 0.02 * np.sin(np.arange(n))
    whole, part = f.states(n), f.states(1003)
    for _ in range(3):
        force, first = whole.step(v, 2.0, 1e-3), part.step(v[:1003], 2.0, 1e-3)
    np.testing.assert_array_equal(force[:1003], first)
    np.testing.assert_array_equal(whole.z[:, :1003], part.z)


@pytest.mark.parametrize("model", every_model())
def test_every_model_steps_in_batches_as_it_does_alone(model):
    f = bristle.Friction(model)
    updates = [e for e in bristle.models(model).summary["abilities"]["fixed_step"]]
    shape = (6, 2) if f.planar else (6,)
    for update in updates:
        batch = f.states(6)
        ones = [f.states(1) for _ in range(6)]
        for k in range(20):
            v = 0.01 * np.cos(0.3 * k + np.arange(np.prod(shape))).reshape(shape)
            forces = batch.step(v, 2.0, 1e-3, update=update)
            assert forces.shape == shape and np.all(np.isfinite(forces))
            for i, one in enumerate(ones):
                np.testing.assert_array_equal(one.step(v[i : i + 1], 2.0, 1e-3, update=update)[0], forces[i])


def test_states_in_place():
    f = bristle.Friction("frbd", law=LAW)
    s = f.states((4, 3))
    assert s.shape == (4, 3) and len(s) == 12 and s.z.shape == (1, 4, 3)
    out = np.empty((4, 3))
    assert s.step(0.01, 1.0, 1e-3, out=out) is out
    assert np.all(out > 0.0) and np.all(s.z > 0.0)
    s.z = 1e-6
    assert np.all(s.z == 1e-6)
    again = pickle.loads(pickle.dumps(s))
    assert again == s and copy.copy(s) == s
    np.testing.assert_array_equal(again.step(0.01, 1.0, 1e-3), s.step(0.01, 1.0, 1e-3))
    s.reset()
    assert np.all(s.z == 0.0) and s != again
    assert eval(repr(s)) == s


def test_the_midpoint_update_is_passive():
    """000 (26): what goes in at the mean force is stored or lost."""
    f = bristle.Friction("frbd")
    s = f.states(256)
    rng = np.random.default_rng(1)
    work = np.zeros(256)
    for _ in range(400):
        v = 0.05 * rng.standard_normal(256)
        work += s.step(v, 1.0, 5e-3) * v * 5e-3
        stored = 0.5 * f["sigma0"] * s.z[0] ** 2
        assert np.all(work >= stored - 1e-12)


def test_in_a_plane():
    f = bristle.Friction("frbd_planar")
    force = f.steady([0.3, 0.4], 100.0)
    assert force[0] / force[1] == pytest.approx(0.75, rel=1e-9)
    assert f.steady(np.zeros((5, 2)) + 0.1, np.ones(5)).shape == (5, 2)
    assert f.states(3).step([[0.1, 0.0]] * 3, 1.0, 1e-3).shape == (3, 2)
    with pytest.raises(bristle.InputError, match="two components"):
        f.steady(0.1)


def test_what_a_model_cannot_is_refused():
    with pytest.raises(bristle.InputError, match="has no update"):
        bristle.Friction("frbd_gm").states(2).step(0.1, 1.0, 1e-3, update="end")
    with pytest.raises(bristle.InputError, match="must be one of"):
        bristle.Friction("frbd").states(2).step(0.1, 1.0, 1e-3, update="euler")
    with pytest.raises(bristle.InputError, match="h = -1"):
        bristle.Friction("frbd").states(2).step(0.1, 1.0, -1.0)
