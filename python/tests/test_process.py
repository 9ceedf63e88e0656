"""What a long-lived interpreter asks for: interrupts, threads, forks, memory."""

import gc
import multiprocessing
import os
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import bristle

ROOT = Path(__file__).parents[2]

LONG = {
    "a run": 'bristle.run("scenarios/belt.toml", {"run.end": 1e9, "run.spacing": 1e6})',
    "a surface": 'bristle.Patch(accuracy=1e-12).surface(sigma_x_points=400, sigma_y_points=400, phi1=2.5)',
    "points": 'bristle.Patch(accuracy=1e-12).steady(sigma_x=np.linspace(0, 1, 10**6), phi1=2.0)',
    "a fit": 'bristle.fit("data/logs/slide.toml", ["lugre", "frbd", "dahl", "frbd_gm"])',
    "papers": "bristle.papers()",
    "a step": '[bristle.Friction("implicit").states(10**6).step(0.1, 1.0, 1e-3) for _ in range(10**6)]',
    "steady sliding": '[bristle.Friction("implicit").steady(np.linspace(-1, 1, 10**6)) for _ in range(10**6)]',
    "a function": "bristle.simulate(lambda t, y, F: [y[1], -F[0] - 1e4 * np.sin(1e5 * t)], "
    '[bristle.Contact(bristle.Friction("frbd"), lambda t, y: y[1])], [0.0, 0.0], 1e9, spacing=1e6)',
}


@pytest.mark.parametrize("what", LONG)
def test_an_interrupt_ends_it_at_once(what):
    """Within a fifth of a second on a machine with nothing else to do; ten times that is asked for where others compute."""
    code = textwrap.dedent(f"""
        import time, signal, threading, os, sys
        import numpy as np, bristle
        sent = []
        def interrupt():
            time.sleep(0.7)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt, daemon=True).start()
        try:
            {LONG[what]}
        except KeyboardInterrupt:
            print(time.perf_counter() - sent[0], flush=True)
            os._exit(0)
        os._exit(3)
    """)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 2.0


def test_others_go_on_while_it_computes():
    """The interpreter is released: another thread counts on meanwhile."""
    counted, over = [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    bristle.compare(["frbd", "lugre", "implicit"])
    before = counted[0]
    over.set()
    thread.join()
    assert before > 3


def test_threads_share_everything():
    f = bristle.Friction("frbd")
    v = np.linspace(-0.1, 0.1, 20_000)
    expected, alone = f.steady(v, 2.0), bristle.run("scenarios/belt.toml")
    with ThreadPoolExecutor(8) as pool:
        forces = [pool.submit(f.steady, v, 2.0) for _ in range(16)]
        made = [pool.submit(bristle.run, "scenarios/belt.toml") for _ in range(8)]
        assert all(np.array_equal(force.result(), expected) for force in forces)
        assert all(one.result() == alone for one in made)


def test_states_are_stepped_by_one_thread_at_a_time():
    s = bristle.Friction("implicit").states(300_000)
    refused = []

    def step():
        try:
            for _ in range(3):
                s.step(0.1, 1.0, 1e-3)
        except RuntimeError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=step) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all("borrowed" in text for text in refused)
    assert np.all(np.isfinite(s.z))


def _in_a_child(queue):
    try:
        p = bristle.Patch().surface(sigma_x_points=5, sigma_y_points=5)
        s = bristle.Friction("frbd").states(50_000)
        queue.put((len(p["Fx"]), float(s.step(0.1, 1.0, 1e-3)[0]), len(bristle.run("scenarios/belt.toml").t)))
    except BaseException as error:
        queue.put(repr(error))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_computes_on():
    """The threads of the parent are not there in the child."""
    bristle.Patch().surface(sigma_x_points=5, sigma_y_points=5)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_a_child, args=(queue,))
    child.start()
    found = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    s = bristle.Friction("frbd").states(50_000)
    assert found == (25, float(s.step(0.1, 1.0, 1e-3)[0]), len(bristle.run("scenarios/belt.toml").t))


def test_another_interpreter_does_no_harm():
    """It may refuse; afterwards the first one computes as before."""
    code = textwrap.dedent("""
        import bristle
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        own = interpreters.create()
        said = "try:\\n import bristle\\nexcept ImportError:\\n pass\\nexcept Exception as e:\\n print(type(e))"
        for run in ("run_string", "exec"):
            if hasattr(interpreters, run):
                getattr(interpreters, run)(own, said)
                break
        interpreters.destroy(own)
        print(len(bristle.run("scenarios/belt.toml").t) > 10)
    """)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.strip().endswith("True"), done.stderr


def resident() -> int:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.parametrize("many", [int(os.environ.get("BRISTLE_RUNS", 1000))])
def test_nothing_leaks(many):
    """`BRISTLE_RUNS=100000` asks for as many; a run, a batch and a refusal each."""
    table = {"system": {"model": "belt"}, "friction": {"model": "frbd"}, "run": {"end": 0.01}}
    f = bristle.Friction("frbd")

    def once():
        bristle.run(table).ledger
        f.states(64).step(0.1, 1.0, 1e-3)
        try:
            bristle.run(table, {"friction.sigma0": -1})
        except bristle.InputError:
            pass

    for _ in range(300):
        once()
    before = resident()
    for _ in range(many):
        once()
    grown = resident() - before
    assert grown < 4 << 20, f"{grown} bytes more after {many} runs"


def test_as_many_threads_as_are_asked_for():
    before = bristle.threads()
    bristle.use_threads(1)
    try:
        assert bristle.threads() == 1
        f = bristle.Friction("frbd")
        one = f.steady(np.linspace(-1, 1, 50_000))
    finally:
        bristle.use_threads(0)
    assert bristle.threads() == before
    np.testing.assert_array_equal(f.steady(np.linspace(-1, 1, 50_000)), one)


