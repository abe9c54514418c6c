/* The input is the name of a policy, a line feed, and any JSON. The result must be a config or at
 * least one error, never both. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/policy.h"
#include "lb_policies/all_policies.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition) abort();
}

static void destroy_child(gxds_lb_config *c) { free(c); }

/* Replaces the host's registry: accepts any list that is not empty. */
static gxds_lb_config *parse_list(gxds_str text, gxds_status *why) {
  json_t *list = json_loadb(text.data, text.size, JSON_DECODE_ANY, NULL);
  const bool good = json_array_size(list) > 0;
  json_decref(list);
  if (!good) {
    *why = gxds_status_make(GXDS_INVALID_ARGUMENT, "no policy");
    return NULL;
  }
  gxds_lb_config *config = calloc(1, sizeof *config);
  gxds_ref_init(&config->refs);
  config->policy = gxds_str_z("child");
  config->destroy = destroy_child;
  return config;
}

static const gxds_policy_type *find(const char *name, size_t size) {
  for (const gxds_policy_type *const *p = gxds_all_policies; *p; p++) {
    if (strlen((*p)->name) == size && memcmp((*p)->name, name, size) == 0) return *p;
  }
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  const char *end = size > 0 ? memchr(text, '\n', size) : NULL;
  if (!end) return 0;
  const gxds_policy_type *type = find(text, (size_t)(end - text));
  json_t *json =
      json_loadb(end + 1, size - (size_t)(end + 1 - text), JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
  if (type && json) {
    gxds_errors errors = {0};
    gxds_lb_config *config = gxds_lb_config_parse_json(type, json, parse_list, &errors);
    require(!config == (errors.count > 0));
    if (config) require(config->type == type);
    gxds_status status = gxds_errors_status(&errors, "wrong");
    require(gxds_status_is_ok(&status) == (errors.count == 0));
    gxds_status_fini(&status);
    gxds_lb_config_unref(config);
    gxds_errors_fini(&errors);
  }
  json_decref(json);
  return 0;
}
