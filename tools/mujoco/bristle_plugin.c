// Bristle friction on the joints of MuJoCo 4, as passive forces over the C library.
//
//   <extension><plugin plugin="bristle.friction"><instance name="rail">
//     <config key="model" value="frbd"/>                    a name of `bristle models`
//     <config key="law" value="stribeck"/>                  its law [stribeck]
//     <config key="set" value="lugre-or-not-set-1"/>        a parameter set to start from [none]
//     <config key="parameters" value="sigma0=1e4 scaling=absolute law.mu_s=0.2"/>
//     <config key="load" value="9.81"/>                     normal load, N [1]
//   </instance></plugin></extension>
//   <body><joint type="slide"/><plugin plugin="bristle.friction" instance="rail"/> ... </body>
//
// The friction acts on the body's first joint, which slides or turns. Its state is in the simulation's: copies, resets and saved states
// hold it. Friction takes its step together with the joint, as heavy as it is at
// qpos0 and pushed as in the step before (qacc_warmstart, which belongs to the saved state).
#include <mujoco/mjplugin.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle.h"

// After the state of the element: the friction force of the step before.
enum { FORCE = BRISTLE_STATE_NUMBERS, NUMBERS };

typedef struct {
  bristle_element *element;
  int dof;
  double load, mass;
  double next[NUMBERS];
} friction;

static const char *const keys[] = {"model", "law", "set", "parameters", "load"};

static const char *config(const mjModel *m, int instance, const char *key) {
  const char *value = mj_getPluginConfig(m, instance, key);
  return value && value[0] ? value : NULL;
}

// The table [friction] that the attributes say.
static int describe(const mjModel *m, int instance, char *text, size_t room) {
  const char *model = config(m, instance, "model"), *law = config(m, instance, "law");
  const char *set = config(m, instance, "set"), *given = config(m, instance, "parameters");
  int n = snprintf(text, room, "[friction]\nmodel = \"%s\"\n", model ? model : "frbd");
  if (law) n += snprintf(text + n, room - n, "law.model = \"%s\"\n", law);
  if (set) n += snprintf(text + n, room - n, "set = \"%s\"\n", set);
  char key[128], value[128];
  int used;
  while (given && n > 0 && (size_t)n < room && sscanf(given, " %127[^= ]=%127s%n", key, value, &used) == 2) {
    const int name = strspn(value, "+-.0123456789einfEINF") != strlen(value);
    n += snprintf(text + n, room - n, name ? "%s = \"%s\"\n" : "%s = %s\n", key, value);
    given += used;
  }
  return n > 0 && (size_t)n < room;
}

static int nstate(const mjModel *m, int instance) {
  (void)m, (void)instance;
  return NUMBERS;
}

static int init(const mjModel *m, mjData *d, int instance) {
  char text[4096];
  bristle_failure failure;
  friction *own = calloc(1, sizeof *own);
  if (!own) return -1;
  own->dof = -1;
  for (int body = 0; body < m->nbody; ++body) {
    if (m->body_plugin[body] != instance || m->body_jntnum[body] < 1) continue;
    const int joint = m->body_jntadr[body];
    if (m->jnt_type[joint] == mjJNT_HINGE || m->jnt_type[joint] == mjJNT_SLIDE) own->dof = m->jnt_dofadr[joint];
  }
  if (own->dof < 0) {
    mju_warning("bristle.friction: the body of an instance must have a joint that slides or turns as its first");
    free(own);
    return -1;
  }
  if (!describe(m, instance, text, sizeof text)) {
    mju_warning("bristle.friction: the attributes are too long");
    free(own);
    return -1;
  }
  if (bristle_create_from_text(text, &own->element, &failure)) {
    mju_warning("bristle.friction: %s", failure.text);
    free(own);
    return -1;
  }
  const char *load = config(m, instance, "load");
  own->load = load ? strtod(load, NULL) : 1.0;
  own->mass = 1.0 / mju_max(m->dof_invweight0[own->dof], mjMINVAL);
  bristle_save(own->element, own->next, BRISTLE_STATE_NUMBERS);
  memcpy(d->plugin_state + m->plugin_stateadr[instance], own->next, sizeof own->next);
  d->plugin_data[instance] = (uintptr_t)own;
  return 0;
}

static void destroy(mjData *d, int instance) {
  friction *own = (friction *)d->plugin_data[instance];
  if (own) bristle_free(own->element);
  free(own);
  d->plugin_data[instance] = 0;
}

static void reset(const mjModel *m, mjtNum *state, void *data, int instance) {
  (void)m, (void)instance;
  friction *own = data;
  bristle_reset(own->element);
  memset(own->next, 0, sizeof own->next);
  bristle_save(own->element, own->next, BRISTLE_STATE_NUMBERS);
  memcpy(state, own->next, sizeof own->next);
}

static void compute(const mjModel *m, mjData *d, int instance, int capability) {
  (void)capability;
  friction *own = (friction *)d->plugin_data[instance];
  const mjtNum *state = d->plugin_state + m->plugin_stateadr[instance];
  const double push = own->mass * d->qacc_warmstart[own->dof] + state[FORCE];
  double force, after;
  int code = bristle_restore(own->element, state, BRISTLE_STATE_NUMBERS);
  if (!code) {
    code = bristle_step_body(own->element, d->qvel[own->dof], own->load, own->mass, push, m->opt.timestep, &force, &after);
  }
  if (code) {
    mju_warning("bristle.friction: %s", bristle_text(code));
    return;
  }
  d->qfrc_passive[own->dof] -= force;
  bristle_save(own->element, own->next, BRISTLE_STATE_NUMBERS);
  own->next[FORCE] = force;
}

static void advance(const mjModel *m, mjData *d, int instance) {
  const friction *own = (const friction *)d->plugin_data[instance];
  memcpy(d->plugin_state + m->plugin_stateadr[instance], own->next, sizeof own->next);
}

mjPLUGIN_LIB_INIT(bristle) {
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "bristle.friction";
  plugin.nattribute = sizeof keys / sizeof keys[0];
  plugin.attributes = keys;
  plugin.capabilityflags |= mjPLUGIN_PASSIVE;
  plugin.nstate = nstate;
  plugin.init = init;
  plugin.destroy = destroy;
  plugin.reset = reset;
  plugin.compute = compute;
  plugin.advance = advance;
  mjp_registerPlugin(&plugin);
}
