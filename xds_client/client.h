/* gxds_client: the xDS client engine. One engine serves one data-plane target (A71), or several
 * that share it. It has the subscriptions, the cache, the watches, and the ADS streams that serve
 * them, in SotW (sotw.c) or delta (delta.c).
 *
 * Confined to the thread that owns it (the reactor, a unit test, the simulator). It does no I/O,
 * reads no clock and makes no callbacks from events. Events go in through gxds_client_*(), each
 * with the time. Actions come out of gxds_client_next_action(), which the owner drains after every
 * event. The owner waits for one deadline, gxds_client_deadline().
 *
 * Every server in use has one channel (CONNECT … DISCONNECT) and at most one ADS stream at a time:
 *
 *     OPEN_STREAM ─► SEND ⇄ on_sent      READ ⇄ on_message      CLOSE_STREAM or on_stream_closed
 *
 * At most one SEND and one READ are outstanding on a stream. A READ is queued behind all actions
 * that the last message caused. So an owner that carries out actions in order has flow control: the
 * next message is read when the watchers are done with the last one.
 *
 * All watchers of a resource get the same error (base/error.h), by pointer, and get it once: if an
 * equal error occurs again, the client reuses the pointer. The error does not name the resource;
 * the watcher adds the name.
 *
 * Streams, servers and watches have ids that are never reused. An event that comes too late is
 * recognised by its id, and ignored. */
#ifndef GRPC_XDS_XDS_CLIENT_CLIENT_H_
#define GRPC_XDS_XDS_CLIENT_CLIENT_H_

#include "base/block.h"
#include "base/error.h"
#include "base/time.h"
#include "xds_client/resource_type.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_client gxds_client;
typedef uint64_t gxds_stream_id; /* 0 means none */
typedef uint64_t gxds_watch_id;  /* 0 means none */
typedef uint32_t gxds_server_id; /* 0 means none */

typedef enum gxds_action_kind {
  GXDS_ACTION_CONNECT,      /* server_id, server: make a channel; report its state */
  GXDS_ACTION_DISCONNECT,   /* server_id: drop the channel */
  GXDS_ACTION_OPEN_STREAM,  /* server_id, stream, method: start the call, wait_for_ready (A57) */
  GXDS_ACTION_SEND,         /* stream, bytes, rest: send one message, which is bytes followed by
                               rest; then report on_sent */
  GXDS_ACTION_READ,         /* stream: read one message, then report on_message */
  GXDS_ACTION_CLOSE_STREAM, /* stream: cancel the call; it must report no more events */
  GXDS_ACTION_RESOURCE, /* watch: there is a new resource, or a data error (A88): then resource is
                           NULL */
  GXDS_ACTION_AMBIENT_ERROR, /* watch: there is an ambient error, and the watcher's resource stays
                                in use. If error is NULL, the last ambient error is over */
  GXDS_ACTION_LOG,           /* severity, bytes: one line for the log */
  /* Only with keeps_resources. Each scope has its own kept resources. */
  GXDS_ACTION_PERSIST, /* scope, server, authority, type, name, version, bytes, accepted: keep this
                          resource, in place of the one kept for the same name and server */
  GXDS_ACTION_FORGET,  /* scope, server, authority, type, name: delete the kept resource, which is
                          not in use any more */
  GXDS_ACTION_RESTORE, /* scope, server, authority, type, name: look for a kept resource, and call
                          gxds_client_restore() with the result, even if there is none */
} gxds_action_kind;

typedef enum gxds_severity { GXDS_DEBUG, GXDS_INFO, GXDS_ERROR } gxds_severity;

/* Identifies a watcher to the owner: owner and token mean nothing to the client, which returns them
 * with each action. */
typedef struct gxds_watcher {
  void *owner;
  uint64_t token;
  uint32_t scope; /* the data-plane target of the watch, as a number. Matters only to a client that
                     keeps resources: each target that shares the client has its own number */
} gxds_watcher;

