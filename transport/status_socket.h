/* The Unix socket from which `xds status PID` reads the state of this process's xDS clients. There
 * is one if GRPC_XDS_STATUS_DIR in the environment names a directory; its path is then
 * DIR/PID.sock. Only the process's own user and root may use it: the socket's mode allows no
 * others, and the process also checks the peer's user id, which the kernel reports.
 *
 * Each connection gets one line, "grpc_xds status SIZE\n", and SIZE bytes: an
 * envoy.service.status.v3.ClientStatusResponse, with one ClientConfig for each client. If the
 * clients did not respond in time, it gets "grpc_xds busy\n" instead. */
#ifndef GRPC_XDS_TRANSPORT_STATUS_SOCKET_H_
#define GRPC_XDS_TRANSPORT_STATUS_SOCKET_H_

#ifdef __cplusplus
extern "C" {
#endif

#define GXDS_STATUS_DIR_VARIABLE "GRPC_XDS_STATUS_DIR"
#define GXDS_STATUS_HEAD "grpc_xds status "
#define GXDS_STATUS_BUSY "grpc_xds busy"

/* Starts the socket if the environment names a directory, once in a process: later calls do
 * nothing. Errors are logged. The socket's file is removed when the process ends. If it is
 * killed, the next process of the same user that starts a socket there removes the file. Called on
 * the reactor. */
void gxds_status_socket_start(void);

#ifdef __cplusplus
}
#endif

#endif
