// A 1 kHz loop on a microcontroller: a position controller with friction compensation, in memory that is fixed at compile time.
//
//   gcc -I include examples/loop.c -L target/release -lbristle_c -lm -lpthread -ldl -o loop
#include "bristle.h"
#include <stdio.h>

static bristle_memory plant_memory, observer_memory;

int main(void) {
  const bristle_parameter parameters[] = {
      {"sigma0", 1e5, NULL},
      {"law.mu_s", 0.15, NULL},
      {"law.mu_d", 0.10, NULL},
  };
  bristle_element *plant, *observer;
  bristle_failure failure;
  const size_t count = sizeof parameters / sizeof parameters[0];
  if (bristle_init(&plant_memory, sizeof plant_memory, "frbd", "stribeck", parameters, count, &plant, &failure) ||
      bristle_init(&observer_memory, sizeof observer_memory, "frbd", "stribeck", parameters, count, &observer, &failure)) {
    printf("error: %s\n", failure.text);
    return 1;
  }

  // A slide of 2 kg that presses with 20 N and is to go 10 mm.
  const double h = 1e-3, mass = 2.0, load = 20.0, goal = 0.01, lambda = 20.0;
  double x = 0.0, v = 0.0, friction = 0.0, estimate = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const double s = v + lambda * (x - goal);
    int code = bristle_observe(observer, v, s, 0.01, load, h, &estimate);
    const double motor = estimate - 80.0 * s - mass * lambda * v;
    if (!code) code = bristle_step_body(plant, v, load, mass, motor, h, &friction, &v);
    if (code) {
      printf("error: %s\n", bristle_text(code));
      return 1;
    }
    x += h * v;
  }
  printf("x = %.6f m, friction = %.6f N, estimate = %.6f N\n", x, friction, estimate);
  return 0;
}
