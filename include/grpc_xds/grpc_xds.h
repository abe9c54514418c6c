/* The public API of grpc-xds, an xDS client for gRPC C-core. grpc_xds/policy.h has the API for a
 * program's own load-balancing policies.
 *
 * A program does not need these functions: link or preload libgrpc_xds.so, set GRPC_XDS_BOOTSTRAP
 * (gRFC A27), and create channels to "xds:///service". */
#ifndef GRPC_XDS_GRPC_XDS_H_
#define GRPC_XDS_GRPC_XDS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GRPC_XDS_VERSION "0.1.0"

typedef enum grpc_xds_result {
  GRPC_XDS_OK = 0,                 /* registered, by this call or an earlier one */
  GRPC_XDS_ERROR_NO_GRPC = 1,      /* this process has no libgrpc (yet) */
  GRPC_XDS_ERROR_HOST_VERSION = 2, /* libgrpc is not the version this library was built for */
  GRPC_XDS_ERROR_TOO_LATE = 3,     /* gRPC was initialised before: its registry is closed */
  GRPC_XDS_ERROR_IMPLEMENTATION =
      4,                   /* the implementation is missing, broken, or of another version */
  GRPC_XDS_ERROR_BUSY = 5, /* the xDS clients did not respond in time: try again */
  GRPC_XDS_ERROR_POLICY_VERSION =
      6, /* this and the next two are errors of grpc_xds_register_policy() */
  GRPC_XDS_ERROR_POLICY_INVALID = 7,
  GRPC_XDS_ERROR_POLICY_EXISTS = 8
} grpc_xds_result;

/* Registers the xds: resolver and the xDS load-balancing policies of this library with gRPC, in
 * place of the built-in ones. The library does this by itself when it is loaded; a program that
 * links gRPC statically calls it before grpc_init(). Any thread; may be called again. On an error
 * nothing is registered, the built-in xDS stays, and one line in the log says why. */
__attribute__((visibility("default"))) grpc_xds_result grpc_xds_plugin_register(void);

/* Reports the resources of the xDS clients of this process (gRFC A40), as a serialized
 * envoy.service.status.v3.ClientStatusResponse. It has one ClientConfig for each data-plane target
 * that has a channel, in the order in which their clients were created. client_scope is the target
 * (gRFC A71). Targets may share a client ("shared_stream" in the bootstrap); then each target has
 * the resources that its own channels watch.
 *
 * On GRPC_XDS_OK *data points to *size bytes. The caller owns them, and frees them with free(). On
 * an error *data is NULL and *size is 0. The error is GRPC_XDS_ERROR_BUSY after ten seconds. If
 * this library is not registered, it is the error of grpc_xds_plugin_register().
 *
 * Any thread that may wait, after grpc_init(). Don't call it from within a callback of gRPC's core
 * (a resolver or a load-balancing policy of the program's own).
 *
 * gRPC's own grpc_dump_xds_configs(), and so every CSDS service, reports the same resources,
 * together with those that gRPC has for xDS-enabled servers. In gRPC 1.51 it reports one
 * ClientConfig for all clients: a resource that several clients hold is in it once for each client.
 * In gRPC 1.83 it reports one ClientConfig for each target, like this function. For this, a program
 * that links this library must name it before gRPC's (-lgrpc_xds … -lgrpc). In a program that links
 * gRPC statically, only the function here reports the resources. */
__attribute__((visibility("default"))) grpc_xds_result grpc_xds_dump_client_status(char **data,
                                                                                   size_t *size);

/* Reports the metrics of the xDS clients and policies of this process (gRFC A78, A89, A91, A94), as
 * text for Prometheus:
 *
 *   - grpc_xds_client_connected, grpc_xds_client_server_failure_total,
 *     grpc_xds_client_resource_updates_valid_total and …_invalid_total, and
 *     grpc_xds_client_resources, each with the labels of A78;
 *   - grpc_xds_client_update_duration_seconds, a histogram of the times from the arrival of a
 *     response until its changes are published;
 *   - grpc_xds_client_locality_rpcs_started_total, …_succeeded_total and …_failed_total, the RPC
 *     attempts in each locality of a cluster that reports load. The labels are the cluster
 *     (grpc_lb_backend_service), the locality as A78 writes it (grpc_lb_locality), the EDS service,
 *     and the server that gets the load reports;
 *   - the counts of load-balancing policies (A78, A91, A94): grpc_lb_wrr_…, grpc_lb_pick_first_…,
 *     grpc_lb_outlier_detection_… and grpc_subchannel_…, with their labels. These stay when a
 *     channel ends.
 *
 * The metrics of a client exist as long as its target has a channel. The metrics of a locality
 * exist until the locality is gone and its load is reported.
 *
 * On GRPC_XDS_OK *text points to *size bytes, followed by a zero byte. The caller owns them, and
 * frees them with free(). Errors and threads are those of grpc_xds_dump_client_status().
 *
 * The same text is served over HTTP, at /metrics, if GRPC_XDS_METRICS_ADDRESS ("127.0.0.1:9464") is
 * set when the process makes its first xDS client. */
__attribute__((visibility("default"))) grpc_xds_result grpc_xds_dump_metrics(char **text,
                                                                             size_t *size);

/* The version of this library, "0.1.0". Static. Any thread. */
__attribute__((visibility("default"))) const char *grpc_xds_version(void);

#ifdef __cplusplus
}
#endif

#endif
