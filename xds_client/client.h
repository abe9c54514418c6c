/* gxds_client: the xDS client engine, of one data-plane target (A71) or shared by several:
 * subscriptions, cache, watches, and the ADS streams that serve them, in SotW (sotw.c) or delta
 * (delta.c).
 *
 * Confined: the thread that owns it (the reactor, a unit test, the simulator). It does no I/O,
 * reads no clock and calls nothing: events go in through gxds_client_*(), each with the time, and
 * what is to be done comes out of gxds_client_next_action(), which the owner drains after every
 * event. There is one deadline to wait for.
 *
 * Every server in use has one channel (CONNECT … DISCONNECT) and at most one ADS stream at a time:
 *
 *     OPEN_STREAM ─► SEND ⇄ on_sent      READ ⇄ on_message      CLOSE_STREAM or on_stream_closed
 *
 * At most one SEND and one READ are outstanding on a stream. A READ is queued behind everything
 * that the last message caused, so a consumer that drains in order has flow control: the next
 * message is read when the watchers are done with the last one.
 *
 * All watchers get the same error (base/error.h), by pointer, and get it once: an equal one later
 * is that same pointer. It does not name the resource; the watcher does.
 *
 * Streams, servers and watches are named by ids that are never reused, so an event that comes late
 * is dropped by its id. */
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
typedef uint64_t gxds_stream_id; /* 0: none */
typedef uint64_t gxds_watch_id;  /* 0: none */
typedef uint32_t gxds_server_id; /* 0: none */

typedef enum gxds_action_kind {
  GXDS_ACTION_CONNECT,       /* server_id, server: make a channel; report its state */
  GXDS_ACTION_DISCONNECT,    /* server_id: drop the channel */
  GXDS_ACTION_OPEN_STREAM,   /* server_id, stream, method: start the call, wait_for_ready (A57) */
  GXDS_ACTION_SEND,          /* stream, bytes, rest: one message of both; then report on_sent */
  GXDS_ACTION_READ,          /* stream: read one message, then report on_message */
  GXDS_ACTION_CLOSE_STREAM,  /* stream: cancel the call; no event of it is expected any more */
  GXDS_ACTION_RESOURCE,      /* watch: resource, or (A88) a data error and resource NULL */
  GXDS_ACTION_AMBIENT_ERROR, /* watch: error; what the watcher holds stays good. NULL: it is over */
  GXDS_ACTION_LOG,           /* severity, bytes: one line for the log */
  /* Only with keeps_resources. What is kept is kept for each scope by itself: */
  GXDS_ACTION_PERSIST, /* scope, server, authority, type, name, version, bytes, accepted: keep that,
                          in place of what was kept of that name from that server */
  GXDS_ACTION_FORGET,  /* scope, server, authority, type, name: it is not in use any more */
  GXDS_ACTION_RESTORE, /* scope, server, authority, type, name: report gxds_client_restore(), if it
                          was kept or not */
} gxds_action_kind;

typedef enum gxds_severity { GXDS_DEBUG, GXDS_INFO, GXDS_ERROR } gxds_severity;

/* What a watcher is called by: two words of the owner's, handed back with each action. */
typedef struct gxds_watcher {
  void *owner;
  uint64_t token;
  uint32_t scope; /* whose it is: for a client that keeps resources. A number for each data-plane
                     target that shares the client */
} gxds_watcher;

/* Everything in it is borrowed until the next call on the client. */
typedef struct gxds_action {
  gxds_action_kind kind;
  gxds_server_id server_id;
  const gxds_bootstrap_server *server;
  uint32_t scope;     /* of watchers */
  gxds_str authority; /* of the name (A47); empty: the default one */
  gxds_stream_id stream;
  const gxds_resource_type *type;
  gxds_str name;
  gxds_str version;
  int64_t accepted;   /* ns since 1970, if wall_offset is known */
  const char *method; /* "/envoy.service.discovery.v3.AggregatedDiscoveryService/…" */
  gxds_str bytes;
  const gxds_block *rest; /* what a message has after its bytes; NULL: nothing. The same block comes
                             again in each request that lists the same names: whoever keeps it, to
                             send it without a copy, takes a reference (gxds_block_ref()) */
  gxds_watch_id watch;
  gxds_watcher watcher;
  const gxds_resource *resource;
  const gxds_error *error;
  gxds_severity severity;
} gxds_action;

typedef struct gxds_client_options {
  const gxds_bootstrap *bootstrap;        /* the client takes a reference of its own */
  const gxds_host *host;                  /* borrowed: valid as long as the client */
  const gxds_resource_type *const *types; /* borrowed: valid as long as the client */
  size_t type_count;
  uint64_t seed;                                 /* of the backoff's jitter */
  gxds_duration resource_does_not_exist_timeout; /* 0: 15 s */
  gxds_duration wall_offset; /* from the caller's clock to that since 1970, so that errors can say
                                since when (A88); 0: they don't */
  bool keeps_resources;      /* the owner carries out PERSIST, FORGET and RESTORE */
} gxds_client_options;

/* What the client holds of one resource: what CSDS shows (A40), and only that. */
typedef enum gxds_resource_state {
  GXDS_RESOURCE_REQUESTED,
  GXDS_RESOURCE_ACKED,
  GXDS_RESOURCE_NACKED,
  GXDS_RESOURCE_DOES_NOT_EXIST,
  GXDS_RESOURCE_RECEIVED_ERROR, /* A88 */
  GXDS_RESOURCE_TIMEOUT,        /* A88 */
} gxds_resource_state;

