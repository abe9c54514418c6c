/* gxds_session_table: a map from addresses to the endpoints of a cluster that may serve sessions
 * (A55's address_map). An endpoint is in it once for each of its addresses. Pickers look up cookies
 * in it. Counted by reference: any thread, no locks. Once it is shared it is immutable, except the
 * atomic fields of its endpoints. When endpoints change, the policy makes another table
 * (session_update.h), which shares everything unchanged with the last table. Private to
 * override_host. */
#ifndef GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_SESSION_TABLE_H_
#define GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_SESSION_TABLE_H_

#include "lb_policies/override_host/held_endpoint.h"

/* An endpoint, shared by all tables that have it. It stays the same object as long as the endpoint
 * is reached in the same way. */
typedef struct gxds_session_endpoint gxds_session_endpoint;
struct gxds_session_endpoint {
  gxds_ref refs;
  atomic_bool requested;              /* a picker has asked the policy to hold the endpoint */
  atomic_bool refused;                /* the policy cannot hold the endpoint */
  _Atomic(gxds_held_endpoint *) held; /* a reference; NULL: none. Set once */
  /* Only for the policy: where the endpoint was in the cluster's endpoints when it was added. */
  bool draining;     /* it is in its locality's list of draining endpoints, not in the main list */
  uint32_t priority; /* priority, locality and index are numbers */
  uint32_t locality;
  uint32_t index;
  uint32_t times; /* how often the endpoint occurs, because DNS may return an address more than
                     once */
  /* During an update: the old endpoints have it, and it was not found among the new ones so far. */
  bool leaving;
  const gxds_locality *was_in; /* borrowed from the endpoints before the update */
  uint32_t was_at;
  gxds_session_endpoint *next_leaving;
};

/* Makes an endpoint at the same place as `like`. The caller owns the returned reference. */
gxds_session_endpoint *gxds_session_endpoint_create(const gxds_session_endpoint *like);
void gxds_session_endpoint_unref(gxds_session_endpoint *e);
/* From now on the endpoint is held by h. Takes its own reference. */
void gxds_session_endpoint_hold(gxds_session_endpoint *e, gxds_held_endpoint *h);

/* The endpoints of a table, and which of them may serve sessions. */
typedef struct gxds_session_source {
  const gxds_endpoints *endpoints; /* NULL: there are none */
  /* The health states of endpoints that may serve sessions, as bits 1 << gxds_health. */
  uint8_t health;
  bool http_connect; /* A86: the endpoints are reached through their proxies */
} gxds_session_source;

typedef struct gxds_session_table gxds_session_table;

/* Makes an empty table for about `count` addresses. seed: for the hash. Takes a reference to the
 * endpoints. The caller owns the returned reference. */
gxds_session_table *gxds_session_table_create(const gxds_session_source *of, size_t count,
                                              uint64_t seed);
/* Makes a copy of t with another source. */
gxds_session_table *gxds_session_table_copy(const gxds_session_table *t,
                                            const gxds_session_source *of);
gxds_session_table *gxds_session_table_ref(gxds_session_table *t);
void gxds_session_table_unref(gxds_session_table *t); /* NULL is allowed */

/* Only before the table is shared: puts e at that address, in place of the endpoint there. Takes
 * its own reference. */
void gxds_session_table_put(gxds_session_table *t, const gxds_address *address,
                            gxds_session_endpoint *e);
/* Only before the table is shared: removes e at that address, if it is there. */
void gxds_session_table_remove(gxds_session_table *t, const gxds_address *address,
                               const gxds_session_endpoint *e);
/* The last step before a table is shared: if it has many more addresses than it was made for, or
 * many fewer, it is replaced by one of a fitting size. Takes ownership of t, and returns it or its
 * replacement. */
gxds_session_table *gxds_session_table_fit(gxds_session_table *take_t);

/* The endpoint with that address; NULL if none that may serve sessions has it. Borrowed: valid as
 * long as t. */
gxds_session_endpoint *gxds_session_table_find(const gxds_session_table *t,
                                               const gxds_address *address);
const gxds_session_source *gxds_session_table_source(const gxds_session_table *t);

#endif
