/* The parts of the engine and how they are connected. Only xds_client/ includes this.
 *
 *   client ── authority ── entry ── watch          resources and their watches
 *                │            │
 *                └── conn ── sub                   the servers that they are requested from
 *
 * An authority (A47) has an ordered list of servers and uses a prefix of it: one, or more while it
 * falls back (A71). An entry is one resource: its cached value, and the watches on it. A conn is
 * one server: its channel, its ADS stream, and one sub for each entry that is requested there.
 *
 * An event first changes entries and conns. Then gxds_entry_sync() notifies the watchers of the
 * difference between an entry and what they were last notified of. When the actions run out,
 * gxds_client_settle() opens and closes streams and queues requests as the conns need. So the order
 * of changes within one event doesn't matter. */
#ifndef GRPC_XDS_XDS_CLIENT_CLIENT_INTERNAL_H_
#define GRPC_XDS_XDS_CLIENT_CLIENT_INTERNAL_H_

#include <utlist.h>

#include "base/backoff.h"
#include "base/hash_table.h"
#include "base/index.h"
#include "base/memory.h"
#include "xds_client/actions.h"
#include "xds_client/resource_name.h"
#include "xds_client/server_counts.h"
#include "xds_client/subs_internal.h"

#include "upb/upb.h"

struct envoy_service_discovery_v3_Resource;

/* The most resources of one type that can be watched. A hostile route configuration may name
 * clusters by the megabyte; the largest meshes have some hundred thousand. */
#define GXDS_ENTRIES_PER_TYPE_MAX 1000000
/* The type of a gxds_entry is an index of one byte. */
#define GXDS_TYPES_MAX 255
/* The most resources in one response, and the most resource errors: an empty Any takes two bytes on
 * the wire and a hundred in memory. */
#define GXDS_RESOURCES_PER_RESPONSE_MAX 1000000
/* Versions and nonces are held as long as the stream and sent back in every request. Real ones have
 * tens of bytes. */
#define GXDS_VERSION_BYTES_MAX 16384
#define GXDS_NONCE_BYTES_MAX 16384
/* A NACK lists at most GXDS_NACK_ERRORS_MAX errors, and counts the rest. Each error is cut to
 * GXDS_NACK_ERROR_BYTES_MAX bytes, because servers write them into their logs. */
#define GXDS_NACK_ERRORS_MAX 100
#define GXDS_NACK_ERROR_BYTES_MAX 16384
/* About the most bytes of all errors in one NACK: gRPC servers refuse messages above 4 MiB, and
 * would end the stream. */
#define GXDS_NACK_BYTES_MAX 1000000
/* The most aliases of one resource: each alias that is requested holds its own copy of the
 * resource's bytes. */
#define GXDS_ALIASES_MAX 100

typedef struct gxds_authority gxds_authority;
typedef struct gxds_watch gxds_watch;

/* ---- watches and entries (cache.c) ---- */

struct gxds_watch {
  gxds_index_link by_id; /* its hash is the id: see gxds_watch_get_id() */
  gxds_watcher watcher;
  gxds_entry *entry; /* NULL if the name of the resource was refused */
  gxds_watch *prev;  /* in the entry's list, in the order of creation; where resources are kept, the
                        watches of one scope are next to each other */
  gxds_watch *next;
};

static inline gxds_watch_id gxds_watch_get_id(const gxds_watch *w) { return w->by_id.hash; }

/* The error of an entry that is in error (A88). */
typedef struct gxds_update_failure {
  const gxds_error *error; /* owns one reference */
  gxds_str version;        /* owned; the version that failed */
  gxds_time since;
} gxds_update_failure;

/* Fields that only few entries need. */
typedef struct gxds_entry_rare {
  gxds_update_failure failure; /* the last failure; its error is NULL if there is none */
  gxds_str wrapper_version; /* owned. SotW: the version in the wrapper around the resource when the
                               resource last came; empty if there was none */
  gxds_str alias_of; /* owned. delta: the name of the resource in use, if the entry's name is only
                        an alias of it; otherwise empty */
} gxds_entry_rare;

