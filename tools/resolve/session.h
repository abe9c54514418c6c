/* Explains as text what happens to the session that an RPC's cookie names (A55, A60). */
#ifndef GRPC_XDS_TOOLS_RESOLVE_SESSION_H_
#define GRPC_XDS_TOOLS_RESOLVE_SESSION_H_

#include "resources/listener.h"
#include "tools/resolve/explain.h"
#include "xds_resolver/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds which endpoint the RPC's session names, and whether that endpoint would serve the RPC if it
 * goes to the route's cluster with that index. Adds nothing if the RPC has no session. config may
 * be NULL, if the clusters are not known. All of it is borrowed: valid during the call. */
void gxds_explain_session(const gxds_listener *listener, const gxds_virtual_host *host,
                          const gxds_route *route, size_t cluster, const gxds_rpc *rpc,
                          const gxds_config *config, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
