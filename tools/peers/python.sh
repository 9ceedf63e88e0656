#!/bin/sh
# What the Python package costs beside Rust lanes, NumPy, numba and scipy. Sets the others up by name, installs the package
# from this clone, runs everything on this machine and prints one table.
#
#   tools/peers/python.sh [FOLDER]     results and set-up go to FOLDER, target/peers by default
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${1:-$root/target/peers}
mkdir -p "$folder"

if ! [ -x "$folder/python/bin/python" ]; then
    python3 -m venv "$folder/python"
    "$folder/python/bin/pip" install -q numpy numba scipy
fi
"$folder/python/bin/pip" install -q "$root"
cargo build -q --release -p bristle-kernel --example batch --manifest-path "$root/Cargo.toml"
"$folder/python/bin/python" "$here/python.py" "$root/target/release/examples/batch"