/* Finds an entry by the bytes of its resource. In SotW without wrappers, only the bytes tell which
 * resource they are, before they are decoded. */
typedef struct gxds_bytes_key {
  gxds_index_link by_bytes;
  gxds_entry *entry;
} gxds_bytes_key;

/* One resource: what is known of it, and its watches. A mesh may have a hundred thousand, so this
 * is kept small. */
struct gxds_entry {
  gxds_index_link by_name;
  uint8_t type;      /* index into the options' types */
  uint8_t state;     /* gxds_resource_state */
  uint8_t source;    /* 1 + the place in the authority of the server that sent resource: see
                        gxds_entry_source() */
  bool restored : 1; /* resource comes from the kept ones: no server has sent it since the start */
  bool looking_up : 1; /* a RESTORE is outstanding; until its result, the watchers get no data error
                        */
  bool unnotified : 1; /* the watchers have not been notified of resource yet */
  bool notified_data_error : 1; /* notified was a data error, not an ambient one */
  bool expired : 1; /* its ttl ended, and no server has mentioned it since: state is DOES_NOT_EXIST,
                       although no server removed it */
  gxds_deadline ttl; /* set if the resource in use ends at that time, unless the server renews it */
  uint32_t watch_count; /* 0 means that the entry is leaving. It is freed when a request without its
                           name is encoded: until then the server sees no unsubscription, and would
                           not send the resource again to a new watch */
  uint16_t name_size;
  uint16_t version_size;
  uint32_t bytes_size;
  uint32_t seen_in; /* the serial of the last response that mentioned it; 0: none */
  gxds_authority *authority;
  gxds_entry *prev; /* the neighbours in the authority's list */
  gxds_entry *next;
  gxds_watch *watches;
  gxds_watch own_watch; /* memory for one of the watches, because most entries have one; free if its
                           entry is NULL */
  gxds_sub *subs;       /* one for each conn that the authority uses */

  /* What is known. */
  const gxds_resource *resource; /* the one in use; NULL if there is none */
  char *text; /* the serialized form of resource, and then its version; NULL if there is none */
  gxds_time updated;
  const gxds_error *notified; /* the error last notified; NULL if there is none */
  gxds_entry_rare *rare;      /* NULL if all its fields are empty */
  char name[];
};

static inline gxds_str gxds_entry_name(const gxds_entry *e) {
  return gxds_str_of(e->name, e->name_size);
}
/* The serialized form and the version of the resource in use. Empty if there is none. Borrowed:
 * valid until the resource is sent again. */
static inline gxds_str gxds_entry_bytes(const gxds_entry *e) {
  return gxds_str_of(e->text, e->bytes_size);
}
static inline gxds_str gxds_entry_version(const gxds_entry *e) {
  return gxds_str_of(e->version_size > 0 ? e->text + e->bytes_size : NULL, e->version_size);
}
/* NULL if there is none. */
static inline const gxds_update_failure *gxds_entry_failure(const gxds_entry *e) {
  return e->rare && e->rare->failure.error ? &e->rare->failure : NULL;
}
/* See gxds_entry_rare. */
static inline gxds_str gxds_entry_wrapper_version(const gxds_entry *e) {
  return e->rare ? e->rare->wrapper_version : gxds_str_of(NULL, 0);
}
static inline gxds_str gxds_entry_alias_of(const gxds_entry *e) {
  return e->rare ? e->rare->alias_of : gxds_str_of(NULL, 0);
}

/* A 64-bit hash of the bytes of a resource. Resources with equal hashes may be taken for equal. */
uint64_t gxds_hash_of_bytes(gxds_str bytes);
/* The entry of that canonical name; NULL if there is none. */
gxds_entry *gxds_entry_find(const gxds_client *c, size_t type, gxds_str name);
/* The entry whose resource was decoded from exactly these bytes, and whose name is in them; NULL if
 * there is none. */
