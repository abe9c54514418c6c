/* What is asked for on the ADS stream of one server: a sub for each entry (subs.c), and what is
 * said and heard of each type. Only xds_client/ includes this, by client_internal.h. */
#ifndef GRPC_XDS_XDS_CLIENT_SUBS_INTERNAL_H_
#define GRPC_XDS_XDS_CLIENT_SUBS_INTERNAL_H_

#include "base/block.h"
#include "base/hash_table.h"
#include "xds_client/client.h"
#include "xds_client/deadlines.h"

typedef struct gxds_conn gxds_conn;
typedef struct gxds_entry gxds_entry;
typedef struct gxds_sub gxds_sub;
typedef struct gxds_response gxds_response;

/* What a server sent of an entry on this stream: it believes that the client holds that. */
typedef enum gxds_sent_state {
  GXDS_SENT_NOTHING,
  GXDS_SENT_IN_USE,
  GXDS_SENT_OVERRULED, /* another server sent the entry since (A71) */
} gxds_sent_state;

/* A subscription: one entry, requested on one conn. */
struct gxds_sub {
  gxds_entry *entry;
  gxds_conn *conn;
  gxds_sub *prev; /* of the conn's type, in the order of subscription */
  gxds_sub *next;
  gxds_sub *next_of_entry;
  gxds_time wait_until; /* no longer, if its timer starts again */
  gxds_deadline timer;
  bool settled : 1;   /* on this stream: it was received, or its does-not-exist timer fired */
  bool requested : 1; /* on this stream: a request subscribes to it */
  bool requested_before : 1; /* or one did for the sub before this one */
  bool resubscribed : 1;  /* its name was unsubscribed on this stream, and is subscribed to again:
                           see  gxds_dropped */
  bool sends_version : 1; /* the request that subscribes to it sends the version that is held */
  uint8_t sent_state;     /* a gxds_word */
  uint8_t repeats; /* how often it was subscribed to again, each time after a response without it */
};

/* A name that was subscribed to on this stream, and unsubscribed. A server ignores a request that
 * crosses its response on the way (its nonce is stale), so it may never see the unsubscription.
 * When the client then subscribes again, the server believes that it still has the resource, and
 * does not send it. So such a name is left out of the ACK of a response, which the server does see,
 * and is in the request after that.
 *
 * In delta no request is ignored. There these are the names that are to be unsubscribed. */
typedef struct gxds_dropped {
  gxds_str name; /* owned */
  UT_hash_handle hh;
} gxds_dropped;

/* A repeat is needed only when another response crossed the request. And with a server whose bytes
 * are never the same twice (a map has no order) there would be no end. */
#define GXDS_SUBSCRIPTION_REPEATS_MAX 10

/* In SotW: more than these are forgotten, the oldest first. */
#define GXDS_DROPPED_NAMES_MAX 10000

/* Delta: every response is ACKed or NACKed, each by a request of its own. */
typedef struct gxds_pending_ack {
  gxds_str nonce;  /* owned, as the errors are */
  gxds_str errors; /* to be NACKed; empty: none */
  struct gxds_pending_ack *prev;
  struct gxds_pending_ack *next;
} gxds_pending_ack;

/* A server that sends so many responses without reading the ACKs is not read from. */
#define GXDS_PENDING_ACKS_MAX 100

/* One type on one conn. subs is [requested … | sending … | unsent …]. */
typedef struct gxds_type_state {
  gxds_sub *subs;
  size_t sub_count;
  size_t leaving_count; /* subs whose entry has no watch */
  gxds_sub *sending;    /* the first that only the outstanding SEND requests */
  gxds_sub *unsent;     /* the first that no request on this stream has */

  /* Of the stream. */
  bool pending_write; /* there may be a request to send: has_pending_write() knows */
  bool requested;     /* a request was sent: only then may the list of names be empty */
  gxds_dropped *dropped;
  gxds_sub *until; /* the next request has subs up to this one; NULL: all */

  /* SotW. */
  gxds_str version;          /* the last accepted one: survives the stream */
  bool unacked;              /* a response is to be ACKed or NACKed */
  size_t resubscribed_count; /* subs that are */
  uint64_t last_sum;         /* of the last response's resources, while there are such subs */
  gxds_str nonce;            /* of the last response */
  gxds_str seen_version;     /* its version, accepted or not; not of heartbeats that were refused */
  gxds_str errors;           /* to be NACKed; empty: none */
  const gxds_block *names;   /* one reference: of subs, up to names_until (NULL: all), as a request
                                ends with them. NULL: to be made anew. An ACK lists what the request
                                before it listed, so it has the same block */
  const gxds_sub *names_until;

  /* Delta. */
  bool initial_written; /* all that the stream began with was sent: no initial_resource_versions any
                           more */
  size_t unsubscribing; /* how many of the dropped names, from the first, the next request has */
  gxds_pending_ack *pending_acks; /* to be sent, the oldest first */
  bool acking; /* the next request is the first of the pending ACKs, and has no names */
} gxds_type_state;

/* Subscribes to an entry, anew if it was subscribed to. */
void gxds_conn_subscribe(gxds_client *c, gxds_conn *conn, gxds_entry *e);
/* NULL: it is not subscribed to there. */
gxds_sub *gxds_conn_find_sub(const gxds_conn *conn, const gxds_entry *e);
/* Ends a sub; with its last one, an entry without watches ends. */
void gxds_sub_destroy(gxds_client *c, gxds_sub *sub);
/* The list of names is not what it was. */
void gxds_type_forget_names(gxds_type_state *t);
/* A response came: what was subscribed to again, and is not in it, is requested once more, unless
 * the server has shown that it has nothing to send for it. */
void gxds_conn_subscribe_again(gxds_client *c, gxds_conn *conn, size_t type,
                               const gxds_response *response);
/* Its server sent it: its timer is over. */
void gxds_sub_mark_received(gxds_client *c, gxds_sub *sub);
/* A server sent a response: what was requested before, and is in use as it was kept, is awaited. */
void gxds_conn_await_kept(gxds_client *c, const gxds_conn *conn, gxds_time now);
/* The SEND is on its way. */
void gxds_conn_on_sent(gxds_client *c, gxds_conn *conn, gxds_time now);
/* The timer of a sub fired. */
void gxds_sub_on_timer(gxds_client *c, gxds_sub *sub, gxds_time now);
/* Entries that lost or gained their first watch are counted where they are asked for. */
void gxds_entry_count_leaving(gxds_client *c, gxds_entry *e, bool leaving);
/* Ends the subs of that type whose entries have no watch any more. */
void gxds_conn_purge(gxds_client *c, gxds_conn *conn, size_t type);
void gxds_conn_purge_all(gxds_client *c, gxds_conn *conn); /* of all types */
/* Whether the version of what is held may be told when it is asked for there: a server takes that
 * word, and may send nothing. */
bool gxds_sub_may_send_version(const gxds_sub *sub);
/* How long a server has to answer (A57). */
gxds_duration gxds_conn_timeout(const gxds_client *c, const gxds_conn *conn);
/* The name is not dropped any more. */
void gxds_type_forget_dropped(gxds_type_state *t, gxds_dropped *d);
gxds_dropped *gxds_type_find_dropped(const gxds_type_state *t, gxds_str name);
/* The stream is gone: nothing was asked for on the next one. */
void gxds_subs_lose_stream(gxds_client *c, gxds_conn *conn);
/* Frees what goes with the conn; there are no subs any more. */
void gxds_subs_fini(gxds_type_state *t);

#endif
