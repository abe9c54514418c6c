/* gxds_clients_dump(): the state of all clients, for the client status discovery service (A40) and
 * for metrics (A78). Any thread may call it. It sends a request to the reactor and waits for the
 * result.
 *
 * Don't call it under a serializer, because no code there may wait for the reactor. On the reactor
 * itself it returns at once. */
#ifndef GRPC_XDS_TRANSPORT_DUMP_H_
#define GRPC_XDS_TRANSPORT_DUMP_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_dump_form {
  GXDS_DUMP_MERGED,    /* the result of gxds_client_status_merge() */
  GXDS_DUMP_BY_CLIENT, /* the result of gxds_client_status_each() */
  GXDS_DUMP_METRICS,   /* the result of gxds_client_metrics_render() */
} gxds_dump_form;

/* How long to wait for the reactor. Its longest turn is the decoding of a large response, which
 * takes some hundred milliseconds. */
#define GXDS_DUMP_SECONDS_MAX 10

/* MERGED merges with host_config, which is borrowed during the call, and may be empty. The caller
 * frees *out with gxds_str_free(). If there are no clients (before the first, after the last, or in
 * the child of a fork that has made none), it does not wait, and *out is a copy of host_config, the
 * counts of policies, or empty. If the reactor does not respond in time, returns false, with the
 * same *out. */
bool gxds_clients_dump(gxds_dump_form form, gxds_str host_config, gxds_str *out);

#ifdef __cplusplus
}
#endif

#endif
