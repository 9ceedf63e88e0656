// Calls the library in every way that is allowed and in many that are not. Prints nothing if all is right.
#include "bristle.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0;
#define EXPECT(what)                                   \
  do {                                                 \
    if (!(what)) {                                     \
      printf("line %d: not %s\n", __LINE__, #what);    \
      wrong = 1;                                       \
    }                                                  \
  } while (0)

static void *slide(void *unused) {
  (void)unused;
  bristle_element *e;
  double f = 0.0;
  if (bristle_create("lugre", NULL, NULL, 0, &e, NULL)) return NULL;
  for (int k = 0; k < 20000; ++k) bristle_step(e, 0.01, 5.0, 1e-3, &f);
  bristle_free(e);
  double *out = malloc(sizeof *out);
  *out = f;
  return out;
}

#ifdef BRISTLE_STD
static void patches(void) {
  bristle_patch *patch = NULL;
  bristle_failure why;
  EXPECT(bristle_patch_create("[patch]\nn = 0.5\n", &patch, &why) == BRISTLE_CODE_FILE && !patch);
  EXPECT(strstr(why.text, "n = 0.5"));
  EXPECT(bristle_patch_create("[rolling]\nmodel = \"1\"\n[run]\naccuracy = 1e-3\n", &patch, &why) == 0);
  bristle_slip slip[21];
  bristle_wrench steady, rolled[21];
  double s[21];
  for (int k = 0; k < 21; ++k) {
    slip[k] = (bristle_slip){0.16, 0.08, 0.0, 0.0, 16.67};
    s[k] = 0.01 * k;
  }
  EXPECT(bristle_patch_steady(patch, 1, slip, &steady, &why) == 0);
  EXPECT(steady.force_x > 0.0 && steady.error < 1e-3);
  EXPECT(bristle_patch_roll(patch, 21, s, slip, rolled, &why) == 0);
  EXPECT(rolled[0].force_x < 0.1 * steady.force_x);
  EXPECT(fabs(rolled[20].force_x / steady.force_x - 1.0) < 2e-3);
  s[3] = s[2];
  EXPECT(bristle_patch_roll(patch, 21, s, slip, rolled, &why) == BRISTLE_CODE_PATCH && strstr(why.text, "increase"));
  slip[0].v_r = -1.0;
  EXPECT(bristle_patch_steady(patch, 1, slip, &steady, &why) == BRISTLE_CODE_PATCH && strstr(why.text, "v_r"));
  EXPECT(bristle_patch_steady(NULL, 1, slip, &steady, &why) == BRISTLE_CODE_NULL);
  bristle_patch_free(patch);
  bristle_patch_free(NULL);
}
#endif

int main(void) {
  bristle_element *e = NULL;
  bristle_failure why;
  static bristle_memory memory;
  double f = 0.0, w = 0.0, d = 0.0, saved[BRISTLE_STATE_NUMBERS];
  size_t n = 0;

  // What cannot be made says why.
  EXPECT(bristle_init(&memory, sizeof memory, "frbdd", NULL, NULL, 0, &e, &why) == BRISTLE_CODE_MODEL && !e);
  EXPECT(strstr(why.text, "frbdd"));
  EXPECT(bristle_init(&memory, 64, "frbd", NULL, NULL, 0, &e, &why) == BRISTLE_CODE_MEMORY);
  EXPECT(bristle_init((char *)&memory + 1, sizeof memory - 1, "frbd", NULL, NULL, 0, &e, NULL) == BRISTLE_CODE_MEMORY);
  EXPECT(bristle_init(&memory, sizeof memory, NULL, NULL, NULL, 0, &e, &why) == BRISTLE_CODE_NULL);
  EXPECT(bristle_init(&memory, sizeof memory, "frbd", NULL, NULL, 3, &e, &why) == BRISTLE_CODE_NULL);
  EXPECT(bristle_init(NULL, 0, "frbd", NULL, NULL, 0, &e, &why) == BRISTLE_CODE_NULL);
  EXPECT(bristle_init(&memory, sizeof memory, "frbd", NULL, NULL, 0, NULL, &why) == BRISTLE_CODE_NULL);
  bristle_parameter p = {"sigma0", -1.0, NULL};
  EXPECT(bristle_init(&memory, sizeof memory, "frbd", NULL, &p, 1, &e, &why) == BRISTLE_CODE_PARAMETER);
  EXPECT(strstr(why.text, "sigma0 = -1 1/m is outside (0, inf)"));
  p = (bristle_parameter){"sigma_0", 1.0, NULL};
  EXPECT(bristle_init(&memory, sizeof memory, "frbd", NULL, &p, 1, &e, &why) == BRISTLE_CODE_PARAMETER);
  EXPECT(strstr(why.text, "no parameter `sigma_0`"));
  p = (bristle_parameter){"scaling", 0.0, "relative"};
  EXPECT(bristle_init(&memory, sizeof memory, "frbd", NULL, &p, 1, &e, &why) == BRISTLE_CODE_PARAMETER);

  // Lists and choices.
  bristle_parameter gm[] = {{"k[0]", 1e3, NULL}, {"k[1]", 2e3, NULL}, {"tau[0]", 0.1, NULL}, {"tau[1]", 0.01, NULL}};
  EXPECT(bristle_init(&memory, sizeof memory, "frbd_gm", "coulomb", gm, 4, &e, &why) == 0);
  EXPECT(bristle_states(e, &n) == 0 && n >= 3);
  gm[0].name = "k[9]";
  EXPECT(bristle_init(&memory, sizeof memory, "frbd_gm", "coulomb", gm, 4, &e, &why) == BRISTLE_CODE_PARAMETER);

  // Steps settle where steady sliding is; energy and the saved state are what they are.
  p = (bristle_parameter){"scaling", 0.0, "absolute"};
  EXPECT(bristle_init(&memory, sizeof memory, "frbd", "stribeck", &p, 1, &e, &why) == 0);
  for (int k = 0; k < 20000; ++k) EXPECT(bristle_step(e, 0.02, 5.0, 1e-3, &f) == 0);
  EXPECT(bristle_steady(e, 0.02, 5.0, &d) == 0 && fabs(f - d) < 1e-9);
  EXPECT(bristle_energy(e, &w, &d) == 0 && w > 0.0 && fabs(d - 0.02 * f) < 1e-9);
  EXPECT(bristle_save(e, saved, BRISTLE_STATE_NUMBERS) == 0);
  double first, second;
  EXPECT(bristle_step(e, -0.02, 5.0, 1e-4, &first) == 0);
  EXPECT(bristle_restore(e, saved, BRISTLE_STATE_NUMBERS) == 0);
  EXPECT(bristle_step(e, -0.02, 5.0, 1e-4, &second) == 0 && first == second);
  EXPECT(bristle_save(e, saved, 3) == BRISTLE_CODE_LENGTH);
  saved[1] = 7.0;
  EXPECT(bristle_restore(e, saved, BRISTLE_STATE_NUMBERS) == BRISTLE_CODE_STATE);
  EXPECT(bristle_reset(e) == 0 && bristle_force(e, 0.0, 5.0, &f) == 0 && f == 0.0);
  EXPECT(bristle_set_update(e, "end") == 0 && bristle_set_update(e, "middle") == BRISTLE_CODE_PARAMETER);

  // Arguments that are none change nothing.
  EXPECT(bristle_step(e, NAN, 5.0, 1e-3, &f) == BRISTLE_CODE_VELOCITY);
  EXPECT(bristle_step(e, 0.1, INFINITY, 1e-3, &f) == BRISTLE_CODE_LOAD);
  EXPECT(bristle_step(e, 0.1, 5.0, 0.0, &f) == BRISTLE_CODE_TIME);
  EXPECT(bristle_step(e, 0.1, 5.0, 1e-3, NULL) == BRISTLE_CODE_NULL);
  EXPECT(bristle_step(NULL, 0.1, 5.0, 1e-3, &f) == BRISTLE_CODE_NULL);
  EXPECT(bristle_step_body(e, 0.1, 5.0, -1.0, 0.0, 1e-3, &f, &d) == BRISTLE_CODE_MASS);
  EXPECT(bristle_observe(e, 0.1, NAN, 1.0, 5.0, 1e-3, &f) == BRISTLE_CODE_INJECTION);
  static bristle_memory empty;
  EXPECT(bristle_step((bristle_element *)(void *)&empty, 0.1, 5.0, 1e-3, &f) == BRISTLE_CODE_MEMORY);
  EXPECT(strstr(bristle_text(BRISTLE_CODE_TIME), "above 0") && strstr(bristle_text(-7), "no such code"));

  // A series is steps in a row, a batch is one step each.
  double v[50], load[50], series[50], one[50];
  for (int k = 0; k < 50; ++k) v[k] = 0.01 * sin(0.3 * k), load[k] = 5.0;
  EXPECT(bristle_reset(e) == 0 && bristle_step_series(e, 50, v, load, 1e-3, series, &n) == 0 && n == 50);
  EXPECT(bristle_reset(e) == 0);
  for (int k = 0; k < 50; ++k) EXPECT(bristle_step(e, v[k], load[k], 1e-3, &one[k]) == 0 && one[k] == series[k]);
  v[7] = NAN;
  EXPECT(bristle_step_series(e, 50, v, load, 1e-3, series, &n) == BRISTLE_CODE_VELOCITY && n == 7);
  static bristle_memory more[3];
  bristle_element *all[3];
  for (int k = 0; k < 3; ++k) EXPECT(bristle_init(&more[k], sizeof more[k], "implicit", NULL, NULL, 0, &all[k], &why) == 0);
  EXPECT(bristle_step_batch(all, 3, v, load, 1e-3, one) == 0);
  EXPECT(bristle_step_batch(all, 3, NULL, load, 1e-3, one) == BRISTLE_CODE_NULL);

  // A stick under half its limit holds whatever the step.
  EXPECT(bristle_init(&memory, sizeof memory, "implicit", NULL, NULL, 0, &e, &why) == 0);
  double x = 0.0, speed = 0.0;
  bristle_steady(e, 1e-9, 9.81, &d);
  for (int k = 0; k < 1000; ++k) {
    EXPECT(bristle_step_body(e, speed, 9.81, 1.0, 0.5 * d, 1e-2, &f, &speed) == 0);
    x += 1e-2 * speed;
  }
  EXPECT(fabs(x) < 1e-2 && fabs(speed) < 1e-6);

#ifdef BRISTLE_STD
  EXPECT(bristle_create_from_text("[friction]\nmodel = \"dahl\"\nsigma0 = -2\n", &e, &why) == BRISTLE_CODE_FILE);
  EXPECT(strstr(why.text, "line 3") && strstr(why.text, "sigma0"));
  EXPECT(bristle_create_from_text("[friction]\nmodel = \"lugre\"\nset = \"lugre-or-not-set-2\"\n", &e, &why) == 0);
  bristle_free(e);
  bristle_free(NULL);
  pthread_t threads[4];
  for (int k = 0; k < 4; ++k) EXPECT(pthread_create(&threads[k], NULL, slide, NULL) == 0);
  double *result, first_result = 0.0;
  for (int k = 0; k < 4; ++k) {
    EXPECT(pthread_join(threads[k], (void **)&result) == 0 && result);
    if (k == 0) first_result = *result;
    EXPECT(*result == first_result && *result > 0.0);
    free(result);
  }
  patches();
#endif
  return wrong;
}
