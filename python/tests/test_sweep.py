"""Sweeps: on one machine, in a folder, on a cluster whose workers die; the same numbers everywhere."""

import json
import os
import signal
import threading
import time

import numpy as np
import pytest

import bristle

PULSE = "scenarios/pulse.toml"
VARY = {"friction.sigma1": "0:800:6", "system.drive.value": [1.0, 4.5, 5.5]}
KEEP = {"drift [mm]": "1e3*end(x)", "work_J": "work_J"}


@pytest.fixture(scope="module")
def drift():
    return bristle.sweep(PULSE, vary=VARY, keep=KEEP)


def bits(sweep):
    return sweep._values.tobytes(), sweep.failed


def test_rows_are_those_of_runs(drift):
    assert list(drift) == ["friction.sigma1", "system.drive.value", "drift", "work_J"]
    assert drift.units == {"friction.sigma1": "N*s/m", "system.drive.value": "N", "drift": "mm", "work_J": "J"}
    k = 10
    over = {key: float(drift[key][k]) for key in VARY}
    assert drift["drift"][k] == 1e3 * bristle.run(PULSE, over)["x"][-1]
    assert drift.summary["points"] == 18 and "drift [mm]" in drift.text
    assert "drift" in drift.figure.svg


def test_rows_are_those_of_the_program(drift, program, tmp_path):
    words = ["--vary", "friction.sigma1=0:800:6", "--vary", "system.drive.value=1.0,4.5,5.5"]
    words += ["--keep", "drift [mm]=1e3*end(x)", "--keep", "work_J=work_J"]
    program("sweep", PULSE, *words, out=tmp_path / "program")
    drift.save(tmp_path / "own")
    for name in ["sweep.csv", "sweep.parquet", "figure.svg"]:
        assert (tmp_path / "program" / name).read_bytes() == (tmp_path / "own" / name).read_bytes(), name
    assert json.loads((tmp_path / "program" / "summary.json").read_text()) == drift.summary


def test_parquet_is_read_by_others(drift, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    mixed = bristle.sweep(
        PULSE, vary={"friction.model": ["lugre", "dahl", "frbd"], "run.max_steps": [3, 100000]}, keep=["end(x)"]
    )
    for sweep in [drift, mixed]:
        sweep.save(tmp_path)
        table = parquet.read_table(tmp_path / "sweep.parquet")
        assert table.column("index").to_pylist() == list(range(len(sweep._sweep)))
        for name in sweep:
            np.testing.assert_array_equal(table.column(name).to_numpy(), sweep[name])
        failed = [sweep.failed.get(k, "") for k in range(len(sweep._sweep))]
        assert table.column("failed").to_pylist() == failed
        units = json.loads(table.schema.metadata[b"units"])
        assert all(units[name] == unit for name, unit in sweep.units.items())
    assert table.column("friction.model").to_pylist() == ["lugre", "lugre", "dahl", "dahl", "frbd", "frbd"]
    assert len(mixed.failed) == 3 and "step" in mixed.failed[0]


def test_many_groups_of_rows_are_read_too(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    sweep = bristle.sweep(
        PULSE, {"run.end": 1e-6, "run.method": "dormand_prince"}, vary={"initial.x": "uniform(0, 1)"}, samples=70_000, keep=["start(x)"]
    )
    sweep.save(tmp_path)
    file = parquet.ParquetFile(tmp_path / "sweep.parquet")
    assert file.num_row_groups == 2
    values = file.read().column("start(x)").to_numpy()
    np.testing.assert_array_equal(values, sweep["start(x)"])
    # Random numbers of (0, 1).
    assert abs(values.mean() - 0.5) < 4 * 0.2887 / 70_000**0.5


def test_a_dataset_has_a_dimension_for_every_key(drift):
    pytest.importorskip("xarray")
    data = drift.to_xarray()
    assert data["drift"].dims == ("friction.sigma1", "system.drive.value")
    assert data["drift"].attrs["units"] == "mm"
    at = data["drift"].sel({"friction.sigma1": 800.0, "system.drive.value": 4.5})
    assert float(at) == drift["drift"][5 * 3 + 1]
    sampled = bristle.sweep(
        PULSE,
        vary={"friction.model": ["lugre", "frbd"], "friction.law.mu_s": "normal(0.6, 0.01)"},
        samples=8,
        keep=["end(x)"],
    ).to_xarray()
    assert sampled["end(x)"].dims == ("friction.model", "sample")
    assert sampled["friction.law.mu_s"].dims == ("sample",)
    assert list(sampled["friction.model"].values) == ["lugre", "frbd"]


def test_what_makes_no_sense_is_told_at_once():
    with pytest.raises(bristle.InputError, match="did you mean `friction.sigma1`"):
        bristle.sweep(PULSE, vary={"friction.sgma1": [1.0]}, keep=["end(x)"])
    with pytest.raises(bristle.InputError, match="from:to:count"):
        bristle.sweep(PULSE, vary={"friction.sigma1": "1:2"})
    with pytest.raises(bristle.InputError, match="per_task"):
        bristle.sweep(PULSE, per_task=0)
    with pytest.raises(bristle.InputError, match="take a value of it"):
        bristle.sweep(PULSE, keep=["x"])


def test_a_folder_keeps_what_is_finished(tmp_path, drift):
    first = bristle.sweep(PULSE, vary=VARY, keep=KEEP, folder=tmp_path / "rows", per_task=4)
    assert bits(first) == bits(drift)
    # As an interrupt leaves it: the first rows are there, the last ones are not.
    rows = tmp_path / "rows" / "rows.bin"
    kept = rows.read_bytes()
    del first
    rows.write_bytes(kept[: 24 * 10])
    again = bristle.sweep(PULSE, vary=VARY, keep=KEEP, folder=tmp_path / "rows", per_task=4)
    assert bits(again) == bits(drift) and rows.read_bytes() == kept
    with pytest.raises(ValueError, match="of another sweep"):
        bristle.sweep(PULSE, {"system.mass": 2.0}, vary=VARY, keep=KEEP, folder=tmp_path / "rows")


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed")
    import dask

    # Ports of their own, no page; a worker that dies is not a reason to give a task up.
    settings = {"distributed.scheduler.allowed-failures": 10, "distributed.admin.tick.limit": "60s"}
    with dask.config.set(settings):
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as own:
            with distributed.Client(own) as client:
                yield client


@pytest.mark.filterwarnings("default")
def test_a_cluster_gives_the_same_bits_though_a_worker_dies(cluster):
    vary = {"friction.sigma1": "uniform(0, 800)", "friction.law.mu_s": "normal(0.6, 0.01)"}
    asked = dict(vary=vary, keep=KEEP, samples=600, seed=4)
    alone = bristle.sweep(PULSE, **asked)
    pids = list(cluster.run(os.getpid).values())
    assert len(set(pids)) == 2 and os.getpid() not in pids
    done, killed = [], []

    class Bar:
        def __init__(self, total, desc):
            pass

        def update(self, n):
            done.append(n)
            if len(done) == 3:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        def close(self):
            pass

    spread = bristle.sweep(PULSE, **asked, client=cluster, per_task=20, progress=Bar)
    assert killed and bits(spread) == bits(alone)
    # The dead one is gone; another may have taken its place.
    deadline = time.monotonic() + 60
    while pids[0] in cluster.run(os.getpid).values():
        assert time.monotonic() < deadline
        threading.Event().wait(0.2)
