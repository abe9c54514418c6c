/* gxds_endpoints_policy: the shared part of the leaf policies that stay connected to their
 * endpoints, of which they may leave out some until picks need them. It carries out the decisions
 * of round_robin.h, at the pace of the channel. These policies differ in the source of their
 * endpoints, and in the way they pick. Only under the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ENDPOINTS_POLICY_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ENDPOINTS_POLICY_H_

#include "host/policy.h"
#include "lb_policies/pace/channel_pace.h"
#include "lb_policies/round_robin/demand.h"
#include "lb_policies/round_robin/round_robin.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_endpoints_policy gxds_endpoints_policy;

typedef struct gxds_endpoints_policy_ops {
  /* The endpoint at that place of the last update. Borrowed: valid until the next update. */
  gxds_lb_address (*address_at)(gxds_endpoints_policy *e, uint32_t position);
  /* A picker over those endpoints: at least one, all of them READY, in the order of the update. The
   * caller owns the returned reference. */
  gxds_picker *(*make_picker)(gxds_endpoints_policy *e, const uint64_t *tokens, size_t count);
  /* The last picker is no longer used, because no endpoint is READY, or because the policy ends.
   * May be NULL. */
  void (*no_picker)(gxds_endpoints_policy *e);
  /* A subchannel was made for the endpoint. May be NULL. */
  void (*created)(gxds_endpoints_policy *e, uint64_t token, uint32_t position);
  /* The endpoint connected. There is no call if the connection existed before the subchannel was
   * made. May be NULL. */
  void (*ready)(gxds_endpoints_policy *e, uint64_t token);
} gxds_endpoints_policy_ops;

struct gxds_endpoints_policy { /* first in the policy's own object */
  gxds_pace_user user;         /* first */
  const gxds_endpoints_policy_ops *ops;
  gxds_policy *base;
  /* A reference, from the last update; NULL before the first. */
  const gxds_args *args;

  /* Private. */
  gxds_round_robin *machine;
  gxds_demand *demand; /* a reference; NULL: no endpoint was ever left out */
  bool growing;        /* picks asked for more endpoints, and some of these are not tried yet */
  uint64_t random;     /* for the order of endpoints if some are left out; 0: not drawn yet */
  struct gxds_endpoint_watch **endpoints; /* indexed by the low half of the token; NULL: no
                                             endpoint */
  gxds_subchannel **kept;                 /* references; NULL: none */
  uint32_t kept_count;
  uint32_t slot_count;
  uint64_t start; /* a start of the pace that is not used yet; 0: none */
  bool hurries;
  bool draining;
  grpc_connectivity_state published;
  gxds_status last_failure;
  gxds_str note;
};

void gxds_endpoints_policy_init(gxds_endpoints_policy *e, gxds_policy *base,
                                const gxds_endpoints_policy_ops *ops);
void gxds_endpoints_policy_fini(gxds_endpoints_policy *e);

/* Call it before an update in which an endpoint may get a new subchannel only because its hostname
 * (A81), its proxy (A86) or one of several addresses (A61) changed: the new subchannel should find
 * the old one's connection. So the old subchannels stay until all new ones have been made. */
void gxds_endpoints_policy_keep_connections(gxds_endpoints_policy *e);
/* Takes an update with the endpoints of the locality, of which nothing else counts. It is borrowed:
 * valid during the call. address_at() must return the new endpoints already. An endpoint keeps its
 * subchannel as long as the args stay the same. */
GXDS_MUST_USE gxds_status gxds_endpoints_policy_update(gxds_endpoints_policy *e,
                                                       const gxds_locality *locality,
                                                       const gxds_lb_update *update);
/* Call it after an update with that many endpoints, if some have several addresses: an endpoint
 * that stays may have them in another order now (A61). */
void gxds_endpoints_policy_reorder(gxds_endpoints_policy *e, uint32_t count);
/* Sets whether the weights of the next updates count (E3); by default they don't. If they do, a
 * changed weight makes a new picker. */
void gxds_endpoints_policy_by_weight(gxds_endpoints_policy *e, bool by_weight);
/* The present picker is out of date: the next update makes a new one. */
void gxds_endpoints_policy_renew_picker(gxds_endpoints_policy *e);
/* The present picker is out of date: makes a new one at once, if any endpoint is READY. Only
 * outside of an update. */
void gxds_endpoints_policy_publish_picker(gxds_endpoints_policy *e);

/* The number of slots. The low half of a token is less than this. */
uint32_t gxds_endpoints_policy_slot_count(const gxds_endpoints_policy *e);
/* The subchannel of the endpoint whose token has this low half. Borrowed: valid until the next
 * update, or the end of the policy. NULL if there is none. */
gxds_subchannel *gxds_endpoints_policy_subchannel(const gxds_endpoints_policy *e, uint32_t slot);
/* The weight of a picker's endpoint, at least 1. */
uint32_t gxds_endpoints_policy_weight(const gxds_endpoints_policy *e, uint64_t token);

/* The functions of gxds_policy_type for an object that begins with a gxds_endpoints_policy. */
void gxds_endpoints_policy_exit_idle(void *self);
void gxds_endpoints_policy_reset_backoff(void *self);
void gxds_endpoints_policy_poked(void *self, uint64_t number, gxds_str text);
void gxds_endpoints_policy_end(void *self);
/* These functions, and the name of the trace flag, as members of a gxds_policy_type. All these
 * policies have the traces of round_robin. */
#define GXDS_ENDPOINTS_POLICY                                                                 \
  .trace = "round_robin", .exit_idle = gxds_endpoints_policy_exit_idle,                       \
  .reset_backoff = gxds_endpoints_policy_reset_backoff, .poked = gxds_endpoints_policy_poked, \
  .end = gxds_endpoints_policy_end

#ifdef __cplusplus
}
#endif

#endif
