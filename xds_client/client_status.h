/* What clients hold, in the messages of the client status discovery service (A40, A71, A88).
 *
 * Pure functions on the clients; confined as these are. */
#ifndef GRPC_XDS_XDS_CLIENT_CLIENT_STATUS_H_
#define GRPC_XDS_XDS_CLIENT_CLIENT_STATUS_H_

#include "xds_client/client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A client and what A71 calls its scope: the data-plane target. Where several targets share it,
 * each has the resources of its own watches. All is borrowed during a call. */
typedef struct gxds_status_source {
  const gxds_client *client;
  gxds_str scope;               /* empty: none */
  const gxds_watch_id *watches; /* of the scope; NULL: all that the client has */
  size_t watch_count;
} gxds_status_source;

/* Calls fn for every resource of a source, ordered by type and name. fn must not call the client.
 */
void gxds_status_source_each(const gxds_status_source *source,
                             void (*fn)(void *arg, const gxds_resource_info *), void *arg);

/* One envoy.service.status.v3.ClientConfig, serialized: the resources of all sources, then those of
 * host_config, another one (borrow; may be empty; one that can't be parsed counts as empty). The
 * node is that of the first source. epoch: the clock of UTC, in nanoseconds since 1970, when the
 * clients' clock was zero. The caller frees the result with gxds_str_free(). */
gxds_str gxds_client_status_merge(const gxds_status_source *sources, size_t count,
                                  gxds_str host_config, int64_t epoch);

/* One envoy.service.status.v3.ClientStatusResponse, serialized, with one ClientConfig for each
 * source and its client_scope. The rest is as above. */
gxds_str gxds_client_status_each(const gxds_status_source *sources, size_t count, int64_t epoch);

#ifdef __cplusplus
}
#endif

#endif
