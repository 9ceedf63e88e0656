"""Runs every example for a second under a slow push to and fro, and copies and resets it on the way.

    tools/mujoco/build.sh && target/mujoco/venv/bin/python tools/mujoco/examples.py
"""
import math
from pathlib import Path

import mujoco
import numpy as np

mujoco.mj_loadPluginLibrary(str(Path("target/mujoco/libbristle_mujoco.so").resolve()))


def steps(m, d, n):
    for _ in range(n):
        d.ctrl[0] = math.sin(2 * math.pi * d.time)
        mujoco.mj_step(m, d)
    return d.qpos[0], d.qvel[0]


for path in sorted(Path("tools/mujoco/examples").glob("*.xml")):
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    first = steps(m, d, 500)
    saved = np.empty(mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_INTEGRATION))
    mujoco.mj_getState(m, d, saved, mujoco.mjtState.mjSTATE_INTEGRATION)
    other = mujoco.MjData(m)
    mujoco.mj_setState(m, other, saved, mujoco.mjtState.mjSTATE_INTEGRATION)
    end, same = steps(m, d, 500), steps(m, other, 500)
    assert end == same, (path.stem, end, same)
    mujoco.mj_resetData(m, d)
    assert steps(m, d, 500) == first, path.stem
    assert all(map(math.isfinite, end)), path.stem
    print(f"{path.stem}: {end[0]:.6f}")
