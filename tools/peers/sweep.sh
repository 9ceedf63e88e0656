#!/usr/bin/env bash
# What sweeps cost, beside a shell loop and scipy: the table of docs/performance.md. Needs a release build of the program, and Python
# with scipy (PYTHON names it).
set -euo pipefail
cd "$(dirname "$0")/../.."
bristle=${BRISTLE_PROGRAM:-target/release/bristle}
python=${PYTHON:-python3}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Time that passed, and processor time of all threads: on a shared machine the second one means more.
TIMEFORMAT='%R s, %U s of processor time'
seconds() { time "$@" > /dev/null; }
sweep() { "$bristle" sweep "$@" --quiet --overwrite; }

echo "== 12 runs in a shell loop"
loop() {
  for sigma1 in 0 400 800; do for force in 1 2.6 4.2 5.76; do
    "$bristle" run scenarios/pulse.toml --set friction.sigma1=$sigma1 --set system.drive.value=$force --quiet --overwrite --out "$out/run"
  done; done
}
seconds loop
echo "== 1225 runs of the drift map, in one thread and in two"
for threads in 1 2 1 2; do
  echo -n "threads $threads: "
  seconds sweep scenarios/sweeps/drift.toml --threads $threads --out "$out/drift" --no-figure
done
echo "== the same with figures"
seconds sweep scenarios/sweeps/drift.toml --out "$out/drift"
echo "== 10000 runs of the belt, in one thread and in two"
for threads in 1 2 1 2; do
  echo -n "threads $threads: "
  seconds sweep scenarios/belt.toml --vary 'system.drive.value=uniform(0.02,0.3)' --samples 10000 --keep 'max(x)' \
    --threads $threads --out "$out/belt" --no-figure
done
echo "== scipy and multiprocessing"
"$python" tools/peers/sweep.py 35 "$out/drift/sweep.csv"
echo "== a million step responses"
"$python" - "$bristle" sweep scenarios/sweeps/step.toml --quiet --overwrite --out "$out/step" << 'MEASURE'
import resource, subprocess, sys, time
began = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{time.perf_counter() - began:.1f} s, {used.ru_utime:.1f} s of processor time, {used.ru_maxrss / 1024:.0f} MB at most")
MEASURE
