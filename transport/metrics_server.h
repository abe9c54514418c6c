/* The port on which Prometheus finds the metrics of this process, if the environment names one
 * (GRPC_XDS_METRICS_ADDRESS, "127.0.0.1:9464"; port 0: the kernel picks one, and the log says
 * which). It serves GET /metrics, on GXDS_CONNECTIONS_MAX connections at a time. There is no access
 * control, so use an address that only this machine can reach. */
#ifndef GRPC_XDS_TRANSPORT_METRICS_SERVER_H_
#define GRPC_XDS_TRANSPORT_METRICS_SERVER_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the server if the environment asks for it, unless this process or one that it was forked
 * from has started it already. Errors are logged. It runs until the process ends. Called on the
 * reactor. */
void gxds_metrics_server_start(void);

#ifdef __cplusplus
}
#endif

#endif
