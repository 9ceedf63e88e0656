// Times the step of a model: a thousand steps of a slow sine, counted by SysTick.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

double MODEL(double *z, double v, double load, double h);
extern void initialise_monitor_handles(void);

#define SYSTICK ((volatile uint32_t *)0xE000E010)
#define CPACR (*(volatile uint32_t *)0xE000ED88)
// QEMU counts one nanosecond an instruction (-icount shift=0), and SysTick once in 40.
enum { STEPS = 1000, INSTRUCTIONS = 40 };

static uint32_t passes(int with) {
  static double z[8];
  static volatile double force;
  double v = 0.02, slope = -4e-5;
  SYSTICK[1] = 0xFFFFFF;
  SYSTICK[2] = 0;
  SYSTICK[0] = 5;
  const uint32_t begin = SYSTICK[2];
  for (int k = 0; k < STEPS; ++k) {
    v += slope;
    if (v < -0.02 || v > 0.02) slope = -slope;
    force = with ? MODEL(z, v, 5.0, 1e-3) : v;
  }
  return (begin - SYSTICK[2]) & 0xFFFFFF;
}

int main(void) {
  const uint32_t empty = passes(0), full = passes(1);
  printf("%lu\n", (unsigned long)((full - empty) * INSTRUCTIONS / STEPS));
  return 0;
}

void start(void) {
  CPACR |= 0xFu << 20;
  __asm volatile("dsb\n isb");
  initialise_monitor_handles();
  exit(main());
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {(void *)0x20400000, (void *)start};
void _init(void) {}
void _fini(void) {}
