#!/bin/sh
# Our solver on a servo axis against SUNDIALS CVODE (right-hand side in C) and scipy's LSODA and Radau (in Python), in one
# run. Needs libsundials-dev and a Python with numpy and scipy; `tools/peers/run.sh` sets both up.
#
#   tools/peers/servo.sh [FOLDER]     results go to FOLDER, target/peers by default
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${1:-$root/target/peers}
mkdir -p "$folder"
python=$folder/venv/bin/python
[ -x "$python" ] || python=python3

cc -O2 -o "$folder/servo_cvode" "$here/servo_cvode.c" -lsundials_cvode -lsundials_nvecserial \
    -lsundials_sunmatrixdense -lsundials_sunlinsoldense -lm
cargo run -q --release -p bristle-machine --example servo_axis --manifest-path "$root/Cargo.toml" -- \
    "$folder/servo.txt" >"$folder/servo.csv"
"$folder/servo_cvode" "$folder/servo.txt" >>"$folder/servo.csv"
# 1e-6 of the greatest position, 0.057 m.
"$python" "$here/servo.py" "$folder/servo.txt" "$folder/servo.csv" 5.7e-8
