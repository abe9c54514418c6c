#include "host/lb_config.h"

#include <jansson.h>
#include <stdlib.h>

#include "host/policy.h"

void gxds_lb_config_init(gxds_lb_config *c, const gxds_policy_type *type,
                         void (*destroy)(gxds_lb_config *c)) {
  gxds_ref_init(&c->refs);
  c->policy = gxds_str_z(type->name);
  c->type = type;
  c->destroy = destroy;
}

gxds_lb_config *gxds_lb_config_parse_json(const gxds_policy_type *type, const json_t *json,
                                          gxds_lb_parse_list *parse_list, gxds_errors *errors) {
  if (type->unconfigurable) {
    gxds_errors_add(errors, NULL, "%s cannot be configured: %s", type->name, type->unconfigurable);
    return NULL;
  }
  return type->parse_of ? type->parse_of(type, json, errors)
                        : type->parse(json, parse_list, errors);
}

gxds_lb_config *gxds_lb_config_parse(const gxds_policy_type *type, gxds_str json,
                                     gxds_lb_parse_list *parse_list, gxds_status *why) {
  if (type->needs_config && json.size == 0) {
    *why = gxds_status_make(GXDS_INVALID_ARGUMENT,
                            "field:loadBalancingPolicy error:%s policy requires configuration. "
                            "Please use loadBalancingConfig field of service config instead.",
                            gxds_policy_type_title(type));
    return NULL;
  }
  json_t *value = NULL;
  json_error_t syntax;
  if (json.size > 0) {
    const size_t flags = JSON_DECODE_ANY | JSON_ALLOW_NUL;
    value = json_loadb(json.data, json.size, flags, &syntax);
    /* jansson refuses very large integers, and one may be in a field that nobody reads. Then
     * numbers are read as reals. */
    if (!value) {
      value = json_loadb(json.data, json.size, flags | JSON_DECODE_INT_AS_REAL, &syntax);
    }
    if (!value) {
      *why = gxds_status_make(GXDS_INVALID_ARGUMENT, "errors validating %s LB policy config: [%s]",
                              gxds_policy_type_title(type), syntax.text);
      return NULL;
    }
  }
  gxds_errors errors = {0};
  gxds_lb_config *config = gxds_lb_config_parse_json(type, value, parse_list, &errors);
  json_decref(value);
  if (!config) {
    gxds_str prefix =
        gxds_str_format("errors validating %s LB policy config", gxds_policy_type_title(type));
    *why = gxds_errors_status(&errors, prefix.data);
    gxds_str_free(&prefix);
  }
  gxds_errors_fini(&errors);
  return config;
}

gxds_lb_config *gxds_lb_parse_child(const json_t *object, const char *name, const gxds_path *at,
                                    gxds_lb_parse_list *parse_list, gxds_errors *errors) {
  const gxds_path *field = GXDS_FIELD(at, name);
  const json_t *list = json_object_get(object, name);
  if (!list) {
    gxds_errors_add(errors, field, "field not present");
    return NULL;
  }
  char *text = json_dumps(list, JSON_COMPACT | JSON_ENCODE_ANY);
  gxds_status why = gxds_status_ok();
  gxds_lb_config *config = parse_list(gxds_str_z(text), &why);
  if (!config) gxds_errors_add(errors, field, "%.*s", GXDS_STR_ARG(why.message));
  gxds_status_fini(&why);
  free(text);
  return config;
}
