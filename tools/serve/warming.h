/* gxds_ads_warm: an Envoy does not use a Cluster that came or changed before a response brings it
 * its endpoints, "even if there is no change in endpoints" (its xDS protocol, "Resource warming").
 * It asks for nothing new then, so the server sends the endpoints again. A gRPC client does not
 * need that, and it does no harm there. Private to tools/serve/. */
#ifndef GRPC_XDS_TOOLS_SERVE_WARMING_H_
#define GRPC_XDS_TOOLS_SERVE_WARMING_H_

#include "tools/serve/ads_internal.h"

/* To be called for each Cluster that is new or changed in a response on the stream: the endpoints
 * that it names are due again, if the client was sent them before and the set still has them. */
void gxds_ads_warm(gxds_ads_stream *st, const gxds_file_set *set,
                   const gxds_file_resource *cluster);

/* On a delta stream, once the client asked for endpoints: those of the clusters that were sent
 * before are due again, if its initial_resource_versions have them. */
void gxds_ads_warm_initial(gxds_ads_stream *st, const gxds_file_set *set);

#endif
