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

/* What a server said of an entry on this stream: it believes that the client knows that. */
typedef enum gxds_word {
  GXDS_WORD_NONE,
  GXDS_WORD_IN_FORCE,
  GXDS_WORD_OVERRULED, /* another server was heard of the entry since (A71) */
} gxds_word;

/* One entry, asked for on one conn. */
struct gxds_sub {
  gxds_entry *entry;
  gxds_conn *conn;
  gxds_sub *prev; /* of the conn's type, in the order of subscription */
  gxds_sub *next;
  gxds_sub *next_of_entry;
  gxds_time wait_until; /* no longer, if its timer starts again */
  gxds_deadline timer;
  bool settled : 1;   /* on this stream: it was received, or its time is up */
  bool asked : 1;     /* on this stream: a request had it */
  bool known : 1;     /* or one that had it for the sub before this one */
  bool again : 1;     /* its name was asked for before on this stream, and given up: see
                         gxds_dropped */
  bool claims : 1;    /* the request that asks for it tells which version is held */
  uint8_t word;       /* a gxds_word */
  uint8_t said_again; /* after so many responses that did not have it */
};

/* A name that was asked for on this stream, and given up. A server ignores a request that crosses
 * its response on the way (its nonce is stale), so it may never hear of that. When the name is then
 * asked for again, the server thinks that the client still has it, and does not send it. So such a
 * name is left out of the answer to a response, which the server does hear, and said after that.
 *
 * In delta every request is heard. There these are the names that are to be unsubscribed. */
typedef struct gxds_dropped {
  gxds_str name; /* owned */
  UT_hash_handle hh;
} gxds_dropped;

/* Each time takes that another response crossed the request. And servers whose bytes are never the
 * same twice (a map has no order) would be asked as often as they answer. */
#define GXDS_SAID_AGAIN_MAX 10

/* More are remembered no longer than it takes a server to answer. (SotW.) */
#define GXDS_DROPPED_NAMES_MAX 10000

/* Delta: every response is answered, each by a request of its own. */
typedef struct gxds_answer {
  gxds_str nonce;  /* owned, as the errors are */
  gxds_str errors; /* to be NACKed; empty: none */
  struct gxds_answer *prev;
  struct gxds_answer *next;
} gxds_answer;

/* A server that sends so many responses without reading the answers is not read from. */
#define GXDS_ANSWERS_MAX 100

/* What is said and heard of one type on one conn. subs is [asked for … | sending … | unsent …]. */
typedef struct gxds_type_state {
  gxds_sub *subs;
  size_t sub_count;
  size_t leaving_count; /* subs whose entry has no watch */
  gxds_sub *sending;    /* the first that only the outstanding SEND asks for */
  gxds_sub *unsent;     /* the first that no request on this stream asked for */

  /* Of the stream. */
  bool dirty;     /* there is something to say */
  bool requested; /* something was said: only then may the list of names be empty */
  gxds_dropped *dropped;
  gxds_sub *until; /* the next request says subs up to this one; NULL: all */

  /* SotW. */
  gxds_str version;        /* the last accepted one: survives the stream */
  bool unanswered;         /* a response was heard */
  size_t again_count;      /* subs that are */
  uint64_t last_sum;       /* of the last response's resources, while there are such subs */
  gxds_str nonce;          /* of the last response */
  gxds_str heard;          /* its version, accepted or not; not of heartbeats that were refused */
  gxds_str errors;         /* to be NACKed; empty: none */
  const gxds_block *names; /* one reference: of subs, up to names_until (NULL: all), as a request
                              ends with them. NULL: to be made anew. An ACK lists what the request
                              before it listed, so it has the same block */
  const gxds_sub *names_until;

  /* Delta. */
  bool begun;           /* all that the stream began with was said: no versions are told any more */
  size_t giving_up;     /* of the dropped names, from the first: those in the next request */
  gxds_answer *answers; /* to be given, the oldest first */
  bool answering;       /* the next request is the first of the answers, and has no names */
} gxds_type_state;

/* Asks for an entry, anew if it was asked for. */
void gxds_conn_subscribe(gxds_client *c, gxds_conn *conn, gxds_entry *e);
/* NULL: it is not asked for there. */
gxds_sub *gxds_conn_find_sub(const gxds_conn *conn, const gxds_entry *e);
/* Ends a sub; with its last one, an entry without watches ends. */
void gxds_sub_destroy(gxds_client *c, gxds_sub *sub);
/* Other names than before are asked for. */
void gxds_type_forget_names(gxds_type_state *t);
/* A response came: what was asked for again, and is not in it, has to be said once more, unless its
 * server knows by now. */
void gxds_conn_say_again(gxds_client *c, gxds_conn *conn, size_t type,
                         const gxds_response *response);
/* Its server was heard of it: its timer is over. */
void gxds_sub_mark_received(gxds_client *c, gxds_sub *sub);
/* A server answered: what was asked for before, and is in use as it was kept, is waited for. */
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
bool gxds_sub_may_claim(const gxds_sub *sub);
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