gxds_entry *gxds_entry_find_by_bytes(const gxds_client *c, size_t type, gxds_str bytes);
/* Makes an entry in state REQUESTED, without watches and subs. */
gxds_entry *gxds_entry_create(gxds_client *c, size_t type, gxds_authority *a, gxds_str name);
/* Frees an entry that has neither watches nor subs. */
void gxds_entry_destroy(gxds_client *c, gxds_entry *e);

typedef struct gxds_accepted {
  const gxds_resource *resource; /* ownership is taken */
  gxds_str bytes;
  bool named_by_bytes; /* the name is in the bytes, not in a wrapper around them */
  gxds_str version;
  gxds_str wrapper_version; /* becomes the entry's wrapper_version */
  gxds_duration ttl;        /* 0 means none */
  const gxds_bootstrap_server *server;
} gxds_accepted;
/* A server sent a good resource: it becomes the one in use. */
void gxds_entry_accept(gxds_client *c, gxds_entry *e, const gxds_accepted *take, gxds_time now);
/* No server sent the resource, but it was kept: the kept one becomes the one in use. error says
 * that it is a kept one. */
void gxds_entry_accept_kept(gxds_client *c, gxds_entry *e, const gxds_accepted *take,
                            const gxds_error *error, gxds_time now);
/* The server sent exactly the bytes in use again. server and resource in *again are those in use.
 */
void gxds_entry_confirm(gxds_client *c, gxds_entry *e, const gxds_accepted *again, gxds_time now);
/* The resource in use ends after ttl, unless the server sends or renews it before; 0 means that it
 * does not end. */
void gxds_entry_renew(gxds_client *c, gxds_entry *e, gxds_duration ttl, gxds_time now);
/* A88: the resource is in error. If drop is true, the cached resource is no longer used. */
void gxds_entry_fail(gxds_client *c, gxds_entry *e, gxds_resource_state state,
                     const gxds_error *take_error, gxds_str version, bool drop, gxds_time now);
/* Notifies all watchers of everything that changed since they were last notified. */
void gxds_entry_sync(gxds_client *c, gxds_entry *e);
/* Notifies a new watcher, which is not yet in the entry's list, of the resource and the error that
 * the others know. */
void gxds_entry_notify_new(gxds_client *c, gxds_entry *e, const gxds_watch *w);
/* The ttl of the resource in use ended before the server renewed it. */
void gxds_entry_on_ttl(gxds_client *c, gxds_entry *e, gxds_time now);
/* The resource in use came under this other name (delta); an empty name means that it came under
 * its own. */
void gxds_entry_set_alias(gxds_client *c, gxds_entry *e, gxds_str name);
/* A71: the resource is received and usable, or known not to exist. A kept resource does not count:
 * a server may have a better one. Nor does a resource whose ttl ended, because its server has not
 * renewed it, and another server may have the resource. */
bool gxds_entry_is_cached(const gxds_entry *e);
/* A57: whether a request for the resource starts its does-not-exist timer. A cached resource needs
 * no timer, because a server need not send it again. But a kept resource needs one, once a server
 * has responded, and so does a resource of a server that is not in use any more (A71): the servers
 * in use may lack it. Neither needs one once it is known not to exist. */
bool gxds_entry_is_awaited(const gxds_entry *e);
/* The error that the watchers should know; NULL if there is none. Borrowed. */
const gxds_error *gxds_entry_error(const gxds_entry *e);

/* ---- what is kept (kept.c) ---- */

/* A server's resource was accepted: it is persisted for each scope that watches it. A resource with
 * a ttl is forgotten instead: by the next start it would have ended, and the resource kept before
 * is out of date. */
