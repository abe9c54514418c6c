#include <stdlib.h>

#include "base/memory.h"
#include "json/json.h"
#include "lb_policies/registered/registered_internal.h"

typedef struct registered_config {
  gxds_lb_config base;
  void *program; /* the program's config; may be NULL */
} registered_config;

typedef struct config_errors {
  grpc_xds_config_errors base; /* first */
  gxds_errors *errors;
} config_errors;

static const grpc_xds_policy_type *program_of(const gxds_policy_type *type) {
  return &((const gxds_registered_type *)type)->program;
}

void *gxds_registered_config(gxds_lb_config *c) { return ((registered_config *)c)->program; }

static void destroy_programs(const grpc_xds_policy_type *program, void *config) {
  if (config && program->config_destroy) program->config_destroy(config);
}

static void destroy(gxds_lb_config *c) {
  destroy_programs(program_of(c->type), gxds_registered_config(c));
  gxds_free(c);
}

void gxds_registered_config_error(grpc_xds_config_errors *e, const char *field,
                                  const char *message) {
  gxds_errors *errors = ((config_errors *)e)->errors;
  gxds_errors_add(errors, field ? GXDS_FIELD(NULL, field) : NULL, "%s", message);
}

gxds_lb_config *gxds_registered_parse(const gxds_policy_type *type, const json_t *json,
                                      gxds_errors *errors) {
  if (json && !gxds_json_is_object(json, NULL, errors)) return NULL;
  const grpc_xds_policy_type *program = program_of(type);
  void *parsed = NULL;
  if (program->parse) {
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    config_errors into = {{&gxds_registered_api}, errors};
    parsed = program->parse(text ? text : "{}", &into.base);
    free(text);
  }
  if (errors->count > 0) {
    destroy_programs(program, parsed);
    return NULL;
  }
  registered_config *config = GXDS_NEW(registered_config);
  gxds_lb_config_init(&config->base, type, destroy);
  config->program = parsed;
  return &config->base;
}
