#include "host/parse_child.h"

#include <stdlib.h>

#include "json/json.h"

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
