"""Two pulses on a resting mass in MuJoCo: its own LuGre (dcmotor) and Bristle's models side by side.

The case is 002 §4.3, set 1: 1 kg under 9.81 N, whose static limit is 5.89 N. Pulses of 0.1 s every 0.2 s, 0.4 s in all.

    tools/mujoco/build.sh && target/mujoco/venv/bin/python tools/mujoco/pulse.py [OUT.svg]
"""
import sys
from pathlib import Path

import mujoco

mujoco.mj_loadPluginLibrary(str(Path("target/mujoco/libbristle_mujoco.so").resolve()))
MODELS = ["lugre", "frbd", "implicit", "elasto_plastic", "dry"]
BODY = """<mujoco>{extension}
  <option timestep="{h}" gravity="0 0 0" integrator="implicitfast"/>
  <worldbody><body><joint name="x" type="slide" axis="1 0 0"/><geom size="0.1" mass="1"/>{plugin}</body></worldbody>
  {actuator}
</mujoco>"""
# Stiffness, damping, Coulomb and static level, Stribeck velocity of set 1. The motor itself does nothing.
OWN = """<actuator><dcmotor joint="x" motorconst="1e-9" resistance="1e9"
  lugre="39000 395 2.943 5.886 0.01"/></actuator>"""
EXTENSION = """<extension><plugin plugin="bristle.friction"><instance name="f"><config key="model" value="{model}"/>{set}
  <config key="load" value="9.81"/></instance></plugin></extension>"""
SET = '<config key="set" value="lugre-or-not-set-1"/>'
# The set is not for `dry`, which takes its law alone.
LAW = '<config key="parameters" value="law.mu_d=0.3 law.mu_s=0.6 law.v_s=0.01 law.exponent=1"/>'


def model(name, h):
    if name == "MuJoCo":
        return BODY.format(h=h, extension="", plugin="", actuator=OWN)
    given = SET if name != "dry" else LAW
    extension = EXTENSION.format(model=name, set=given)
    plugin = '<plugin plugin="bristle.friction" instance="f"/>'
    return BODY.format(h=h, extension=extension, plugin=plugin, actuator="")


def run(name, h, pulse):
    m = mujoco.MjModel.from_xml_string(model(name, h))
    d = mujoco.MjData(m)
    rows = []
    for k in range(round(0.4 / h)):
        d.qfrc_applied[0] = pulse if (k * h) % 0.2 < 0.1 - 1e-9 else 0.0
        mujoco.mj_step(m, d)
        rows.append((d.time, d.qpos[0]))
    return rows


def main():
    print("| mm after two pulses of | 2 N, 0.1 ms | 1 ms | 4.5 N, 0.1 ms | 1 ms |")
    print("|---|---|---|---|---|")
    for name in ["MuJoCo"] + MODELS:
        cells = [1e3 * run(name, h, pulse)[-1][1] for pulse in (2.0, 4.5) for h in (1e-4, 1e-3)]
        label = "MuJoCo's dcmotor LuGre" if name == "MuJoCo" else f"`{name}`"
        print(f"| {label} | " + " | ".join(f"{cell:.3g}" for cell in cells) + " |")
    if len(sys.argv) > 1:
        draw(sys.argv[1])


def draw(path):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.6))
    for name in ["MuJoCo", "lugre", "frbd", "implicit"]:
        t, x = zip(*run(name, 1e-4, 4.5))
        label = "dcmotor LuGre of MuJoCo" if name == "MuJoCo" else f"{name}, Bristle"
        axes.plot(t, [1e3 * x for x in x], "--" if name == "MuJoCo" else "-", label=label)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("position (mm)")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


main()
