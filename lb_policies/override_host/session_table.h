/* gxds_session_table: the endpoints of a cluster that may serve sessions, by each of their
 * addresses (A55's address_map): what pickers look cookies up in. Counted by reference: any thread,
 * no locks; but for what is atomic in its endpoints, it is immutable once it is shared. When
 * endpoints change the policy makes another (session_update.h), which shares with the one before
 * all that is the same. Private to override_host. */
#ifndef GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_SESSION_TABLE_H_
#define GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_SESSION_TABLE_H_

#include "lb_policies/override_host/held_endpoint.h"

/* An endpoint, in all tables that have it: as long as it is reached in the same way. */
typedef struct gxds_session_endpoint gxds_session_endpoint;
struct gxds_session_endpoint {
  gxds_ref refs;
  atomic_bool asked;                  /* a picker asked the policy to hold it */
  atomic_bool refused;                /* which can't be done */
  _Atomic(gxds_held_endpoint *) held; /* a reference; NULL: none. Set once */
  /* The policy's own: where it was in the cluster's endpoints when it came. */
  bool draining;     /* in its locality, or in that of those that drain */
  uint32_t priority; /* and numbers */
  uint32_t locality;
  uint32_t index;
  uint32_t times; /* how often it is there: DNS may say an address more than once */
  /* During an update: it is there no more, by what is known so far. */
  bool leaving;
  const gxds_locality *was_in; /* borrow: of the endpoints before */
  uint32_t was_at;
  gxds_session_endpoint *next_leaving;
};

/* At the place of like. The caller owns the returned reference. */
gxds_session_endpoint *gxds_session_endpoint_create(const gxds_session_endpoint *like);
void gxds_session_endpoint_unref(gxds_session_endpoint *e);
/* It is held from now on; takes a reference of its own. */
void gxds_session_endpoint_hold(gxds_session_endpoint *e, gxds_held_endpoint *h);

/* What a table is made of. */
typedef struct gxds_session_source {
  const gxds_endpoints *endpoints; /* NULL: there are none */
  uint8_t health;                  /* those in the states of this set: bits 1 << gxds_health */
  bool http_connect;               /* A86: they are reached through their proxies */
} gxds_session_source;

typedef struct gxds_session_table gxds_session_table;

/* An empty one, for about so many addresses. seed: of the hash. Takes a reference of the endpoints.
 * The caller owns the returned reference. */
gxds_session_table *gxds_session_table_create(const gxds_session_source *of, size_t count,
                                              uint64_t seed);
/* What is in t, of another source. */
gxds_session_table *gxds_session_table_copy(const gxds_session_table *t,
                                            const gxds_session_source *of);
gxds_session_table *gxds_session_table_ref(gxds_session_table *t);
void gxds_session_table_unref(gxds_session_table *t); /* NULL is allowed */

/* Before it is shared: e (a reference of its own) is at that address, in place of whoever was. */
void gxds_session_table_put(gxds_session_table *t, const gxds_address *address,
                            gxds_session_endpoint *e);
/* Likewise: it is no more, if it was. */
void gxds_session_table_remove(gxds_session_table *t, const gxds_address *address,
                               const gxds_session_endpoint *e);
/* The last that is done before it is shared: when there are many more addresses now, or fewer, the
 * table is one for so many. Takes t, and returns it or another in its place. */
gxds_session_table *gxds_session_table_fit(gxds_session_table *take_t);

/* NULL: no such endpoint may serve sessions. Borrowed: valid as long as t. */
gxds_session_endpoint *gxds_session_table_find(const gxds_session_table *t,
                                               const gxds_address *address);
const gxds_session_source *gxds_session_table_source(const gxds_session_table *t);

#endif
