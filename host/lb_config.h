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
  const struct gxds_policy_type *type; /* NULL: a policy of the host's, or of the program's */
  void (*destroy)(gxds_lb_config *c);
};

/* For makers: of a policy in C. */
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

/* The first policy of a JSON list that is known, with its config. The caller owns the returned
 * reference; NULL: it is no such list, none is known, or its config is wrong, which *why says (the
 * caller's). Any thread. */
typedef gxds_lb_config *gxds_lb_parse_list(gxds_str json, gxds_status *why);

/* As gxds_policy_type.parse: json may be NULL; adds all that is wrong to errors. */
gxds_lb_config *gxds_lb_config_parse_json(const struct gxds_policy_type *type,
                                          const struct json_t *json, gxds_lb_parse_list *parse_list,
                                          gxds_errors *errors);

/* The config that the type makes of its JSON form; empty: a service config only names the policy.
 * The caller owns the returned reference; NULL: it is wrong, which *why says (the caller's), all of
 * it. Any thread. */
gxds_lb_config *gxds_lb_config_parse(const struct gxds_policy_type *type, gxds_str json,
                                     gxds_lb_parse_list *parse_list, gxds_status *why);

#ifdef __cplusplus
}
#endif

#endif
