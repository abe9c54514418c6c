/* gxds_held_endpoint: an endpoint that sessions use, with a subchannel of the override_host
 * policy's own. Counted by reference: pickers have it on any thread, by their table; what is
 * atomic in it, they may change. The rest is the policy's, under its serializer. Private to
 * override_host. */
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
  gxds_str addresses;          /* as cookies have them; owned */
  atomic_int state;            /* the subchannel's; CONNECTING until it is known, and as it was
                                  last when the policy has let go of it */
  atomic_bool used;            /* by a session, since the policy last looked */
  atomic_bool asked;           /* a picker asked for its connection, since its state changed */
  /* The policy's own. */
  gxds_watch watch;
  void (*changed)(void *policy); /* its state */
  void *policy;
  gxds_address key; /* one of its addresses */
  gxds_time last_used;
  gxds_held_endpoint *prev; /* of the policy's list */
  gxds_held_endpoint *next;
};

/* To the endpoint of that number. http_connect: through its proxy, if it has one (A86). changed:
 * what is called when its state is another, until it is let go of. The caller owns the returned
 * reference; NULL: no subchannel can be made. */
gxds_held_endpoint *gxds_held_endpoint_create(gxds_policy *owner, const gxds_args *args,
                                              const gxds_locality *locality, uint32_t index,
                                              bool http_connect, void (*changed)(void *policy),
                                              void *policy);
gxds_held_endpoint *gxds_held_endpoint_ref(gxds_held_endpoint *h);
void gxds_held_endpoint_unref(gxds_held_endpoint *h); /* NULL is allowed. Any thread */
/* The policy lets go of it, and is to publish a picker that does not know it. RPCs that find it
 * until the channel has that go there still: their session would move for no reason, where the next
 * picker holds the endpoint anew. Takes the policy's reference. */
void gxds_held_endpoint_let_go(gxds_held_endpoint *take_h);
/* For pickers. */
static inline void gxds_held_endpoint_use(gxds_held_endpoint *h) {
  /* Most RPCs only read it. */
  if (!atomic_load_explicit(&h->used, memory_order_relaxed)) {
    atomic_store_explicit(&h->used, true, memory_order_relaxed);
  }
}

#endif