void gxds_entry_persist(gxds_client *c, gxds_entry *e);
/* The kept resource is out of date: it is deleted for each scope that watches it. */
void gxds_entry_forget(gxds_client *c, const gxds_entry *e);
/* A scope with its number of watches; only a client that keeps resources has them. It ends with its
 * last watch. What the scope used until then stays on disk for its next start. */
typedef struct gxds_scope {
  uint32_t id;
  size_t watch_count;
  UT_hash_handle hh;
} gxds_scope;
/* The scope of that id; NULL if it watches nothing. */
gxds_scope *gxds_scope_find(const gxds_client *c, uint32_t id);
/* w is about to be added to the entry. If it is the first watch of its scope there, the resource in
 * use is persisted for the scope too; and an entry without a resource starts from what the scope
 * kept, if its authority starts from kept resources. */
void gxds_kept_on_watch(gxds_client *c, gxds_entry *e, const gxds_watch *w);
/* A watch of that scope was removed from the entry. If it was the scope's last one there, the scope
 * forgets the resource. */
void gxds_kept_on_unwatch(gxds_client *c, gxds_entry *e, uint32_t scope);
/* Adds w to the entry's list of watches. */
void gxds_entry_add_watch(const gxds_client *c, gxds_entry *e, gxds_watch *w);
/* Called for the first watch of a resource. If no server of the authority has responded or is in
 * use yet, this starts the time (GXDS_RESTORE_AFTER) within which one of its servers must send a
 * response. */
void gxds_authority_await_response(gxds_client *c, gxds_authority *a, gxds_time now);
/* A server sent a response: from now on the authority's resources come from servers. */
void gxds_authority_on_response(gxds_client *c, gxds_authority *a, gxds_time now);
/* No server responds: the authority starts from kept resources, if no server ever responded. */
void gxds_authority_restore(gxds_client *c, gxds_authority *a);

/* ---- servers (server_conn.c) ---- */

typedef struct gxds_protocol gxds_protocol;

#define GXDS_NO_TYPE SIZE_MAX

struct gxds_conn {
  gxds_server_id id;
  const gxds_bootstrap_server *server;
  const gxds_protocol *protocol;
  gxds_server_counts *counts; /* owned by the client: they outlive the conn */
  size_t use_count;           /* the number of authorities that use the conn */
  gxds_conn *prev;            /* the neighbours in the client's list, which is in the order of
                                 creation */
  gxds_conn *next;
  bool connected;          /* a CONNECT was queued */
  const gxds_error *error; /* why the server can't be reached; NULL if it has not failed since its
                              last response */
  gxds_time failed;        /* the time at which `error` began */
  gxds_backoff backoff;
  gxds_deadline retry; /* set if no stream may be opened before that time */

  /* The ADS stream. Reset when it ends (gxds_conn_lose_stream()). */
  gxds_stream_id stream;
  gxds_time sent;      /* when the stream's first request was sent; 0 means not yet */
  gxds_deadline quiet; /* set after a request that sent versions. A server with nothing new sends
                          nothing. So if nothing comes until then on a live stream, there is
                          nothing new */
  bool got_response;
  bool kept_quiet;         /* quiet became due on this stream without a response */
  bool sent_versions;      /* some request on this stream sent versions */
  bool sent_stale_version; /* a resource whose version is sent ended before the request was on its
                              way */
  bool returned; /* the response that is being applied made this server replace servers after it
                    (A71) */
  bool read_due;
  bool node_sent;
  size_t sending_type;      /* the type of the outstanding SEND; GXDS_NO_TYPE if there is none */
  size_t next_type;         /* the type at which the search for a pending write begins */
  size_t pending_ack_count; /* delta: summed over all types */

  size_t sub_count;
  size_t leaving_count;
  gxds_type_state types[]; /* one for each of the options' types */
};

enum {
  GXDS_DEADLINE_RETRY,
  GXDS_DEADLINE_QUIET,
  GXDS_DEADLINE_SUB,
  GXDS_DEADLINE_TTL,
  GXDS_DEADLINE_RESTORE
};

