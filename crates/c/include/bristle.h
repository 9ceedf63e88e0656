// Friction elements and contact patches for C. SI units throughout. Made from the Rust source: do not edit.
//
// Sign: v is the velocity of the body relative to its counterpart, and a friction force is positive for positive
// sliding: an equation of motion subtracts it.
//
// Threads: nothing is shared. Different elements may be used by different threads at the same time; one element by one
// thread at a time.
//
// Memory: bristle_init uses memory of the caller and never allocates; what bristle_create and the patch functions make
// is on the heap. Nothing allocates after that but the patch functions.

#ifndef BRISTLE_H
#define BRISTLE_H

#include <stddef.h>
#include <stdint.h>

// Define BRISTLE_BARE for the library without a heap, which has elements in memory of the caller alone.
#ifndef BRISTLE_BARE
#define BRISTLE_STD
#endif

// Bytes of the text in a bristle_failure, its final zero included.
#define BRISTLE_TEXT_BYTES 512

// So many doubles have room for an element.
#define BRISTLE_ELEMENT_NUMBERS 192

// Numbers that a saved state consists of.
#define BRISTLE_STATE_NUMBERS 40

// What a function says.
typedef enum bristle_code {
  // All is well.
  BRISTLE_CODE_OK = 0,
  // A pointer that must not be NULL is.
  BRISTLE_CODE_NULL = 1,
  // The memory is too small, not aligned, or holds no element.
  BRISTLE_CODE_MEMORY = 2,
  // There is no such model or law.
  BRISTLE_CODE_MODEL = 3,
  // There is no such parameter, or its value is not allowed.
  BRISTLE_CODE_PARAMETER = 4,
  // The velocity is not finite, m/s.
  BRISTLE_CODE_VELOCITY = 5,
  // The normal load is not finite, N. Zero or less is lift-off.
  BRISTLE_CODE_LOAD = 6,
  // The step is not finite and above 0, s.
  BRISTLE_CODE_TIME = 7,
  // The mass is not finite and above 0, kg.
  BRISTLE_CODE_MASS = 8,
  // The force on the body is not finite, N.
  BRISTLE_CODE_FORCE = 9,
  // The correction of an observer is not finite, m/s.
  BRISTLE_CODE_INJECTION = 10,
  // An array has not the length that it must have.
  BRISTLE_CODE_LENGTH = 11,
  // A saved state belongs to another model, or is damaged.
  BRISTLE_CODE_STATE = 12,
  // The model has no step of a fixed length.
  BRISTLE_CODE_NO_STEP = 13,
  // The result is not finite; the element is as it was before the call.
  BRISTLE_CODE_RESULT = 14,
  // The file cannot be read, or says what is not allowed.
  BRISTLE_CODE_FILE = 15,
  // The patch cannot be evaluated: see the text.
  BRISTLE_CODE_PATCH = 16,
  // A fault of the library.
  BRISTLE_CODE_INTERNAL = 17,
} bristle_code;

// A friction element.
typedef struct bristle_element bristle_element;

// A contact patch, made ready to roll.
typedef struct bristle_patch bristle_patch;

// One parameter of a model: a number, or a choice.
typedef struct bristle_parameter {
  // Its name, as `bristle models NAME` lists it: "sigma0", "law.mu_s". The entries of a list are "tau[0]", "tau[1]", ….
  const char *name;
  // Its value, if it is a number.
  double value;
  // Its value, if it is a choice: "absolute"; else NULL.
  const char *text;
} bristle_parameter;

// Why something could not be made.
typedef struct bristle_failure {
  // What kind of failure.
  int code;
  // Field, value, unit and allowed range; cut where it is too long.
  char text[BRISTLE_TEXT_BYTES];
} bristle_failure;

// How a patch slips and spins.
typedef struct bristle_slip {
  // Longitudinal slip.
  double sigma_x;
  // Lateral slip.
  double sigma_y;
  // Geometrical spin, 1/m.
  double phi1;
  // Effective spin, 1/m.
  double phi2;
  // Rolling speed, m/s.
  double v_r;
} bristle_slip;

// What the counterpart does to the patch.
typedef struct bristle_wrench {
  // Longitudinal force, N.
  double force_x;
  // Lateral force, N.
  double force_y;
  // Moment about the vertical in the undeformed configuration, N*m.
  double moment;
  // The same in the deformed configuration, N*m.
  double moment_deformed;
  // An estimate of the relative error.
  double error;
} bristle_wrench;

// Memory for one element, which bristle_init begins.
typedef struct bristle_memory {
  // It belongs to the library.
  double numbers[BRISTLE_ELEMENT_NUMBERS];
} bristle_memory;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What a code says, in a sentence that is never freed.
const char *bristle_text(int code);

// The version of the library: "0.1.0".
const char *bristle_version(void);

