/* gxds_connections: the connections that a listening socket accepted, each with one request and its
 * response. It serves many at once and waits for none. A connection ends after its response, or
 * when its time is over. If there are too many, the oldest one without a whole request is closed,
 * or the oldest of all if each has one. So a client that opens all connections does not lock out
 * others.
 *
 *     reading ── a whole request ──► waiting ── one in each turn ──► being sent ──► closed
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

/* Prometheus waits for ten seconds by default, and its requests have some hundred bytes. A longer
 * request than this gets no response. */
#define GXDS_CONNECTIONS_MAX 16
#define GXDS_CONNECTION_TIME (10 * GXDS_SECOND)
#define GXDS_REQUEST_BYTES_MAX 8192

/* Zero-initialised, it is empty: then the connection is closed without a response. */
typedef struct gxds_http_response {
  gxds_text head;
  gxds_str body; /* made by gxds_str_dup(); sent after the head */
} gxds_http_response;

typedef struct gxds_service {
  /* Whether the bytes that arrived so far are a whole request. It is also called before the first
   * byte. */
  bool (*is_whole)(gxds_str request);
  /* Makes the response. fd: the socket, which identifies the client. *out is empty; the connection
   * takes ownership of the response. */
  void (*respond)(int fd, gxds_str request, gxds_http_response *out);
} gxds_service;

typedef struct gxds_connection {
  int fd;
  ino_t inode; /* the inode of fd: a program may close a descriptor that it did not open, and get
                  the same number for another file */
  gxds_time until;
  enum { GXDS_READING, GXDS_WAITING, GXDS_BEING_SENT } state;
  gxds_text request;
  gxds_http_response response;
  size_t sent;
} gxds_connection;

/* If only the service is set, and the rest is zero, there are no connections. */
typedef struct gxds_connections {
  const gxds_service *service; /* borrowed: valid as long as the struct is used */
  size_t count;
  gxds_connection all[GXDS_CONNECTIONS_MAX]; /* the oldest first */
} gxds_connections;

/* Takes ownership of take_fd, a connected socket that does not block. If there are
 * GXDS_CONNECTIONS_MAX connections, one is closed. */
void gxds_connections_add(gxds_connections *c, int take_fd, gxds_time now);

/* Receives, responds to one request, and sends, without waiting. Closes the connections that are
 * done or whose time is over. */
void gxds_connections_turn(gxds_connections *c, gxds_time now);

/* gxds_connections_deadline(): when the next turn is due; GXDS_TIME_NEVER: there is no connection.
 * An event of a socket that gxds_connections_events() lists makes a turn due too.
 * gxds_connections_events() fills out, which has room for GXDS_CONNECTIONS_MAX items, and returns
 * their number. */
gxds_time gxds_connections_deadline(const gxds_connections *c);
size_t gxds_connections_events(const gxds_connections *c, struct pollfd *out);

/* Closes all connections. */
void gxds_connections_end(gxds_connections *c);

/* The child of a fork calls this in place of gxds_connections_end(): the sockets belong to the
 * parent, which still uses them. */
void gxds_connections_leave_to_parent(gxds_connections *c);

/* The inode of a socket; 0 if fd is not a socket. Any thread. */
ino_t gxds_socket_inode(int fd);

#ifdef __cplusplus
}
#endif

#endif