/* All of it is borrowed: valid until the next call on the client. */
typedef struct gxds_action {
  gxds_action_kind kind;
  gxds_server_id server_id;
  const gxds_bootstrap_server *server;
  uint32_t scope;     /* the scope of the watchers */
  gxds_str authority; /* the authority of the name (A47); empty for old-style names */
  gxds_stream_id stream;
  const gxds_resource_type *type;
  gxds_str name;
  gxds_str version;
  int64_t accepted;   /* when the resource was accepted, in nanoseconds since 1970, if wall_offset
                         is known */
  const char *method; /* "/envoy.service.discovery.v3.AggregatedDiscoveryService/…" */
  gxds_str bytes;
  const gxds_block *rest; /* the part of a message that follows bytes; NULL if there is none.
                             Requests that list the same names share one block. An owner that keeps
                             it, to send it without a copy, takes a reference (gxds_block_ref()) */
  gxds_watch_id watch;
  gxds_watcher watcher;
  const gxds_resource *resource;
  const gxds_error *error;
  gxds_severity severity;
} gxds_action;

typedef struct gxds_client_options {
  const gxds_bootstrap *bootstrap;        /* the client takes its own reference */
  const gxds_host *host;                  /* borrowed: valid as long as the client */
  const gxds_resource_type *const *types; /* borrowed: valid as long as the client */
  size_t type_count;
  uint64_t seed; /* for the jitter of the backoff */
  /* 0 means 15 s, or 30 s for servers with resource_timer_is_transient_error (A88). */
  gxds_duration resource_does_not_exist_timeout;
  gxds_duration wall_offset; /* a time of the caller's clock plus this gives nanoseconds since 1970.
                                So errors can say since when a server is unreachable (A88). 0 means
                                unknown: then errors do not say it */
  bool keeps_resources;      /* the owner carries out PERSIST, FORGET and RESTORE */
} gxds_client_options;

/* The state of one resource, as CSDS shows it (A40). It is used for nothing else outside the
 * client. */
typedef enum gxds_resource_state {
  GXDS_RESOURCE_REQUESTED,
  GXDS_RESOURCE_ACKED,
  GXDS_RESOURCE_NACKED,
  GXDS_RESOURCE_DOES_NOT_EXIST,
  GXDS_RESOURCE_RECEIVED_ERROR, /* A88 */
  GXDS_RESOURCE_TIMEOUT,        /* A88 */
} gxds_resource_state;

/* All of it is borrowed: valid during the callback. */
typedef struct gxds_resource_info {
  const gxds_resource_type *type;
  gxds_str name;
  gxds_resource_state state;
  gxds_str version;              /* the version of the resource in use; empty if there is none */
  gxds_str bytes;                /* the serialized resource; empty if there is none */
  const gxds_resource *resource; /* NULL if there is none */
  gxds_time updated;             /* when the resource was accepted */
  const gxds_error *error;       /* the last rejection or error; NULL if there is none */
  gxds_str failed_version;
  gxds_time failed;
  bool restored; /* the resource in use is a kept one: no server has sent it since the start, and
                    error says so */
  size_t watcher_count;
} gxds_resource_info;

/* A client that keeps resources uses the kept resources of an authority as soon as all servers of
 * the authority have failed, or after this time without a response. A healthy server responds
 * within milliseconds, or within a second with name resolution and TLS. RPCs usually have deadlines
 * of some ten seconds, and must not reach them because a server is silent. */
#define GXDS_RESTORE_AFTER (5 * GXDS_SECOND)

/* Makes a client without watches. It connects to no server before the first watch. The caller ends
 * it with gxds_client_destroy(). */
gxds_client *gxds_client_create(const gxds_client_options *options);
/* Frees the client with its watches, streams and queued actions. No action reports their end. */
void gxds_client_destroy(gxds_client *c);

/* Watches a resource. If the resource is cached, or known to be in error, the next actions notify
 * the watcher. Watches made before the next drain go out in one request per type. The watcher gets
 * a data error if the name can't be parsed or is "*", if the bootstrap lacks its authority, or if
 * too many resources of the type are watched. type must be one of the options' types; name is
 * copied. */
gxds_watch_id gxds_client_watch(gxds_client *c, const gxds_resource_type *type, gxds_str name,
                                gxds_watcher watcher, gxds_time now);
/* Ends a watch; no action names the watch any more. When a resource loses its last watch, it is
 * unsubscribed and forgotten. An unknown id is ignored. */
