/* A listening socket of this process, on which a thread of its own answers one connection at a
 * time, until the process ends. The child of a fork has none of them.
 *
 * Confined: the reactor's thread starts them. */
#ifndef GRPC_XDS_TRANSPORT_LISTENER_H_
#define GRPC_XDS_TRANSPORT_LISTENER_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Answers connections on take_fd, a listening socket: answer (on the thread) neither closes the
 * connection nor waits for the other side for long: its socket has timeouts. Twice at most. False:
 * there is no thread for it; the socket is closed, and *why (static) is the reason. */
bool gxds_listener_start(int take_fd, void (*answer)(int connection), const char **why);

/* Sends all of s, or what the other side takes. */
void gxds_listener_send(int connection, gxds_str s);

#ifdef __cplusplus
}
#endif

#endif
