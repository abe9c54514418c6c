/* The picker of override_host, and what it knows the subchannels of the policy below by. Private to
 * override_host. */
#ifndef GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_OVERRIDE_HOST_PICKER_H_
#define GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_OVERRIDE_HOST_PICKER_H_

#include "lb_policies/override_host/session_table.h"

/* What the policy is poked with: the bytes of a gxds_address. Both may come too late. */
enum {
  GXDS_OVERRIDE_HOST_HOLD,    /* a session uses the endpoint of that address */
  GXDS_OVERRIDE_HOST_CONNECT, /* an RPC waits for the endpoint, which is held and IDLE */
};

/* Around a subchannel of the policy below. address: with ip; copied. The caller owns the returned
 * reference. */
gxds_subchannel *gxds_session_subchannel_create(gxds_subchannel *take_subchannel,
                                                const gxds_lb_address *address);

/* child: of the policy below. Takes references. The caller owns the returned reference. */
gxds_picker *gxds_override_host_picker_create(gxds_session_table *table, gxds_picker *child,
                                              gxds_poker *poker);

#endif
