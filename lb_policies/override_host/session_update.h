/* How a gxds_session_table changes with the endpoints of its cluster. Only for the policy, under
 * its serializer. Private to override_host. */
#ifndef GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_SESSION_UPDATE_H_
#define GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_SESSION_UPDATE_H_

#include "lb_policies/override_host/session_table.h"

/* Called with the held endpoint of each endpoint that is gone, or that is now reached in another
 * way: the new table does not have it. */
typedef struct gxds_session_let_go {
  void (*fn)(void *arg, gxds_held_endpoint *h);
  void *arg;
} gxds_session_let_go;

/* Makes the table for these endpoints. `before` is the last table; NULL if there was none. The cost
 * depends on the changes since then. An endpoint that is reached in the same way keeps its object
 * and its held endpoint, at any place in the list. The caller owns the returned reference. */
gxds_session_table *gxds_session_table_update(const gxds_session_table *before,
                                              const gxds_session_source *of, uint64_t seed,
                                              gxds_session_let_go let_go);

/* Only before t is shared: from now on nothing is held for the endpoint at that address. */
void gxds_session_table_forget(gxds_session_table *t, const gxds_address *address);

/* Finds the place of e, which has that address, in the endpoints. False if it is not there.
 * Borrowed: valid as long as t. */
bool gxds_session_table_locate(const gxds_session_table *t, const gxds_session_endpoint *e,
                               const gxds_address *address, const gxds_locality **locality,
                               uint32_t *index);

#endif
