/* What is requested on the ADS stream of one server: a sub for each entry (subs.c), and for each
 * type what was last sent and received. Only xds_client/ includes this, by client_internal.h. */
#ifndef GRPC_XDS_XDS_CLIENT_SUBS_INTERNAL_H_
#define GRPC_XDS_XDS_CLIENT_SUBS_INTERNAL_H_

#include "base/block.h"
#include "base/deadlines.h"
#include "base/hash_table.h"
#include "xds_client/client.h"

typedef struct gxds_conn gxds_conn;
typedef struct gxds_entry gxds_entry;
typedef struct gxds_sub gxds_sub;
typedef struct gxds_response gxds_response;

/* What a server sent of an entry on this stream. The server believes that the client still has it.
 */
typedef enum gxds_sent_state {
  GXDS_SENT_NOTHING,
  GXDS_SENT_IN_USE,
  GXDS_SENT_OVERRULED, /* another server has sent the entry since then (A71) */
} gxds_sent_state;

/* A subscription: one entry, requested on one conn. A mesh may have a hundred thousand, so this is
 * kept small. */
struct gxds_sub {
  gxds_entry *entry;
  gxds_sub *prev; /* in the list of the conn and type, in the order of subscription */
  gxds_sub *next;
  gxds_sub *next_of_entry;
  gxds_deadline timer;
  bool settled : 1;   /* on this stream, it was received, or its does-not-exist timer fired and no
                         other server has sent the entry since */
  bool requested : 1; /* on this stream, a request subscribes to it */
  bool requested_before : 1; /* on this stream, a request subscribed to the entry for the sub that
                                this one replaces */
  bool requested_first : 1;  /* on this stream, the type's first request subscribes to it */
  bool resubscribed : 1;  /* its name was unsubscribed on this stream, and is subscribed to again:
                             see gxds_dropped */
  bool sends_version : 1; /* the request that subscribes to it sends the version of the cached
                             resource */
  bool on_its_way : 1;    /* that request was sent; while it is only encoded, no timer fires */
  bool overdue : 1;       /* the timer of the sub that this one replaces would have fired before the
                             request for this one was on its way: it fires then */
  uint8_t sent_state;     /* a gxds_sent_state */
  uint8_t repeats; /* how often it was requested once more, each time after a response without it */
  uint8_t server;  /* the conn's place in the authority: see gxds_sub_conn() */
};

/* A name that was subscribed to on this stream, and unsubscribed. A server ignores a request that
 * crosses its response on the way (its nonce is stale), so it may never see the unsubscription.
 * If the client then subscribes again, the server believes that the client still has the resource,
 * and does not send it. So the client leaves the name out of its next ACK, which the server does
 * see, and puts the name into the request after that.
 *
 * In delta no request is ignored. There, the dropped names are those to be unsubscribed. */
typedef struct gxds_dropped {
  gxds_str name; /* owned */
  UT_hash_handle hh;
} gxds_dropped;

/* The most repeats of one subscription. A repeat is needed only when another response crossed the
 * request. The limit is for servers that encode the same resource differently each time (a map has
 * no order): with those the repeats would never end. */
#define GXDS_SUBSCRIPTION_REPEATS_MAX 10

/* SotW: the most dropped names that are remembered. Beyond that the oldest are forgotten. */
#define GXDS_DROPPED_NAMES_MAX 10000

/* Delta: an ACK or NACK that is not sent yet. Each response is ACKed or NACKed by its own
 * request. */
typedef struct gxds_pending_ack {
  gxds_str nonce;  /* owned */
  gxds_str errors; /* owned; the errors of a NACK; empty for an ACK */
  struct gxds_pending_ack *prev;
  struct gxds_pending_ack *next;
} gxds_pending_ack;

/* The client stops reading from a server when this many ACKs to it are pending, because the server
 * sends responses but does not read the ACKs. */
#define GXDS_PENDING_ACKS_MAX 100

/* The state of one type on one conn. The list subs has three parts, in this order: subs that were
 * requested, those that the outstanding SEND requests (from sending), and those not requested yet
 * (from unsent). */
