/* The parts of the engine and what they are to each other. Only xds_client/ includes this.
 *
 *   client ── authority ── entry ── watch          what is wanted and what is known
 *                │            │
 *                └── conn ── sub                   where it is asked for
 *
 * An authority (A47) has an ordered list of servers and uses a prefix of it: one, or more while it
 * falls back (A71). An entry is one resource: the cache, and the watches on it. A conn is one
 * server: its channel, its ADS stream, and one sub for each entry that is asked for there.
 *
 * Facts change first; then gxds_entry_sync() tells the watchers the difference between what is so
 * and what they were told last, and gxds_client_settle(), when the actions run out, does what the
 * conns need to have done. So the order in which facts change within one event doesn't matter. */
#ifndef GRPC_XDS_XDS_CLIENT_CLIENT_INTERNAL_H_
#define GRPC_XDS_XDS_CLIENT_CLIENT_INTERNAL_H_

#include <utlist.h>

#include "base/backoff.h"
#include "base/hash_table.h"
#include "base/memory.h"
#include "xds_client/actions.h"
#include "xds_client/resource_name.h"
#include "xds_client/server_counts.h"
#include "xds_client/subs_internal.h"

#include "upb/upb.h"

struct envoy_service_discovery_v3_Resource;

/* Watches of one type. A hostile route configuration names clusters by the megabyte; the largest
 * meshes have some hundred thousand. */
#define GXDS_ENTRIES_PER_TYPE_MAX 1000000
/* An entry's type is one byte. */
#define GXDS_TYPES_MAX 255
/* Resources in one response, and as many errors: an empty Any is two bytes on the wire and a
 * hundred in memory. */
#define GXDS_RESOURCES_PER_RESPONSE_MAX 1000000
/* Kept for the life of the stream and sent back in every request; real ones are tens of bytes. */
#define GXDS_VERSION_BYTES_MAX 16384
#define GXDS_NONCE_BYTES_MAX 16384
/* Errors in one NACK, and bytes of each, beyond which they are only counted or cut: a server puts
 * it into its log. */
#define GXDS_NACK_ERRORS_MAX 100
#define GXDS_NACK_ERROR_BYTES_MAX 16384
/* Of all errors in one NACK, about: gRPC servers take no message above 4 MiB, and would end the
 * stream over it. */
#define GXDS_NACK_BYTES_MAX 1000000
/* Of one resource: each that is asked for holds a copy of its bytes. */
#define GXDS_ALIASES_MAX 100

typedef struct gxds_authority gxds_authority;
typedef struct gxds_watch gxds_watch;

/* ---- watches and entries (cache.c) ---- */

struct gxds_watch {
  gxds_watch_id id;
  gxds_watcher watcher;
  gxds_entry *entry; /* NULL: its name was refused */
  gxds_watch *prev;  /* of the entry's, in the order of creation; where resources are kept, those of
                        a scope are together */
  gxds_watch *next;
  UT_hash_handle hh;
};

/* Of an entry that is in error (A88). */
typedef struct gxds_update_failure {
  const gxds_error *error; /* a reference */
  gxds_str version;        /* that failed */
  gxds_time since;
} gxds_update_failure;

/* An entry by the bytes of its resource. In state of the world these are all that tells, before it
 * is decoded, which one it is. */
typedef struct gxds_entry_bytes {
  gxds_entry *entry;
  UT_hash_handle hh;
} gxds_entry_bytes;

/* There is one for each resource, and a mesh has a hundred thousand of them: what few have is not
 * in it. */
struct gxds_entry {
  uint8_t type;        /* index into the options' types */
  uint8_t state;       /* gxds_resource_state */
  bool restored : 1;   /* resource was kept: no server sent it since the start */
  bool looking_up : 1; /* whether it was kept is being asked: till then the watchers hear no
                          error */
  bool unnotified : 1; /* the watchers were not notified of resource yet */
  bool notified_data_error : 1; /* notified was a data error, not an ambient one */
  bool expired : 1;     /* its ttl ended, and it was not heard of since: state is DOES_NOT_EXIST,
                           but no server said so */
  uint32_t watch_count; /* 0: leaving. It stays until a request without it was encoded, because the
                           server would not send it again to who asks again in one request */
  gxds_str name;        /* in this allocation */
  gxds_authority *authority;
  gxds_entry *prev; /* of the authority's */
  gxds_entry *next;
  gxds_watch *watches;
  gxds_sub *subs; /* one for each conn that the authority uses */

