#!/usr/bin/env bash
# Builds the library without std and runs the 1 kHz loop with it: no heap, no standard library.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --release --locked
out=target/release
gcc -O2 -Wall -Wextra -Werror -DBRISTLE_BARE -I ../include ../examples/loop.c "$out/libbristle_bare.a" -Wl,--gc-sections -lm -o "$out/loop"
"$out/loop"
needs=$(nm --undefined-only "$out/libbristle_bare.a" 2> /dev/null | awk '$1 == "U" && $2 !~ /^_/ { print $2 }' | sort -u)
# Symbols of one object that another of the archive has do not count.
has=$(nm --defined-only "$out/libbristle_bare.a" 2> /dev/null | awk 'NF == 3 { print $3 }' | sort -u)
comm -23 <(echo "$needs") <(echo "$has") | tee "$out/needs.txt"
[ -z "$(grep -vxE 'memcpy|memset|memmove|memcmp|bcmp|strlen|fmod' "$out/needs.txt")" ]
