/* gxds_lb_config: the config of a policy. It is a typed struct of a policy in C, or the config of
 * one of the host's policies. Immutable, counted by reference: any thread.
 *
 * The code that knows the cluster makes configs as structs. Only configs that a control plane or a
 * program wrote are parsed from JSON (gxds_policy_type.parse). */
#ifndef GRPC_XDS_HOST_LB_CONFIG_H_
#define GRPC_XDS_HOST_LB_CONFIG_H_

#include "base/errors.h"
#include "base/ref.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gxds_policy_type;
struct json_t; /* jansson's */

typedef struct gxds_lb_config gxds_lb_config;
struct gxds_lb_config { /* first in its maker's own object */
  gxds_ref refs;
  gxds_str policy;                     /* the name; borrowed: valid as long as the config */
  const struct gxds_policy_type *type; /* NULL: the policy is the host's or the program's */
  void (*destroy)(gxds_lb_config *c);
};

/* Initialises the base of a config of a policy in C, with one reference. */
void gxds_lb_config_init(gxds_lb_config *c, const struct gxds_policy_type *type,
                         void (*destroy)(gxds_lb_config *c));

static inline gxds_lb_config *gxds_lb_config_ref(gxds_lb_config *c) {
  gxds_ref_inc(&c->refs);
  return c;
}
/* NULL is allowed. */
static inline void gxds_lb_config_unref(gxds_lb_config *c) {
  if (c && gxds_ref_dec(&c->refs)) c->destroy(c);
}

/* Parses a JSON list of policies, and returns the config of the first known policy. The caller owns
 * the returned reference. Returns NULL if the JSON is not such a list, if no policy in it is known,
 * or if the config is wrong. Then *why is the reason; the caller ends it with gxds_status_fini().
 * Any thread. */
typedef gxds_lb_config *gxds_lb_parse_list(gxds_str json, gxds_status *why);

/* Calls the type's parse function, or parse_of. Types without either refuse all JSON. See
 * gxds_policy_type. */
gxds_lb_config *gxds_lb_config_parse_json(const struct gxds_policy_type *type,
                                          const struct json_t *json, gxds_lb_parse_list *parse_list,
                                          gxds_errors *errors);

/* Parses a config of that type from JSON text. The text is empty if a service config only names the
 * policy. The caller owns the returned reference. On errors returns NULL, and *why lists all
 * errors; the caller ends it with gxds_status_fini(). Any thread. */
gxds_lb_config *gxds_lb_config_parse(const struct gxds_policy_type *type, gxds_str json,
                                     gxds_lb_parse_list *parse_list, gxds_status *why);

/* Parses the member of object with that name, which must be a list of policies. at is the path of
 * object. The caller owns the returned reference. Returns NULL and adds to errors if the member is
 * missing, or if no policy of the list can be used. Any thread. */
gxds_lb_config *gxds_lb_parse_child(const struct json_t *object, const char *name,
                                    const gxds_path *at, gxds_lb_parse_list *parse_list,
                                    gxds_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
