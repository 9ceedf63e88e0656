#!/usr/bin/env bash
# Exports units and runs them in FMPy 0.3.32, in a Python environment of its own.
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=target/fmu/venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import fmpy' 2> /dev/null || "$venv/bin/pip" install --quiet 'fmpy==0.3.32'
cargo build --release --locked -p bristle-fmu --example export
"$venv/bin/python" tools/peers/fmu.py target/release/examples/export target/fmu
