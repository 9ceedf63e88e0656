#!/bin/sh
# Our solver against others on the same problems: belt and chains of blocks (SUNDIALS CVODE), festoon and
# valve (scipy's LSODA). Sets the others up by name, runs everything on this machine and prints one table.
#
#   tools/peers/run.sh [FOLDER]     results and set-up go to FOLDER, target/peers by default
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${1:-$root/target/peers}
mkdir -p "$folder"

if ! [ -e /usr/include/cvode/cvode.h ]; then
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    $sudo apt-get update >"$folder/apt.log" 2>&1
    $sudo apt-get install -y libsundials-dev >>"$folder/apt.log" 2>&1
fi
if ! [ -x "$folder/venv/bin/python" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install -q numpy scipy
fi

cc -O2 -o "$folder/belt_cvode" "$here/belt_cvode.c" -lsundials_cvode -lsundials_nvecserial \
    -lsundials_sunmatrixdense -lsundials_sunlinsoldense -lm
cc -O2 -o "$folder/chain_cvode" "$here/chain_cvode.c" -lsundials_cvode -lsundials_nvecserial \
    -lsundials_sunmatrixband -lsundials_sunlinsolband -lsundials_sunnonlinsolfixedpoint -lm

right=$(sed -n 's/^belt,LuGre,x(20)_m,\([^,]*\),.*/\1/p' \
    "$root/data/reference/lugre-or-not/scalars.csv")
cargo bench -q -p bristle-bench --bench peers --manifest-path "$root/Cargo.toml" -- "$folder" \
    >"$folder/rows.csv"
"$folder/belt_cvode" "$right" >>"$folder/rows.csv"
"$folder/chain_cvode" "$folder" >>"$folder/rows.csv"
"$folder/venv/bin/python" "$here/peers.py" "$folder" >>"$folder/rows.csv"
"$folder/venv/bin/python" "$here/table.py" "$folder/rows.csv"
