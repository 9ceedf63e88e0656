#!/usr/bin/env bash
# Instructions a step, flash and RAM of generated steps on an emulated Cortex-M4 (doubles in software) and Cortex-M7 (in hardware).
#
# Needs the Debian packages gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm.
set -euo pipefail
cd "$(dirname "$0")/../../.."
out=target/cortex
mkdir -p "$out"
echo "| model | core | instructions a step | flash of the step, bytes | with its mathematical functions | RAM, bytes |"
echo "|---|---|---|---|---|---|"
for model in frbd lugre; do
  cargo run --quiet --locked -p bristle-codegen --example microcontroller -- "$model" > "$out/$model.c"
  while read -r core fpu machine; do
    flags=(-mcpu="$core" -mthumb -mfloat-abi=hard -mfpu="$fpu" -O2 -ffunction-sections -fdata-sections)
    build() { arm-none-eabi-gcc "${flags[@]}" "$@"; }
    build -c "$out/$model.c" -o "$out/$model.o"
    build -DMODEL="${model}_step" tools/peers/cortex/main.c "$out/$model.o" --specs=rdimon.specs -nostartfiles \
      -T tools/peers/cortex/memory.ld -Wl,--gc-sections -lm -lrdimon -o "$out/$model.elf"
    # The same function linked alone tells what it draws in.
    build "$out/$model.o" -nostartfiles --specs=nosys.specs -Wl,--gc-sections -Wl,-e,"${model}_step" -lm -o "$out/$model.alone" 2> /dev/null
    count=$(timeout 60 qemu-system-arm -M "$machine" -icount shift=0 -nographic -monitor none -serial none \
      -semihosting-config enable=on,target=native -kernel "$out/$model.elf" 2>&1)
    own=$(arm-none-eabi-size "$out/$model.o" | awk 'NR == 2 { print $1 }')
    all=$(arm-none-eabi-size "$out/$model.alone" | awk 'NR == 2 { print $1 }')
    ram=$(arm-none-eabi-size "$out/$model.alone" | awk 'NR == 2 { print $2 + $3 }')
    echo "| \`$model\` | $core | $count | $own | $all | $ram and 8 for z |"
  done << 'CORES'
cortex-m4 fpv4-sp-d16 mps2-an386
cortex-m7 fpv5-d16 mps2-an500
CORES
done