void gxds_client_unwatch(gxds_client *c, gxds_watch_id watch, gxds_time now);
/* The server that sent the watched resource that is in use now. NULL if there is none. Borrowed:
 * valid as long as the bootstrap. */
const gxds_bootstrap_server *gxds_client_source(const gxds_client *c, gxds_watch_id watch);

/* The message of the last SEND was sent: the does-not-exist timers of its resources start now
 * (A57). */
void gxds_client_on_sent(gxds_client *c, gxds_stream_id stream, gxds_time now);
/* A whole message arrived. data is borrowed during the call. */
void gxds_client_on_message(gxds_client *c, gxds_stream_id stream, const void *data, size_t size,
                            gxds_time now);
/* The stream ended, with the status of the call. Not called after CLOSE_STREAM. Two kinds of end
 * are not errors: of a stream that got a response (A57); and of one that sent the versions of
 * cached resources and then stayed open without a response for as long as a server has to respond,
 * because such a server has nothing new. gxds_backoff_after_stream() decides when the next stream
 * is opened. */
void gxds_client_on_stream_closed(gxds_client *c, gxds_stream_id stream, const gxds_status *status,
                                  gxds_time now);
/* The server's channel is in TRANSIENT_FAILURE; status says why. Watchers with a resource get an
 * ambient error, watchers without one a data error (A57, A88). */
void gxds_client_on_channel_failed(gxds_client *c, gxds_server_id server, const gxds_status *status,
                                   gxds_time now);
/* A kept resource, or the notice that there is none. Borrowed during the call. */
typedef struct gxds_kept {
  uint32_t scope;                      /* as in the action */
  const gxds_bootstrap_server *server; /* as in the action */
  const gxds_resource_type *type;
  gxds_str name;
  bool found; /* false if nothing was kept: version, bytes and accepted are empty */
  gxds_str version;
  gxds_str bytes;
  int64_t accepted;
} gxds_kept;
/* The result of a RESTORE. The kept resource is used only if no server of its authority has
 * responded yet. All kept resources of an authority are taken from one server: the first in order
 * from which anything was kept. */
void gxds_client_restore(gxds_client *c, const gxds_kept *kept, gxds_time now);
/* Queues PERSIST again for every resource that the scope watches and that this server sent. For an
 * owner that could not keep one of them before, and now can. */
void gxds_client_keep_all(gxds_client *c, uint32_t scope, const gxds_bootstrap_server *server);
/* Opens the streams that wait in backoff at once (the channel's ResetBackoff). */
void gxds_client_reset_backoff(gxds_client *c, gxds_time now);

/* The earliest time at which gxds_client_on_deadline() has something to do; GXDS_TIME_NEVER if
 * there is none. */
gxds_time gxds_client_deadline(const gxds_client *c);
/* Carries out what is due; early or repeated calls are harmless. */
void gxds_client_on_deadline(gxds_client *c, gxds_time now);

/* The next action; NULL if the queue is drained. Borrowed: valid until the next call on c. To keep
 * the action's resource longer, take a reference with gxds_resource_ref(). */
const gxds_action *gxds_client_next_action(gxds_client *c);
/* The message of a SEND in one piece, for an owner that can't send it in two. A copy; the caller
 * frees it. */
gxds_str gxds_action_message(const gxds_action *send);

/* Calls fn for every watched resource, ordered by type and name. fn must not call the client. */
void gxds_client_each_resource(const gxds_client *c,
                               void (*fn)(void *arg, const gxds_resource_info *), void *arg);
/* Calls fn for every resource that one of these watches is on, once each, ordered by type and name.
 * fn must not call the client. The cost grows with the number of these watches, not of all. Unknown
 * ids are ignored. */
void gxds_client_each_watched(const gxds_client *c, const gxds_watch_id *watches, size_t count,
                              void (*fn)(void *arg, const gxds_resource_info *), void *arg);
size_t gxds_client_watch_count(const gxds_client *c);

/* Aborts (GXDS_CHECK) if an invariant of the engine does not hold. Tests, the simulator and fuzzers
 * call it after each event. */
void gxds_client_validate(const gxds_client *c);

#ifdef __cplusplus
}
#endif

#endif
