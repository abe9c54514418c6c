/* A listening socket of this process, on which a thread of its own answers one connection at a
 * time, until the process ends. The child of a fork has none of them.
 *
 * Confined: the reactor's thread starts them. */
#ifndef GRPC_XDS_TRANSPORT_LISTENER_H_
#define GRPC_XDS_TRANSPORT_LISTENER_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_connection {
  int fd;
  gxds_time until; /* of CLOCK_MONOTONIC: what it has, for others wait meanwhile */
} gxds_connection;

/* Answers connections on take_fd, a listening socket: answer (on the thread) does not close the
 * connection, and waits for the other side in the functions below only. Twice at most. False: there
 * is no thread for it; the socket is closed, and *why (static) is the reason. */
bool gxds_listener_start(int take_fd, void (*answer)(const gxds_connection *c), const char **why);

/* Waits for some bytes, size at most: how many came. 0: no more come, or the time is over. */
size_t gxds_listener_receive(const gxds_connection *c, char *buffer, size_t size);

/* Sends all of s, or what the other side takes in time. */
void gxds_listener_send(const gxds_connection *c, gxds_str s);

#ifdef __cplusplus
}
#endif

#endif
