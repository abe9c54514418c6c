/* The picker of override_host, and the wrapper by which it recognises the subchannels of the policy
 * below. Private to override_host. */
#ifndef GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_OVERRIDE_HOST_PICKER_H_
#define GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_OVERRIDE_HOST_PICKER_H_

#include "lb_policies/override_host/session_table.h"

/* The pokes that the policy gets, with the bytes of a gxds_address as their text. A poke may come
 * too late. */
enum {
  GXDS_OVERRIDE_HOST_HOLD,    /* a session uses the endpoint of that address */
  GXDS_OVERRIDE_HOST_CONNECT, /* an RPC waits for the endpoint, which is held and IDLE */
};

/* Wraps a subchannel of the policy below. address must have ip, and is copied. The caller owns the
 * returned reference. */
gxds_subchannel *gxds_session_subchannel_create(gxds_subchannel *take_subchannel,
                                                const gxds_lb_address *address);

/* child is the picker of the policy below. Takes references. The caller owns the returned
 * reference. */
gxds_picker *gxds_override_host_picker_create(gxds_session_table *table, gxds_picker *child,
                                              gxds_poker *poker);

#endif
