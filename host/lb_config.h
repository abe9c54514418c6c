/* gxds_lb_config: what a policy is told to do: a typed struct of the policy's own, or a config of
 * one of the host's. Immutable, counted by reference: any thread.
 *
 * Configs are made where the cluster is known, as structs. JSON is read at the edge only: what
 * control planes and programs write (gxds_policy_type.parse). */
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
  const struct gxds_policy_type *type; /* NULL: a policy of the host's, or the program's */
  void (*destroy)(gxds_lb_config *c);
};

/* For those who make configs of a policy in C. */
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
 * the returned reference. Returns NULL if it is no such list, if no policy in it is known, or if
 * the config is wrong. Then *why says which; the caller ends it with gxds_status_fini(). Any
 * thread. */
typedef gxds_lb_config *gxds_lb_parse_list(gxds_str json, gxds_status *why);

/* Calls the type's parse function, or parse_of. Types without either refuse all JSON. See
 * gxds_policy_type. */
gxds_lb_config *gxds_lb_config_parse_json(const struct gxds_policy_type *type,
                                          const struct json_t *json, gxds_lb_parse_list *parse_list,
                                          gxds_errors *errors);

/* The config that the type makes from this JSON text, which is empty if a service config only names
 * the policy. The caller owns the returned reference. On errors returns NULL, and *why lists all of
 * them; the caller ends it with gxds_status_fini(). Any thread. */
gxds_lb_config *gxds_lb_config_parse(const struct gxds_policy_type *type, gxds_str json,
                                     gxds_lb_parse_list *parse_list, gxds_status *why);

#ifdef __cplusplus
}
#endif

#endif
