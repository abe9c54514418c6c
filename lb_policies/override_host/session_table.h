/* gxds_session_table: the endpoints of a cluster that may serve sessions, by each of their
 * addresses (A55's address_map). It is made anew when endpoints change, and what pickers look
 * cookies up in. Counted by reference: any thread, no locks; only the policy puts something in it,
 * under its serializer. Private to override_host. */
#ifndef GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_SESSION_TABLE_H_
#define GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_SESSION_TABLE_H_

#include "lb_policies/override_host/held_endpoint.h"

typedef struct gxds_session_slot {
  const gxds_locality *locality;      /* NULL: the slot is free. Kept alive by the table */
  uint32_t index;                     /* of the endpoint, */
  uint32_t address;                   /* and of the address, as in gxds_lb_address_ip() */
  _Atomic(gxds_held_endpoint *) held; /* a reference; NULL: none. Set once */
  atomic_bool asked;                  /* a picker asked the policy to hold it */
  atomic_bool refused;                /* which can't be done */
} gxds_session_slot;

typedef struct gxds_session_table gxds_session_table;

/* Of the endpoints in the states of the set health: bits 1 << gxds_health. endpoints: NULL: none; a
 * reference is taken. seed: of the hash. One reference, the caller's. */
gxds_session_table *gxds_session_table_create(const gxds_endpoints *endpoints, uint8_t health,
                                              uint64_t seed);
gxds_session_table *gxds_session_table_ref(gxds_session_table *t);
void gxds_session_table_unref(gxds_session_table *t); /* NULL is allowed */

/* The slot of an address; NULL: no such endpoint may serve sessions. Borrow: as long as t. */
gxds_session_slot *gxds_session_table_find(gxds_session_table *t, const gxds_address *address);
/* h is held for that endpoint, from now on: at all its addresses. Takes references of its own. */
void gxds_session_table_put(gxds_session_table *t, gxds_held_endpoint *h);

#endif
