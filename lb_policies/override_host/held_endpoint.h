/* gxds_held_endpoint: an endpoint that sessions use, with a subchannel of the override_host
 * policy's own. Counted by reference: the pickers' table has references to it. Pickers may change
 * the atomic fields on any thread. The other fields are the policy's, under its serializer. Private
 * to override_host. */
#ifndef GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_HELD_ENDPOINT_H_
#define GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_HELD_ENDPOINT_H_

#include <stdatomic.h>
#include <stddef.h>

#include "host/policy.h"
#include "resources/endpoints.h"

typedef struct gxds_held_endpoint gxds_held_endpoint;
struct gxds_held_endpoint {
  gxds_ref refs;
  gxds_subchannel *subchannel; /* a reference */
  gxds_str addresses;          /* the addresses as a cookie has them; owned */
  atomic_int state; /* the subchannel's state; CONNECTING until it is known. It does not change any
                       more once the policy has let go of the endpoint */
  atomic_bool used; /* a session used it since the policy last checked */
  atomic_bool requested; /* since the last change of the state, a picker has asked the policy to
                            connect the endpoint */
  /* The fields below are only for the policy. */
  gxds_watch watch;
  void (*changed)(void *policy); /* called when the state changes */
  void *policy;
  gxds_address key; /* one of the endpoint's addresses */
  gxds_time last_used;
  gxds_held_endpoint *prev; /* the neighbours in the policy's list */
  gxds_held_endpoint *next;
};

/* Makes a held endpoint for the endpoint with that index. http_connect: connect through its proxy,
 * if it has one (A86). `changed` is called when its state changes, until the policy lets go of it.
 * The caller owns the returned reference; NULL if no subchannel can be made. */
gxds_held_endpoint *gxds_held_endpoint_create(gxds_policy *owner, const gxds_args *args,
                                              const gxds_locality *locality, uint32_t index,
                                              bool http_connect, void (*changed)(void *policy),
                                              void *policy);
gxds_held_endpoint *gxds_held_endpoint_ref(gxds_held_endpoint *h);
void gxds_held_endpoint_unref(gxds_held_endpoint *h); /* NULL is allowed. Any thread */
/* The policy lets go of the endpoint, and then publishes a picker without it. Until the channel has
 * that picker, RPCs that find the endpoint still go there. Otherwise their session would move to
 * another endpoint, although the next picker may hold this endpoint again. Takes ownership of the
 * policy's reference. */
void gxds_held_endpoint_let_go(gxds_held_endpoint *take_h);
/* For pickers: marks the endpoint as used by a session. */
static inline void gxds_held_endpoint_use(gxds_held_endpoint *h) {
  /* Most RPCs find it set and only read it. */
  if (!atomic_load_explicit(&h->used, memory_order_relaxed)) {
    atomic_store_explicit(&h->used, true, memory_order_relaxed);
  }
}

#endif
