#!/usr/bin/env bash
# Builds the MuJoCo plugin over the C library, against the headers in the `mujoco` wheel, in a Python environment of its own.
#
#   tools/mujoco/build.sh            # target/mujoco/libbristle_mujoco.so
set -euo pipefail
cd "$(dirname "$0")/../.."
out=target/mujoco
mkdir -p "$out"

[ -x "$out/venv/bin/python" ] || python3 -m venv "$out/venv"
"$out/venv/bin/python" -c 'import mujoco, matplotlib' 2> /dev/null ||
  "$out/venv/bin/pip" install --quiet 'mujoco==4.0.0' matplotlib
wheel=$("$out/venv/bin/python" -c 'import mujoco, os; print(os.path.dirname(mujoco.__file__))')

cargo build --release --locked -p bristle-c
gcc -O2 -Wall -Wextra -shared -fPIC -I "$wheel/include" -I crates/c/include tools/mujoco/bristle_plugin.c \
  target/release/libbristle_c.a -L "$wheel" "-l:$(basename "$wheel"/libmujoco.so.*)" -Wl,-rpath,"$wheel" \
  -lm -lpthread -ldl -o "$out/libbristle_mujoco.so"
echo "$out/libbristle_mujoco.so"
