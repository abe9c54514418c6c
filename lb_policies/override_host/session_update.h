/* How a gxds_session_table changes with the endpoints of its cluster. The policy's, under its
 * serializer. Private to override_host. */
#ifndef GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_SESSION_UPDATE_H_
#define GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_SESSION_UPDATE_H_

#include "lb_policies/override_host/session_table.h"

/* Called with what is held for an endpoint that is gone, or that is reached in another way now: the
 * new table does not have it. */
typedef struct gxds_session_let_go {
  void (*fn)(void *arg, gxds_held_endpoint *h);
  void *arg;
} gxds_session_let_go;

/* The table of these endpoints. before: the last one; NULL: there was none. The cost follows what
 * differs from it. An endpoint that is reached in the same way is the same in both, wherever it
 * stands, with what is held for it. The caller owns the returned reference. */
gxds_session_table *gxds_session_table_update(const gxds_session_table *before,
                                              const gxds_session_source *of, uint64_t seed,
                                              gxds_session_let_go let_go);

/* Before t is shared: nothing is held for the endpoint at that address. */
void gxds_session_table_forget(gxds_session_table *t, const gxds_address *address);

/* Where e is now, which has that address; false: nowhere. Borrowed: valid as long as t. */
bool gxds_session_table_locate(const gxds_session_table *t, const gxds_session_endpoint *e,
                               const gxds_address *address, const gxds_locality **locality,
                               uint32_t *index);

#endif