/* Finds the conn of a server, and makes it if there is none. The client owns it. */
gxds_conn *gxds_conn_get(gxds_client *c, const gxds_bootstrap_server *server);
/* Frees the conn without any action. */
void gxds_conn_destroy(gxds_client *c, gxds_conn *conn);
gxds_conn *gxds_conn_of_stream(gxds_client *c, gxds_stream_id stream);
/* The server does not know delta: from now on the client uses SotW with it. */
void gxds_conn_give_up_delta(gxds_client *c, gxds_conn *conn);
/* The server can't be reached, for that reason. Falls back (A71), and notifies the watchers. Takes
 * ownership of the reason. */
void gxds_conn_fail(gxds_client *c, gxds_conn *conn, gxds_code code, gxds_text *take_reason,
                    gxds_time now);
/* A71: conn replaced servers after it. If they sent, deleted or spoiled resources that conn had
 * sent before, conn's server would not send these again on its stream. So a new stream is
 * opened. */
void gxds_conn_reopen_if_overruled(gxds_client *c, gxds_conn *conn);
/* A response came: the server can be reached and works. */
void gxds_conn_on_response(gxds_client *c, gxds_conn *conn, gxds_time now);
/* A request is on its way. If this stream sent versions, the server may have nothing new and stay
 * silent, so the time for its response starts. */
void gxds_conn_await_silence(gxds_client *c, gxds_conn *conn, gxds_time now);
/* The time for a response ended on a live stream: the server can be reached and has nothing new. It
 * does not replace servers after it (A71); for that it has to send something. */
void gxds_conn_on_quiet(gxds_client *c, gxds_conn *conn);
/* The stream ended or is being closed: resets everything that belongs to it. */
void gxds_conn_lose_stream(gxds_client *c, gxds_conn *conn);
/* Opens and closes streams and channels, and queues requests and READs, as all conns now need. True
 * if that queued actions. */
bool gxds_client_settle(gxds_client *c);

/* ---- authorities (authority.c) ---- */

struct gxds_authority {
  const gxds_bootstrap_authority *config; /* NULL for the default authority, of old-style names */
  const gxds_bootstrap_server **servers;  /* the authority's servers in order, without duplicates;
                                             owns the array */
  size_t server_count;
  gxds_conn **conns; /* the conns of the first conn_count servers, which are those in use */
  size_t conn_count;
  gxds_entry *entries; /* in the order of creation */
  size_t entry_count;

  /* Used only in a client that keeps resources. */
  bool had_response; /* some server has sent a response */
  bool restoring;    /* no server responded in time: kept resources are used */
  bool restored;     /* a kept resource is in use, and came from servers[restore_from] */
  size_t restore_from;
  gxds_deadline restore_at;
};

void gxds_authority_init(gxds_authority *a, const gxds_bootstrap *bootstrap,
                         const gxds_bootstrap_authority *config);
void gxds_authority_fini(gxds_client *c, gxds_authority *a);
/* The place of a server among the authority's servers; server_count if it is none of them. */
size_t gxds_authority_place_of(const gxds_authority *a, const gxds_bootstrap_server *server);
/* The authority that a name belongs to; NULL if the bootstrap has no such authority. */
gxds_authority *gxds_authority_find(gxds_client *c, const gxds_resource_name *name);
bool gxds_authority_uses(const gxds_authority *a, const gxds_conn *conn);
/* The server that sent the resource in use; decoders may depend on it. NULL if there is none. */
static inline const gxds_bootstrap_server *gxds_entry_source(const gxds_entry *e) {
  return e->source > 0 ? e->authority->servers[e->source - 1] : NULL;
}
/* The conn of a sub. */
static inline gxds_conn *gxds_sub_conn(const gxds_sub *sub) {
  return sub->entry->authority->conns[sub->server];
}
/* Subscribes an entry on all servers in use. If none is in use, takes the first one into use. */
void gxds_authority_subscribe(gxds_client *c, gxds_authority *a, gxds_entry *e);
/* A71: takes the next server into use while the last one in use has failed and some resource is not
 * cached. With fallback_on_reachability_only in the bootstrap (A95), the failure alone is enough.
 */
