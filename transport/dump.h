/* gxds_clients_dump(): what all clients hold, for the client status discovery service (A40) and for
 * metrics (A78), from any thread: the reactor is asked, and answers.
 *
 * It must not be called where a serializer runs: nothing there waits for the reactor. On the
 * reactor itself it answers at once. */
#ifndef GRPC_XDS_TRANSPORT_DUMP_H_
#define GRPC_XDS_TRANSPORT_DUMP_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_dump_form {
  GXDS_DUMP_MERGED,    /* gxds_client_status_merge() */
  GXDS_DUMP_BY_CLIENT, /* gxds_client_status_each() */
  GXDS_DUMP_METRICS,   /* gxds_client_metrics_render() */
} gxds_dump_form;

/* The reactor's longest turn is the decoding of one large response, some hundred milliseconds. */
#define GXDS_DUMP_SECONDS_MAX 10

/* host_config: what MERGED is merged with (borrowed: valid during the call; may be empty). The
 * caller frees *out with gxds_str_free(). Without clients (before the first, after the last, in the
 * child of a fork that has made none) it doesn't wait, and *out is a copy of host_config, or what
 * policies counted, or empty. False, and *out likewise: the reactor did not answer in time. */
bool gxds_clients_dump(gxds_dump_form form, gxds_str host_config, gxds_str *out);

#ifdef __cplusplus
}
#endif

#endif