  /* What is known. */
  const gxds_resource *resource; /* the one in use; NULL: none */
  gxds_str bytes;                /* its serialized form */
  gxds_str version;
  gxds_str wrapper_version; /* SotW: of the wrapper that it last came in; empty: it had none */
  gxds_time updated;
  const gxds_bootstrap_server *source; /* who sent it: a decoder may look at that */
  gxds_update_failure *failure;        /* NULL: none */
  const gxds_error *notified;          /* the error that the watchers were notified of last */
  gxds_str alias_of; /* the resource in use came under that name (delta); empty: under its own */
  gxds_deadline ttl; /* set: when the resource in use ends, unless it is renewed */
  uint64_t seen_in;  /* the serial of the last response that had it */
  gxds_entry_bytes *in_bytes; /* NULL: it is not found by its bytes */
  UT_hash_handle by_name;
};

/* Of a resource: as good as these very bytes. */
uint64_t gxds_hash_of_bytes(gxds_str bytes);
/* The entry of that canonical name; NULL: none. */
gxds_entry *gxds_entry_find(gxds_client *c, size_t type, gxds_str name);
/* The entry whose resource was decoded from these very bytes, with its name in them; NULL: none. */
gxds_entry *gxds_entry_find_by_bytes(gxds_client *c, size_t type, gxds_str bytes);
/* A new entry, REQUESTED, without watches and subs. */
gxds_entry *gxds_entry_create(gxds_client *c, size_t type, gxds_authority *a, gxds_str name);
/* Ends an entry that has neither watches nor subs. */
void gxds_entry_destroy(gxds_client *c, gxds_entry *e);

typedef struct gxds_accepted {
  const gxds_resource *resource; /* taken */
  gxds_str bytes;
  bool named_by_bytes; /* not by a wrapper around them */
  gxds_str version;
  gxds_str wrapper_version; /* of the entry */
  gxds_duration ttl;        /* 0: none */
  const gxds_bootstrap_server *server;
} gxds_accepted;
/* A good resource came. */
void gxds_entry_accept(gxds_client *c, gxds_entry *e, const gxds_accepted *take, gxds_time now);
/* None came, but one was kept; error says so. */
void gxds_entry_accept_kept(gxds_client *c, gxds_entry *e, const gxds_accepted *take,
                            const gxds_error *error, gxds_time now);
/* The very bytes in use came again: also server and resource of that are those in use. */
void gxds_entry_confirm(gxds_client *c, gxds_entry *e, const gxds_accepted *again, gxds_time now);
/* The resource in use ends after that time, unless it comes again; 0: it does not end. */
void gxds_entry_renew(gxds_client *c, gxds_entry *e, gxds_duration ttl, gxds_time now);
/* A88: the resource is in error. drop: and what is cached is not to be used any more. */
void gxds_entry_fail(gxds_client *c, gxds_entry *e, gxds_resource_state state,
                     const gxds_error *take_error, gxds_str version, bool drop, gxds_time now);
/* Notifies all watchers of what they do not know yet. */
void gxds_entry_sync(gxds_client *c, gxds_entry *e);
/* Notifies a new watcher of what the others know. */
void gxds_entry_notify_new(gxds_client *c, gxds_entry *e, const gxds_watch *w);
/* The resource in use was not renewed in time. */
void gxds_entry_on_ttl(gxds_client *c, gxds_entry *e, gxds_time now);
/* The resource in use came under another name; empty: it did not. */
void gxds_entry_set_alias(gxds_client *c, gxds_entry *e, gxds_str name);
/* A71: received and usable, or known not to exist. What was only kept is not: a server may have
 * better. Nor is what ended by its ttl, since its server is not heard: another may have it. */
bool gxds_entry_is_cached(const gxds_entry *e);
/* A57: whether it has to come in time when it is asked for. Not what is cached, since a server need
 * not send it again; but what is used as it was kept, once there are servers that may lack it. */
bool gxds_entry_is_awaited(const gxds_entry *e);
/* What the watchers should know; NULL: no error. */
const gxds_error *gxds_entry_error(const gxds_entry *e);

/* ---- what is kept (kept.c) ---- */

/* It was accepted from a server: it is to be kept. Not if it has a ttl: by the next start it would
 * have ended, and what was kept of it before is out of date. */
void gxds_entry_persist(gxds_client *c, gxds_entry *e);
/* What is kept of it is out of date. */
void gxds_entry_forget(gxds_client *c, const gxds_entry *e);
/* A scope that watches a resource, of a client that keeps them. It is there while it watches
 * anything: what a scope lived on when its last watch ended is for its next start. */