void gxds_authority_fall_back(gxds_client *c, gxds_authority *a);
/* A71: conn sent a response, so the servers after it in order are no longer used. */
void gxds_authority_recover(gxds_client *c, gxds_authority *a, gxds_conn *conn, gxds_time now);
/* Stops using the servers of an authority that has no entries. */
void gxds_authority_release_unused(gxds_client *c, gxds_authority *a);
/* Why none of the servers in use can be reached; NULL if some can. If hopeful is true, NULL also if
 * a server was just sent versions on a live stream, and its time to respond is not over. Borrowed.
 */
const gxds_error *gxds_authority_error(const gxds_authority *a, bool hopeful);
/* A71: whether some authority uses a server after this one as well. Then the other server may
 * replace this server's resources at any time, and this server gets its place back only by a
 * response. So it is sent no versions, which would let it stay silent. */
bool gxds_conn_has_fallback(const gxds_client *c, const gxds_conn *conn);

/* ---- protocols (sotw.c, delta.c) and what they have in common (response.c) ---- */

typedef struct gxds_response_resource {
  gxds_str type_url;
  gxds_str name; /* the name in the wrapper; empty if there was no wrapper */
  gxds_str version;
  gxds_str bytes;
  bool heartbeat;    /* has no bytes, and renews the ttl of the resource that the client has */
  gxds_duration ttl; /* 0 means none */
  const upb_StringView *aliases;
  size_t alias_count;
  const char *fault; /* why the wrapper can't be used; NULL if it can */
} gxds_response_resource;

/* A server's error for a resource that it cannot send (xRFC TP3). */
typedef struct gxds_resource_error {
  gxds_str name;
  int code; /* the code that the server wrote, unchecked */
  gxds_str message;
  bool undecodable;
} gxds_resource_error;

/* One response, in a form common to both protocols. It points into the message and the arena. */
struct gxds_response {
  gxds_str type_url;
  gxds_str version;
  gxds_str nonce;
  gxds_response_resource *resources;
  size_t resource_count;
  gxds_resource_error *errors;
  size_t error_count;
  const char *refused; /* static text, if the response is over a limit and nothing of it is used;
                          otherwise NULL */
  bool complete;  /* lists all requested resources of the server: for types that require it, absence
                     is deletion */
  bool versioned; /* delta: each resource has its own version, and deletions are in removed */
  const upb_StringView *removed;
  size_t removed_count;
};

/* One of the two protocols: state of the world, or incremental. plan_request, encode_request and
 * written, in this order, make one request. decode_response and acknowledge take one response. */
struct gxds_protocol {
  const char *method;
  /* Whether a type with pending_write really has a request to send. */
  bool (*has_pending_write)(const gxds_type_state *t);
  /* Decides what is in the next request of a type, and sets until, sends_version and so on. */
  void (*plan_request)(gxds_client *c, gxds_conn *conn, size_t type);
  /* Encodes the planned request, except for t->names, which follow it as the rest of the SEND. The
   * caller frees it. with_node: it is the first request of its stream. */
  gxds_str (*encode_request)(const gxds_client *c, const gxds_conn *conn, size_t type,
                             bool with_node);
  /* The planned request became the outstanding SEND: its contents are pending no longer. Sets
   * t->pending_write if there is more to send. */
  void (*written)(gxds_conn *conn, size_t type);
  /* Decodes a message into *out. Returns false, and sets *why to a static text, if that fails. */
  bool (*decode_response)(gxds_str message, struct upb_Arena *arena, gxds_response *out,
                          const char **why);
  /* A response was applied: remembers to ACK or NACK it. accepted: something in it could be used.
   * Empty errors mean an ACK. */
  void (*acknowledge)(gxds_conn *conn, size_t type, const gxds_response *response, bool accepted,
                      gxds_str take_errors);
};

