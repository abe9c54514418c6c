/* A listening socket of this process. Its own thread serves its connections, many at once
 * (transport/connections.h), until the process ends. The child of a fork has no such threads. Only
 * the reactor starts one. */
#ifndef GRPC_XDS_TRANSPORT_LISTENER_H_
#define GRPC_XDS_TRANSPORT_LISTENER_H_

#include <stdbool.h>

#include "transport/connections.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Serves the connections on take_fd, a listening socket. Takes ownership of take_fd. The service is
 * borrowed until the process ends; its functions run on the new thread. A process has at most two
 * listeners. False if there is no thread for it: then the socket is closed, and *why is the reason,
 * a static text. */
bool gxds_listener_start(int take_fd, const gxds_service *service, const char **why);

#ifdef __cplusplus
}
#endif

#endif