typedef struct gxds_scope {
  uint32_t id;
  size_t watch_count;
  UT_hash_handle hh;
} gxds_scope;
/* NULL: it watches nothing. */
gxds_scope *gxds_scope_find(const gxds_client *c, uint32_t id);
/* A watch is about to be added to the entry's. If it is the first of its scope: what is used is
 * kept for the scope as well, and an entry without a resource starts from what the scope kept, if
 * its authority does that. */
void gxds_kept_on_watch(gxds_client *c, gxds_entry *e, const gxds_watch *w);
/* A watch was taken from the entry's. With the last of its scope, the scope forgets the resource.
 */
void gxds_kept_on_unwatch(gxds_client *c, gxds_entry *e, uint32_t scope);
/* Adds it to the entry's. */
void gxds_entry_add_watch(const gxds_client *c, gxds_entry *e, gxds_watch *w);
/* Starts from what was kept, if its authority does. */
void gxds_entry_look_up(gxds_client *c, gxds_entry *e);
/* The first watch of an authority: its servers have until then to send a response. */
void gxds_authority_await_response(gxds_client *c, gxds_authority *a, gxds_time now);
/* A server sent a response: from now on resources come from servers. */
void gxds_authority_on_response(gxds_client *c, gxds_authority *a, gxds_time now);
/* No server sends anything: starts from what was kept, if there never was a response. */
void gxds_authority_restore(gxds_client *c, gxds_authority *a);

/* ---- servers (server_conn.c) ---- */

typedef struct gxds_protocol gxds_protocol;

#define GXDS_NO_TYPE SIZE_MAX

struct gxds_conn {
  gxds_server_id id;
  const gxds_bootstrap_server *server;
  const gxds_protocol *protocol;
  gxds_server_counts *counts; /* the client's: they outlive this */
  size_t use_count;           /* authorities that use it */
  gxds_conn *prev;            /* of the client's, in the order of creation */
  gxds_conn *next;
  bool connected;          /* there was a CONNECT */
  const gxds_error *error; /* why it can't be reached; NULL: no failure since its last response */
  gxds_time failed;        /* since when */
  gxds_backoff backoff;
  gxds_deadline retry; /* set: no stream before that */

  /* The stream; all zero without. */
  gxds_stream_id stream;
  gxds_time sent;      /* when its first request was on its way; 0: it is not yet */
  gxds_deadline quiet; /* set: a request sent versions, and the server has until then to send
                          something. A live stream is silent for good where there is nothing new:
                          afterwards that is what its silence means */
  bool got_response;
  bool kept_quiet;    /* or quiet is over */
  bool sent_versions; /* requests on this stream sent versions, of some type */
  bool
      sent_stale_version; /* and one of them is of a resource that ended before it was on its way */
  bool returned; /* a server after it was given up (A71) by the response that is carried out */
  bool read_due;
  bool node_sent;
  size_t sending_type;      /* of the outstanding SEND; GXDS_NO_TYPE: none */
  size_t next_type;         /* where the search for a pending write begins */
  size_t pending_ack_count; /* delta: of all types */

  size_t sub_count;
  size_t leaving_count;
  gxds_type_state types[]; /* one per type of the options */
};

enum {
  GXDS_DEADLINE_RETRY,
  GXDS_DEADLINE_QUIET,
  GXDS_DEADLINE_SUB,
  GXDS_DEADLINE_TTL,
  GXDS_DEADLINE_RESTORE
};

/* The conn of a server, made when there is none. */
gxds_conn *gxds_conn_get(gxds_client *c, const gxds_bootstrap_server *server);
/* Frees it without a word. */
void gxds_conn_destroy(gxds_client *c, gxds_conn *conn);
gxds_conn *gxds_conn_of_stream(gxds_client *c, gxds_stream_id stream);
/* The server does not know this protocol: from now on it is spoken to in SotW. */
void gxds_conn_give_up_delta(gxds_client *c, gxds_conn *conn);
/* The server can't be reached, for that reason. */
void gxds_conn_fail(gxds_client *c, gxds_conn *conn, gxds_code code, gxds_text *take_reason,
                    gxds_time now);
/* A71: it takes the place of servers after it. What they sent, deleted or spoiled since it sent
 * that, it would not send again on its stream: then the stream is opened anew. */
