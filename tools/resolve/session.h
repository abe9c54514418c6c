/* What becomes of the session that an RPC's cookie names (A55, A60), in words. */
#ifndef GRPC_XDS_TOOLS_RESOLVE_SESSION_H_
#define GRPC_XDS_TOOLS_RESOLVE_SESSION_H_

#include "resources/listener.h"
#include "tools/resolve/explain.h"
#include "xds_resolver/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which endpoint the RPC's session wants, and whether that would serve it, if the RPC goes to the
 * cluster of that number of the route. Adds nothing where the RPC has no session. config: NULL:
 * nothing is known of clusters. All of it is borrowed: valid during the call. */
void gxds_explain_session(const gxds_listener *listener, const gxds_virtual_host *host,
                          const gxds_route *route, size_t cluster, const gxds_rpc *rpc,
                          const gxds_config *config, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
