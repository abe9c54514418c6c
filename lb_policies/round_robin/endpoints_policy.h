/* gxds_endpoints_policy: what leaf policies share that stay connected to all of their endpoints.
 * They carry out what round_robin.h decides, at the pace of their channel, and differ in where the
 * endpoints come from and in the picks.
 *
 * Confined: the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ENDPOINTS_POLICY_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ENDPOINTS_POLICY_H_

#include "host/policy.h"
#include "lb_policies/pace/channel_pace.h"
#include "lb_policies/round_robin/round_robin.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_endpoints_policy gxds_endpoints_policy;

typedef struct gxds_endpoints_policy_ops {
  /* The endpoint at that place of the last update. Borrowed: valid until the next. */
  gxds_lb_address (*address_at)(gxds_endpoints_policy *e, uint32_t position);
  /* A picker over those endpoints: at least one, all of them READY, in the order of the update. The
   * caller owns the returned reference. */
  gxds_picker *(*make_picker)(gxds_endpoints_policy *e, const uint64_t *tokens, size_t count);
  /* There is none: no endpoint is READY, or the policy ends. NULL: nothing to be done. */
  void (*no_picker)(gxds_endpoints_policy *e);
  /* A subchannel was made for it. NULL: as above. */
  void (*created)(gxds_endpoints_policy *e, uint64_t token, uint32_t position);
  /* It connected; not called for a connection that was there before the subchannel was made. NULL:
   * as above. */
  void (*ready)(gxds_endpoints_policy *e, uint64_t token);
} gxds_endpoints_policy_ops;

struct gxds_endpoints_policy { /* first in the policy's own object */
  gxds_pace_user user;         /* first */
  const gxds_endpoints_policy_ops *ops;
  gxds_policy *base;
  /* From the last update; a reference; NULL before it. */
  const gxds_args *args;

  /* Private. */
  gxds_round_robin *machine;
  struct gxds_endpoint_watch **endpoints; /* by the low half of the token; NULL: none is there */
  gxds_subchannel **kept;                 /* references; NULL: none */
  uint32_t kept_count;
  uint32_t slot_count;
  uint64_t start; /* that was given and not used yet */
  bool hurries;
  bool draining;
  grpc_connectivity_state published;
  gxds_status last_failure;
  gxds_str note;
};

void gxds_endpoints_policy_init(gxds_endpoints_policy *e, gxds_policy *base,
                                const gxds_endpoints_policy_ops *ops);
void gxds_endpoints_policy_fini(gxds_endpoints_policy *e);

/* Before an update in which an endpoint may be another by its hostname alone (A81), by its proxy
 * (A86), or by an address beside others (A61): its new subchannel shall find the connection of the
 * one before. So those that there are stay until all that the update wants have been made. */
void gxds_endpoints_policy_keep_connections(gxds_endpoints_policy *e);
/* An update: these endpoints, in this order; borrowed, valid during the call. What address_at()
 * gives is that of the new ones already. An endpoint keeps its subchannel while the args stay the
 * same. */
GXDS_MUST_USE gxds_status gxds_endpoints_policy_update(gxds_endpoints_policy *e,
                                                       const gxds_endpoint *endpoints,
                                                       uint32_t count,
                                                       const gxds_lb_update *update);
/* After an update of that many endpoints some of which have several addresses: an endpoint that was
 * there before may have them in another order (A61). */
void gxds_endpoints_policy_reorder(gxds_endpoints_policy *e, uint32_t count);
/* Whether the weights of the next updates count (E3): a change of one then makes a picker. Without
 * this call, they don't. */
void gxds_endpoints_policy_by_weight(gxds_endpoints_policy *e, bool by_weight);
/* The pickers so far are out of date: with the next update there is another. */
void gxds_endpoints_policy_renew_picker(gxds_endpoints_policy *e);
/* Likewise, outside of an update: there is another at once, if endpoints are READY. */
void gxds_endpoints_policy_publish_picker(gxds_endpoints_policy *e);

/* How many slots there are: the low half of a token is less. */
uint32_t gxds_endpoints_policy_slot_count(const gxds_endpoints_policy *e);
/* That of the endpoint with this low half of its token. Borrow; NULL: there is none. */
gxds_subchannel *gxds_endpoints_policy_subchannel(const gxds_endpoints_policy *e, uint32_t slot);
/* The weight of a picker's endpoint, at least 1. */
uint32_t gxds_endpoints_policy_weight(const gxds_endpoints_policy *e, uint64_t token);

/* gxds_policy_type's, of an object that begins with a gxds_endpoints_policy. */
void gxds_endpoints_policy_exit_idle(void *self);
void gxds_endpoints_policy_reset_backoff(void *self);
void gxds_endpoints_policy_end(void *self);

#ifdef __cplusplus
}
#endif

#endif
