/* gxds_ads_warm: Envoy does not use a new or changed Cluster before a response has the Cluster's
 * endpoints, "even if there is no change in endpoints" (its xDS protocol, "Resource warming"). It
 * sends no request for them, so the server must send the endpoints again. gRPC clients do not need
 * that, and it does them no harm. Private to tools/serve/. */
#ifndef GRPC_XDS_TOOLS_SERVE_WARMING_H_
#define GRPC_XDS_TOOLS_SERVE_WARMING_H_

#include "tools/serve/ads_internal.h"

/* Call this for each Cluster in a response on the stream that is new or changed. The endpoints that
 * the Cluster names are then due again, if the client has them and the set still has them. */
void gxds_ads_warm(gxds_ads_stream *st, const gxds_file_set *set,
                   const gxds_file_resource *cluster);

/* For a delta stream, once the client has subscribed to endpoints. The endpoints of the clusters
 * that were sent before are then due again, if the client's initial_resource_versions have them. */
void gxds_ads_warm_initial(gxds_ads_stream *st, const gxds_file_set *set);

#endif
