/* The resources of clients, in the messages of the client status discovery service (A40, A71, A88).
 *
 * Pure functions on the clients; confined, as the clients are. */
#ifndef GRPC_XDS_XDS_CLIENT_CLIENT_STATUS_H_
#define GRPC_XDS_XDS_CLIENT_CLIENT_STATUS_H_

#include "xds_client/client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A client and its data-plane target, which A71 calls its scope. Where several targets share a
 * client, each shows the resources of its own watches. All of it is borrowed during a call. */
typedef struct gxds_status_source {
  const gxds_client *client;
  gxds_str scope;               /* empty if there is none */
  const gxds_watch_id *watches; /* the watches of the scope; NULL means all of the client's
                                   watches */
  size_t watch_count;
} gxds_status_source;

/* Calls fn for every resource of the source, ordered by type and name. fn must not call the client.
 */
void gxds_status_source_each(const gxds_status_source *source,
                             void (*fn)(void *arg, const gxds_resource_info *), void *arg);

/* Returns one envoy.service.status.v3.ClientConfig, serialized: the resources of all sources, then
 * those of host_config, which is a serialized ClientConfig too. host_config is borrowed and may be
 * empty; if it can't be parsed, it counts as empty. The node is that of the first source. epoch is
 * the time of UTC, in nanoseconds since 1970, at which the clients' clock was zero. The caller
 * frees the result with gxds_str_free(). */
gxds_str gxds_client_status_merge(const gxds_status_source *sources, size_t count,
                                  gxds_str host_config, int64_t epoch);

/* Returns one envoy.service.status.v3.ClientStatusResponse, serialized, with one ClientConfig and
 * its client_scope for each source. epoch, and who frees the result, are as for
 * gxds_client_status_merge(). */
gxds_str gxds_client_status_each(const gxds_status_source *sources, size_t count, int64_t epoch);

#ifdef __cplusplus
}
#endif

#endif
