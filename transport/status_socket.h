/* The Unix socket on which `xds status PID` finds what the xDS clients of this process hold, if the
 * environment names a directory for it (GRPC_XDS_STATUS_DIR; it is DIR/PID.sock then). It is open
 * to the process's own user and root alone: by its mode, and by who the kernel says is asking.
 *
 * Whoever connects is sent one line, "grpc_xds status SIZE\n", and SIZE bytes: a
 * envoy.service.status.v3.ClientStatusResponse, with one ClientConfig for each client. Or
 * "grpc_xds busy\n", when the clients did not answer in time. */
#ifndef GRPC_XDS_TRANSPORT_STATUS_SOCKET_H_
#define GRPC_XDS_TRANSPORT_STATUS_SOCKET_H_

#ifdef __cplusplus
extern "C" {
#endif

#define GXDS_STATUS_DIR_VARIABLE "GRPC_XDS_STATUS_DIR"
#define GXDS_STATUS_HEAD "grpc_xds status "
#define GXDS_STATUS_BUSY "grpc_xds busy"

/* Starts it if the environment asks for it and this process has not started it yet. Errors are
 * logged. The socket's file is removed when the process ends, unless it is killed. Called on the
 * reactor. */
void gxds_status_socket_start(void);

#ifdef __cplusplus
}
#endif

#endif
