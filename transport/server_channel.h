/* gxds_server_channel: the gRPC channel to one xDS server, which reports its failures. Only on the
 * reactor's thread. The public C API says that a channel failed, but not why. So the reason is
 * taken from a call that does not wait for a connection: it fails with the reason. */
#ifndef GRPC_XDS_TRANSPORT_SERVER_CHANNEL_H_
#define GRPC_XDS_TRANSPORT_SERVER_CHANNEL_H_

#include <grpc/grpc.h>

#include "bootstrap/bootstrap.h"

#ifdef __cplusplus
extern "C" {
#endif

struct grpc_channel_credentials;
typedef struct gxds_server_channel gxds_server_channel;

/* The channel arguments of our xDS channels, unless the user's arguments set them. */

/* A response with 100,000 clusters of 1 kB each is 100 MB; gRPC's default of 4 MB would end the
 * stream over and over. There is a limit so that a broken server cannot use up all memory. */
#define GXDS_RECEIVE_SIZE_MAX (256 * 1024 * 1024)
/* gRPC servers by default end a connection that pings more often than every 5 minutes while no data
 * flows (GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, grpc-go's EnforcementPolicy), so
 * this is the shortest time that suits every control plane; all of gRPC's own xDS clients use it.
 * If a peer dies while data is in flight, that is noticed after only the keepalive timeout, because
 * gRPC uses it as TCP_USER_TIMEOUT. */
#define GXDS_KEEPALIVE_TIME_MS (5 * 60 * 1000)
#define GXDS_KEEPALIVE_TIMEOUT_MS (20 * 1000)

/* Makes a channel that connects with its first call. server, creds and args are borrowed during the
 * call. args may be NULL; they take precedence over our own. on_failed is called each time the
 * channel enters TRANSIENT_FAILURE, but never from within this function. Its status, borrowed
 * during the call, is UNAVAILABLE "channel in TRANSIENT_FAILURE: …" with the host's text. It may
 * destroy the channel. One owner. */
gxds_server_channel *gxds_server_channel_create(
    const gxds_bootstrap_server *server, struct grpc_channel_credentials *creds,
    const grpc_channel_args *args, void (*on_failed)(void *arg, const gxds_status *status),
    void *arg);
/* If the channel is in TRANSIENT_FAILURE, calls on_failed soon: for an owner that ignored earlier
 * calls. */
void gxds_server_channel_report_failure(gxds_server_channel *c);
/* Closes the channel; on_failed is no longer called. */
void gxds_server_channel_destroy(gxds_server_channel *c);

/* Borrowed: valid as long as c. */
grpc_channel *gxds_server_channel_get(gxds_server_channel *c);
/* Connects at once instead of waiting for the connection's backoff. */
void gxds_server_channel_reset_backoff(gxds_server_channel *c);

#ifdef __cplusplus
}
#endif

#endif