/* Borrowed, all of it: during the callback. */
typedef struct gxds_resource_info {
  const gxds_resource_type *type;
  gxds_str name;
  gxds_resource_state state;
  gxds_str version;              /* of the resource that is in use; empty: none */
  gxds_str bytes;                /* its serialized form; empty: none */
  const gxds_resource *resource; /* NULL: none */
  gxds_time updated;             /* when it was accepted */
  const gxds_error *error;       /* the last rejection or error; NULL: none */
  gxds_str failed_version;
  gxds_time failed;
  bool restored; /* it is one that was kept: no server has sent it since the start; error says so */
  size_t watcher_count;
} gxds_resource_info;

/* A client that keeps resources and hears from no server of an authority starts from those: when
 * all have failed, or at the latest after this time. A server that is well answers within
 * milliseconds, with name resolution and TLS within a second; and RPCs with the usual deadlines of
 * some ten seconds must not run into them for a server that is silent. */
#define GXDS_RESTORE_AFTER (5 * GXDS_SECOND)

/* A client without watches: it opens nothing until the first. */
gxds_client *gxds_client_create(const gxds_client_options *options);
/* Ends it: watches, streams and actions go without a word. */
void gxds_client_destroy(gxds_client *c);

/* Watches a resource. If it is cached, or known to be in error, the answer is among the next
 * actions. Watches made before the next drain go out in one request per type. An unparsable name,
 * or one of an authority that the bootstrap lacks, is answered with a data error. type must be one
 * of the options' types; name is copied. */
gxds_watch_id gxds_client_watch(gxds_client *c, const gxds_resource_type *type, gxds_str name,
                                gxds_watcher watcher, gxds_time now);
/* Ends a watch; no action names it any more. With its last watch a resource is unsubscribed and
 * forgotten. An unknown id is ignored. */
void gxds_client_unwatch(gxds_client *c, gxds_watch_id watch, gxds_time now);
/* The server that sent what the watched resource is now. NULL: there is none. Borrowed: valid as
 * long as the bootstrap. */
const gxds_bootstrap_server *gxds_client_source(const gxds_client *c, gxds_watch_id watch);

/* The SEND is on its way: does-not-exist timers of what it asked for start now (A57). */
void gxds_client_on_sent(gxds_client *c, gxds_stream_id stream, gxds_time now);
/* One whole message. data is borrowed during the call. */
void gxds_client_on_message(gxds_client *c, gxds_stream_id stream, const void *data, size_t size,
                            gxds_time now);
/* The stream ended, with the status of the call; not called after CLOSE_STREAM. One that saw a
 * response is no error (A57), nor is one that told versions of what is held and then lived, in
 * silence, as long as a server has to answer: it has nothing new. When the next one is opened says
 * gxds_backoff_after_stream(). */
void gxds_client_on_stream_closed(gxds_client *c, gxds_stream_id stream, const gxds_status *status,
                                  gxds_time now);
/* The server's channel is in TRANSIENT_FAILURE, for that reason: an ambient error for those who
 * have data, an error for those who have none (A57, A88). */
void gxds_client_on_channel_failed(gxds_client *c, gxds_server_id server, const gxds_status *status,
                                   gxds_time now);
/* What was kept of a resource; borrowed during the call. */
typedef struct gxds_kept {
  uint32_t scope;                      /* that of the action */
  const gxds_bootstrap_server *server; /* that of the action */
  const gxds_resource_type *type;
  gxds_str name;
  bool found; /* false: nothing, and the rest is empty */
  gxds_str version;
  gxds_str bytes;
  int64_t accepted;
} gxds_kept;
/* The answer to a RESTORE. Until a server of its authority answers, what was kept is used: of one
 * server, the first in order of which there is anything. */
void gxds_client_restore(gxds_client *c, const gxds_kept *kept, gxds_time now);
/* PERSIST again for all that is in use from that server by that scope: something of it was not
 * kept, and now can be. */
void gxds_client_keep_all(gxds_client *c, uint32_t scope, const gxds_bootstrap_server *server);
/* Streams that wait in backoff restart at once (the channel's ResetBackoff). */
void gxds_client_reset_backoff(gxds_client *c, gxds_time now);

/* The earliest time at which gxds_client_on_deadline() has something to do; GXDS_TIME_NEVER: none.
 */
gxds_time gxds_client_deadline(const gxds_client *c);
/* Carries out what is due; early or repeated calls are harmless. */
void gxds_client_on_deadline(gxds_client *c, gxds_time now);

/* The next thing to do; NULL: drained. Borrowed: valid until the next call on c. Resources in it
 * are kept with gxds_resource_ref(). */
const gxds_action *gxds_client_next_action(gxds_client *c);
/* The message of a SEND in one piece, for who can't take it in two: a copy, owned by the caller. */
gxds_str gxds_action_message(const gxds_action *send);

/* Calls fn for every resource held, ordered by type and name. fn must not call the client. */
void gxds_client_each_resource(const gxds_client *c,
                               void (*fn)(void *arg, const gxds_resource_info *), void *arg);
/* The same of the resources that these watches are on, each once. It costs what they are; unknown
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