void gxds_conn_ask_anew(gxds_client *c, gxds_conn *conn);
/* A response came: the server can be reached, and does its work. */
void gxds_conn_on_response(gxds_client *c, gxds_conn *conn, gxds_time now);
/* A request is on its way: if it sent versions, silence may be the answer. */
void gxds_conn_await_silence(gxds_client *c, gxds_conn *conn, gxds_time now);
/* The time for a response is over on a stream that lives: the server has nothing new, and can be
 * reached. But it takes no place back (A71): for that it has to send something. */
void gxds_conn_on_quiet(gxds_client *c, gxds_conn *conn);
/* The stream is gone. */
void gxds_conn_lose_stream(gxds_client *c, gxds_conn *conn);
/* Does what is to be done for all conns. True if that made actions. */
bool gxds_client_settle(gxds_client *c);

/* ---- authorities (authority.c) ---- */

struct gxds_authority {
  const gxds_bootstrap_authority *config; /* NULL: the default one, of old-style names */
  const gxds_bootstrap_server **servers;  /* in order, each once; the array is owned */
  size_t server_count;
  gxds_conn **conns; /* of the first conn_count servers: those in use */
  size_t conn_count;
  gxds_entry *entries; /* in the order of creation */
  size_t entry_count;

  /* Of a client that keeps resources. */
  bool had_response; /* some server sent a response */
  bool restoring;    /* none was in time: it lives on what was kept */
  bool restored;     /* there was something, of servers[restore_from] */
  size_t restore_from;
  gxds_deadline restore_at;
};

void gxds_authority_init(gxds_authority *a, const gxds_bootstrap *bootstrap,
                         const gxds_bootstrap_authority *config);
void gxds_authority_fini(gxds_client *c, gxds_authority *a);
/* The authority a name belongs to; NULL: the bootstrap has none such. */
gxds_authority *gxds_authority_find(gxds_client *c, const gxds_resource_name *name);
bool gxds_authority_uses(const gxds_authority *a, const gxds_conn *conn);
/* Subscribes an entry on all servers in use; on the first one if none was. */
void gxds_authority_subscribe(gxds_client *c, gxds_authority *a, gxds_entry *e);
/* A71: takes the next server into use while the last one in use has failed and some resource is
 * not cached; or only the former, if the bootstrap says so (A95). */
void gxds_authority_fall_back(gxds_client *c, gxds_authority *a);
/* A71: conn sent a response, so what comes after it in order is no longer used. */
void gxds_authority_recover(gxds_client *c, gxds_authority *a, gxds_conn *conn, gxds_time now);
/* Gives up the servers of an authority without entries. */
void gxds_authority_release_unused(gxds_client *c, gxds_authority *a);
/* Why none of the servers in use can be reached; NULL: some can, or may. hopeful: so does one
 * that was just sent versions on a live stream: it will respond to what is requested now. */
const gxds_error *gxds_authority_error(const gxds_authority *a, bool hopeful);
/* A71: whether another server stands in for it, in some authority. Then what it sent may be
 * replaced at any time, and only its response gives it its place back: it is sent no versions. */
bool gxds_conn_has_stand_in(const gxds_client *c, const gxds_conn *conn);

/* ---- protocols (sotw.c, delta.c) and what they have in common (response.c) ---- */

typedef struct gxds_response_resource {
  gxds_str type_url;
  gxds_str name; /* of the wrapper; empty: there was none */
  gxds_str version;
  gxds_str bytes;
  bool heartbeat;    /* there are no bytes: what is held lives on */
  gxds_duration ttl; /* 0: none */
  const upb_StringView *aliases;
  size_t alias_count;
  const char *fault; /* of the wrapper: why it can't be used; NULL: it can */
} gxds_response_resource;

/* What a server says of a resource that it cannot send (xRFC TP3). */
typedef struct gxds_resource_error {
  gxds_str name;
  int code; /* whatever the server wrote */
  gxds_str message;
  bool undecodable;
} gxds_resource_error;

/* One response, in the words of no protocol. Borrows the message and the arena. */
struct gxds_response {
  gxds_str type_url;
  gxds_str version;
  gxds_str nonce;
  gxds_response_resource *resources;
  size_t resource_count;
  gxds_resource_error *errors;
  size_t error_count;
  const char *refused; /* static: it is over a limit, and nothing of it is used; NULL: it is not */
  bool complete;       /* lists all that there is, if the type requires it: absence is deletion */
  bool versioned;      /* delta: each resource has its own version, and what went is told */
  const upb_StringView *removed;
  size_t removed_count;
};

/* One way to request the same subscriptions: state of the world, or incremental. In order:
 * plan_request, encode_request and written make one request; decode_response and acknowledge take
 * one response. */
