#!/usr/bin/env bash
# What sweeps cost, beside a shell loop and scipy: the table of docs/performance.md. Needs a release build of the program, Python with
# scipy (PYTHON names it), and GNU time for the memory.
set -euo pipefail
cd "$(dirname "$0")/../.."
bristle=${BRISTLE_PROGRAM:-target/release/bristle}
python=${PYTHON:-python3}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

seconds() { local began; began=$(date +%s%N); "$@" > /dev/null; echo $((($(date +%s%N) - began) / 1000000)) ms; }
sweep() { "$bristle" sweep "$@" --quiet --overwrite; }

echo "== 12 runs in a shell loop"
loop() {
  for sigma1 in 0 400 800; do for force in 1 2.6 4.2 5.76; do
    "$bristle" run scenarios/pulse.toml --set friction.sigma1=$sigma1 --set system.drive.value=$force --quiet --overwrite --out "$out/run"
  done; done
}
seconds loop
echo "== 1225 runs of the drift map, in one thread and in two"
for threads in 1 2 1 2 1 2; do
  echo "threads $threads: $(seconds sweep scenarios/sweeps/drift.toml --threads $threads --out "$out/drift" --no-figure)"
done
echo "== the same with figures"
seconds sweep scenarios/sweeps/drift.toml --out "$out/drift"
echo "== 20000 runs of the belt, in one thread and in two"
for threads in 1 2 1 2; do
  echo "threads $threads: $(seconds sweep scenarios/belt.toml --vary system.drive.value=uniform\(0.02,0.3\) --samples 2000 --keep 'max(x)' \
    --threads $threads --out "$out/belt" --no-figure)"
done
echo "== scipy and multiprocessing"
"$python" tools/peers/sweep.py 35 "$out/drift/sweep.csv"
echo "== a million step responses"
/usr/bin/time -f '%e s, %U s of processor time, %M kB' "$bristle" sweep scenarios/sweeps/step.toml --quiet --overwrite --out "$out/step" > /dev/null