extern const gxds_protocol gxds_protocol_sotw;
extern const gxds_protocol gxds_protocol_delta;

/* Reads the wrapper of a resource, and the resource in it (wrapper.c). The result points into the
 * wrapper and its message. */
gxds_response_resource gxds_unwrap(const struct envoy_service_discovery_v3_Resource *wrapper);
/* Drops the ACKs and NACKs of a type that are not sent yet. */
void gxds_delta_forget_acks(gxds_conn *conn, gxds_type_state *t);

/* The error for a response with more than GXDS_RESOURCES_PER_RESPONSE_MAX resources, or as many
 * resource errors. */
extern const char gxds_too_many_resources[];

/* The errors of single resources are the response's fields with that number. The first function
 * returns the response without these fields, for the decoder; the second reads them into *out.
 * message must consist of whole fields. The results live as long as arena. */
gxds_str gxds_response_without_errors(gxds_str message, uint64_t number, struct upb_Arena *arena);
void gxds_response_read_errors(gxds_str message, uint64_t number, struct upb_Arena *arena,
                               gxds_response *out);

/* Applies a response to the cache, notifies the watchers, and remembers to ACK or NACK it. */
void gxds_response_apply(gxds_client *c, gxds_conn *conn, size_t type,
                         const gxds_response *response, gxds_time now);

/* ---- the client (client.c) ---- */

struct gxds_client {
  const gxds_bootstrap *bootstrap;
  const gxds_host *host;
  const gxds_resource_type *const *types;
  size_t type_count;
  gxds_random random;
  gxds_duration resource_timeout; /* 0 means the default */
  gxds_duration wall_offset;      /* 0 means unknown */
  bool keeps_resources;
  gxds_authority *authorities; /* the default authority, then those of the bootstrap */
  size_t authority_count;
  gxds_conn *conns;
  gxds_index watches;                          /* gxds_watch by id */
  gxds_scope *scopes;                          /* by id; empty unless resources are kept */
  gxds_index *by_name;                         /* per type: gxds_entry by name */
  gxds_index *by_bytes;                        /* per type: gxds_bytes_key */
  const gxds_bootstrap_server **without_delta; /* delta ended with UNIMPLEMENTED; borrowed */
  size_t without_delta_count;
  size_t alias_count; /* entries whose alias_of is not empty */
  gxds_actions actions;
  gxds_deadlines deadlines;
  uint64_t next_id; /* the id of the next stream or watch */
  gxds_server_id next_server_id;
  uint32_t response_serial;
  gxds_server_counts *counts; /* the counts of all servers that were ever used */
};

/* The watch of that id; NULL if there is none. */
gxds_watch *gxds_watch_find(const gxds_client *c, gxds_watch_id id);
/* The index of one of the options' types. */
size_t gxds_client_index_of(const gxds_client *c, const gxds_resource_type *type);
/* Queues a line for the log. Takes ownership of the line. */
void gxds_client_log(gxds_client *c, gxds_severity severity, gxds_text *take_line);
/* An error that is due to that server's response or silence. server is NULL if the message names
 * the server already, or if no server is to blame. The caller owns the returned reference. */
const gxds_error *gxds_client_error(const gxds_client *c, gxds_code code, gxds_text *take_message,
                                    const gxds_bootstrap_server *server);
/* A version, a type URL and so on is cut to this length in a line of the log. */
#define GXDS_LOGGED_BYTES_MAX 256
/* Adds a time, in nanoseconds since 1970, as "2025-01-31T12:00:00Z". */
void gxds_text_add_time(gxds_text *out, int64_t wall);

#endif