struct gxds_protocol {
  const char *method;
  /* Whether there is a request to send, of a type with pending_write. */
  bool (*has_pending_write)(const gxds_type_state *t);
  /* Decides what the next request of a type has: until, sends_version and the like. */
  void (*plan_request)(gxds_client *c, gxds_conn *conn, size_t type);
  /* That request, but for the type's names, which are its rest. Owned by the caller. with_node: it
   * is the first of its stream. */
  gxds_str (*encode_request)(const gxds_client *c, const gxds_conn *conn, size_t type,
                             bool with_node);
  /* The planned request is the outstanding SEND: forgets what it has. t->pending_write: there is
   * more. */
  void (*written)(gxds_conn *conn, size_t type);
  /* Takes a message apart. False, and why (static), if it can't be. */
  bool (*decode_response)(gxds_str message, struct upb_Arena *arena, gxds_response *out,
                          const char **why);
  /* A response was applied, and is to be ACKed or NACKed. accepted: something in it could be used.
   */
  void (*acknowledge)(gxds_conn *conn, size_t type, const gxds_response *response, bool accepted,
                      gxds_str take_errors);
};

extern const gxds_protocol gxds_protocol_sotw;
extern const gxds_protocol gxds_protocol_delta;

/* The wrapper of a resource, and what is in it (wrapper.c). What is taken apart borrows both. */
gxds_response_resource gxds_unwrap(const struct envoy_service_discovery_v3_Resource *wrapper);
/* Forgets a type's unsent ACKs. */
void gxds_delta_forget_acks(gxds_conn *conn, gxds_type_state *t);

/* What is said of a response with more than GXDS_RESOURCES_PER_RESPONSE_MAX of either. */
extern const char gxds_too_many_resources[];

/* Errors of single resources are the fields of that number of a response: the response without
 * them, for the decoder, and what they say, for *out. Both: whole fields; they live as long as
 * arena. */
gxds_str gxds_response_without_errors(gxds_str message, uint64_t number, struct upb_Arena *arena);
void gxds_response_read_errors(gxds_str message, uint64_t number, struct upb_Arena *arena,
                               gxds_response *out);

/* Carries out a response: cache, watchers, and what is to be said back. */
void gxds_response_apply(gxds_client *c, gxds_conn *conn, size_t type,
                         const gxds_response *response, gxds_time now);

/* ---- the client (client.c) ---- */

struct gxds_client {
  const gxds_bootstrap *bootstrap;
  const gxds_host *host;
  const gxds_resource_type *const *types;
  size_t type_count;
  gxds_random random;
  gxds_duration resource_timeout; /* 0: the default */
  gxds_duration wall_offset;      /* 0: unknown */
  bool keeps_resources;
  gxds_authority *authorities; /* the default one, then those of the bootstrap */
  size_t authority_count;
  gxds_conn *conns;
  gxds_watch *watches;                         /* by id */
  gxds_scope *scopes;                          /* by id; none unless resources are kept */
  gxds_entry **by_name;                        /* per type */
  gxds_entry_bytes **by_bytes;                 /* per type */
  const gxds_bootstrap_server **without_delta; /* they answered UNIMPLEMENTED; borrowed */
  size_t without_delta_count;
  size_t alias_count; /* entries whose resource came under another name */
  gxds_actions actions;
  gxds_deadlines deadlines;
  uint64_t next_id; /* of streams and watches */
  gxds_server_id next_server_id;
  uint64_t response_serial;
  gxds_server_counts *counts; /* of all servers that were used */
};

/* The watch of that id; NULL: there is none. */
gxds_watch *gxds_watch_find(const gxds_client *c, gxds_watch_id id);
/* The index of one of the options' types. */
size_t gxds_client_index_of(const gxds_client *c, const gxds_resource_type *type);
/* Queues a line for the log. */
void gxds_client_log(gxds_client *c, gxds_severity severity, gxds_text *take_line);
/* An error of what that server said, or failed to say; NULL: the message names the server, or there
 * is none. The caller owns the returned reference. */
const gxds_error *gxds_client_error(const gxds_client *c, gxds_code code, gxds_text *take_message,
                                    const gxds_bootstrap_server *server);
/* For a version, a type or the like in a line of the log. */
#define GXDS_LOGGED_BYTES_MAX 256
/* "2025-01-31T12:00:00Z", of ns since 1970. */
void gxds_text_add_time(gxds_text *out, int64_t wall);

#endif