typedef struct gxds_type_state {
  gxds_sub *subs;
  size_t sub_count;
  size_t leaving_count; /* the number of subs whose entry has no watch */
  gxds_sub *sending; /* the first sub that is only in the outstanding SEND; NULL if there is none */
  gxds_sub *unsent;  /* the first sub that no request on this stream has; NULL if there is none */

  /* Belongs to the stream. */
  bool pending_write; /* there may be a request to send; the protocol's has_pending_write() decides
                       */
  bool requested; /* a request of this type was sent: only after that may a request have no names */
  gxds_dropped *dropped;
  gxds_sub *until; /* the next request has the subs before this one; NULL means all */

  /* SotW. */
  gxds_str version;          /* the last accepted version; outlives the stream */
  bool unacked;              /* the last response is not ACKed or NACKed yet */
  size_t resubscribed_count; /* the number of subs with resubscribed set */
  uint64_t last_sum;         /* sum of the last response's resources; only with such subs */
  gxds_str nonce;            /* the nonce of the last response */
  gxds_str seen_version;     /* the last response's version, accepted or not; a rejected response of
                                heartbeats alone does not change it */
  gxds_str errors;           /* owned; the errors of a NACK; empty for an ACK */
  /* One reference: the encoded names of the subs before names_until, with which a request ends.
   * NULL if they must be encoded again. An ACK lists the same names as the request before it, so it
   * uses the same block. */
  const gxds_block *names;
  const gxds_sub *names_until; /* NULL means all subs */

  /* Delta. */
  bool initial_written; /* everything that was subscribed to when the stream began was sent: from
                           now on no initial_resource_versions */
  size_t unsubscribing; /* how many of the dropped names, counted from the first, the next request
                           has */
  gxds_pending_ack *pending_acks; /* the oldest first */
  bool acking;                    /* the next request is the first pending ACK, and has no names */
} gxds_type_state;

/* Subscribes to an entry on conn. A sub that exists is replaced by a new one. */
void gxds_conn_subscribe(gxds_client *c, gxds_conn *conn, gxds_entry *e);
/* The entry's sub on conn; NULL if it is not subscribed to there. */
gxds_sub *gxds_conn_find_sub(const gxds_conn *conn, const gxds_entry *e);
/* Frees a sub. If it was the last one of an entry without watches, frees the entry too. */
void gxds_sub_destroy(gxds_client *c, gxds_sub *sub);
/* The list of names changed: drops the encoded names. */
void gxds_type_forget_names(gxds_type_state *t);
/* A response came. A resource that was subscribed to again and is not in the response is requested
 * once more, unless the server has shown that it has nothing to send for it. */
void gxds_conn_resubscribe(gxds_client *c, gxds_conn *conn, size_t type,
                           const gxds_response *response);
/* The sub's server sent the resource, or removed it: the entry's timers end. */
void gxds_sub_mark_received(gxds_client *c, gxds_sub *sub);
/* The authority has its first response, or went back to an earlier server (A71). Starts the
 * does-not-exist timers of what is requested on conn, if the resource in use is a kept one or comes
 * from a server that is not used any more. Also if there is none, because that server sent an
 * invalid one, which had ended the timer. */
void gxds_conn_await_replacements(gxds_client *c, const gxds_conn *conn, gxds_time now);
/* A complete response lacks the resource, for which one of another server is in use. If the
 * response is not to an earlier request, the timer finds that the resource is missing. */
void gxds_sub_await_replacement(gxds_client *c, gxds_sub *sub, gxds_time now);
/* The outstanding SEND is on its way: starts the does-not-exist timers of its subs (A57). */
void gxds_conn_on_sent(gxds_client *c, gxds_conn *conn, gxds_time now);
/* The does-not-exist timer of a sub fired. */
void gxds_sub_on_timer(gxds_client *c, gxds_sub *sub, gxds_time now);
/* An entry lost its last watch (leaving) or gained its first one: updates the leaving counts of the
 * conns that it is subscribed to on. */
void gxds_entry_count_leaving(gxds_client *c, gxds_entry *e, bool leaving);
/* Frees the subs of that type whose entries have no watch. */
void gxds_conn_purge(gxds_client *c, gxds_conn *conn, size_t type);
void gxds_conn_purge_all(gxds_client *c, gxds_conn *conn); /* gxds_conn_purge() for all types */
/* Whether a request for the sub may send the version of the cached resource. A server relies on
 * that version, and may then send nothing. */
bool gxds_sub_may_send_version(const gxds_sub *sub);
/* How long a server has to send a requested resource (A57). */
gxds_duration gxds_conn_timeout(const gxds_client *c, const gxds_conn *conn);
/* Removes d from the dropped names, and frees it. */
void gxds_type_forget_dropped(gxds_type_state *t, gxds_dropped *d);
gxds_dropped *gxds_type_find_dropped(const gxds_type_state *t, gxds_str name);
/* The stream ended: nothing is requested yet on the next one. */
void gxds_subs_lose_stream(gxds_client *c, gxds_conn *conn);
/* Frees the parts of t that this file owns. There must be no subs any more. */
void gxds_subs_fini(gxds_type_state *t);

#endif
