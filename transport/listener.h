/* A listening socket of this process, whose connections a thread of its own answers, many at once
 * (transport/connections.h), until the process ends. The child of a fork has none of them.
 *
 * Confined: the reactor's thread starts them. */
#ifndef GRPC_XDS_TRANSPORT_LISTENER_H_
#define GRPC_XDS_TRANSPORT_LISTENER_H_

#include <stdbool.h>

#include "transport/connections.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Answers connections on take_fd, a listening socket, by the service (borrow: for ever), whose
 * functions run on the thread. Twice at most. False: there is no thread for it; the socket is
 * closed, and *why (static) is the reason. */
bool gxds_listener_start(int take_fd, const gxds_service *service, const char **why);

#ifdef __cplusplus
}
#endif

#endif
