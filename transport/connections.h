/* gxds_connections: what those who connected to a listening socket ask and are answered, many at
 * once, without waiting for any. A connection ends with its answer, or when its time is over; when
 * there are too many, one that has asked nothing makes room, else the oldest. So who keeps all of
 * them keeps nobody else away.
 *
 *     asking ── a whole request ──► waiting ── one in each turn ──► being sent ──► closed
 *
 * Lives in the caller's struct. It reads no clock and never waits. Confined: the thread of a
 * listener. */
#ifndef GRPC_XDS_TRANSPORT_CONNECTIONS_H_
#define GRPC_XDS_TRANSPORT_CONNECTIONS_H_

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/str.h"
#include "base/text.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Prometheus waits for ten seconds if not told otherwise. A request of its is some hundred bytes;
 * one that is longer than this is not answered. */
#define GXDS_CONNECTIONS_MAX 16
#define GXDS_CONNECTION_TIME (10 * GXDS_SECOND)
#define GXDS_REQUEST_BYTES_MAX 8192

/* Zero-initialised is empty: who asked is closed without a word. */
typedef struct gxds_answer {
  gxds_text head;
  gxds_str body; /* as of gxds_str_dup(); sent after the head */
} gxds_answer;

typedef struct gxds_service {
  /* Whether these bytes, all that came, are a whole request. It is asked before any came, too. */
  bool (*is_whole)(gxds_str request);
  /* fd is to see who asks. *out is empty before; what is put there is the connection's. */
  void (*answer)(int fd, gxds_str request, gxds_answer *out);
} gxds_service;

typedef struct gxds_connection {
  int fd;
  ino_t inode; /* of fd: a program may close what it did not open, and have another there */
  gxds_time until;
  enum { GXDS_ASKING, GXDS_WAITING, GXDS_BEING_SENT } state;
  gxds_text request;
  gxds_answer answer;
  size_t sent;
} gxds_connection;

/* Zero-initialised but for the service, it has none. */
typedef struct gxds_connections {
  const gxds_service *service; /* borrowed: valid as long as this is used */
  size_t count;
  gxds_connection all[GXDS_CONNECTIONS_MAX]; /* the oldest first */
} gxds_connections;

/* take_fd: a connected socket that does not block. */
void gxds_connections_add(gxds_connections *c, int take_fd, gxds_time now);

/* Receives, answers one and sends what can be without waiting, and closes what is done or has had
 * its time. */
void gxds_connections_turn(gxds_connections *c, gxds_time now);

/* When the next turn is due: by time (GXDS_TIME_NEVER: none is), or by an event of the count
 * sockets put into out, which has room for GXDS_CONNECTIONS_MAX. */
gxds_time gxds_connections_deadline(const gxds_connections *c);
size_t gxds_connections_events(const gxds_connections *c, struct pollfd *out);

/* Closes all of them. */
void gxds_connections_end(gxds_connections *c);

/* In the child of a fork, in place of the above: their sockets are the parent's, which talks on. */
void gxds_connections_leave_to_parent(gxds_connections *c);

/* 0: it is no socket. Any thread. */
ino_t gxds_socket_inode(int fd);

#ifdef __cplusplus
}
#endif

#endif