// Makes an element in memory of the caller: as large and aligned as a bristle_memory.
// Nothing is allocated, now or later, and the memory may simply be forgotten.
//
// `model` and `law` are names that `bristle models` lists; law NULL is "stribeck". What is not among the `count`
// parameters keeps its start value. `failure` may be NULL.
int bristle_init(void *memory,
                 size_t bytes,
                 const char *model,
                 const char *law,
                 const struct bristle_parameter *parameters,
                 size_t count,
                 struct bristle_element **element,
                 struct bristle_failure *failure);

#if defined(BRISTLE_STD)
// Makes an element on the heap: as bristle_init, and bristle_free frees it.
int bristle_create(const char *model,
                   const char *law,
                   const struct bristle_parameter *parameters,
                   size_t count,
                   struct bristle_element **element,
                   struct bristle_failure *failure);
#endif

#if defined(BRISTLE_STD)
// Makes an element on the heap from the text of a file: a table [friction] as in scenarios, perhaps with
// set = "lugre-or-not-set-2". bristle_free frees it.
int bristle_create_from_text(const char *toml,
                             struct bristle_element **element,
                             struct bristle_failure *failure);
#endif

#if defined(BRISTLE_STD)
// Frees an element of bristle_create or bristle_create_from_text; NULL is left alone.
// Nothing uses the element afterwards.
void bristle_free(struct bristle_element *element);
#endif

// How fixed steps are taken: "midpoint" (from the start), "end" or "exponential".
int bristle_set_update(struct bristle_element *element, const char *update);

// How many numbers the bristles remember.
int bristle_states(struct bristle_element *element, size_t *states);

// Puts the element back to its start: bristles undeflected, position 0.
int bristle_reset(struct bristle_element *element);

// One step of h seconds in real time at the velocity v, m/s, under the normal load, N: passive at any step. Gives the
// friction force of the step, N. Friction feed-forward is this with the reference velocity.
int bristle_step(struct bristle_element *element,
                 double v,
                 double load,
                 double h,
                 double *force);

// One step together with a body of that mass, kg, that moves at v under the force push, N. Gives the friction force of
// the step, N, and the velocity after it: a stick holds, whatever the step.
int bristle_step_body(struct bristle_element *element,
                      double v,
                      double load,
                      double mass,
                      double push,
                      double h,
                      double *force,
                      double *v_after);

// One step of the friction observer of Romano et al. (viscoelastic FrBD), eq. (28a): a copy of the friction, driven by the
// measured velocity v and corrected by −gain·error, where error, m/s, is the controller's s = ė + λe. Gives the force to
// compensate, N.
int bristle_observe(struct bristle_element *element,
                    double v,
                    double error,
                    double gain,
                    double load,
                    double h,
                    double *force);

// `count` steps in a row: at v[k] under load[k] to force[k]. Stops at the first that fails; `done` may be NULL.
int bristle_step_series(struct bristle_element *element,
                        size_t count,
                        const double *v,
                        const double *load,
                        double h,
                        double *force,
                        size_t *done);

// One step of each of `count` elements, all different: elements[k] at v[k] under load[k] to force[k].
int bristle_step_batch(struct bristle_element *const *elements,
                       size_t count,
                       const double *v,
                       const double *load,
                       double h,
                       double *force);

// The friction force at this velocity and load in the state that the element is in, N; nothing changes.
int bristle_force(struct bristle_element *element, double v, double load, double *force);

// The friction force of steady sliding, N; nothing changes.
int bristle_steady(struct bristle_element *element, double v, double load, double *force);

// The energy that the bristles store, J, and the power that friction dissipates, W, in the present state at the velocity
// and load of the last step.
int bristle_energy(struct bristle_element *element,
                   double *stored,
                   double *dissipated);

// Writes the whole state into BRISTLE_STATE_NUMBERS numbers.
int bristle_save(struct bristle_element *element, double *state, size_t count);

// Goes back to a state that was saved from an element of the same model and parameters.
int bristle_restore(struct bristle_element *element, const double *state, size_t count);

// Makes a patch on the heap from the text of a patch scenario; NULL is the patch of Romano (2D FrBD), Table 1.
// bristle_patch_free frees it. `failure` may be NULL, here and below.
int bristle_patch_create(const char *toml,
                         struct bristle_patch **patch,
                         struct bristle_failure *failure);

// Frees a patch; NULL is left alone.
// The patch comes from bristle_patch_create, and nothing uses it afterwards.
void bristle_patch_free(struct bristle_patch *patch);

// Forces and moments of steady rolling at `count` slips.
int bristle_patch_steady(struct bristle_patch *patch,
                         size_t count,
                         const struct bristle_slip *slip,
                         struct bristle_wrench *wrench,
                         struct bristle_failure *failure);

// Rolls from undeflected bristles: at the distances s[k], m, which begin at 0 and increase, the slips are slip[k], and
// between them on the straight line. The spins phi1 stay as they are.
int bristle_patch_roll(struct bristle_patch *patch,
                       size_t count,
                       const double *s,
                       const struct bristle_slip *slip,
                       struct bristle_wrench *wrench,
                       struct bristle_failure *failure);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BRISTLE_H */
