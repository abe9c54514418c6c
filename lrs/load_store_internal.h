/* The inside of a load store, for load_lookup.c, load_store.c (lives) and load_report.c
 * (reading).
 * Everything is guarded by the store's lock unless a field says otherwise. */
#ifndef GRPC_XDS_LRS_LOAD_STORE_INTERNAL_H_
#define GRPC_XDS_LRS_LOAD_STORE_INTERNAL_H_

#include <pthread.h>
#include <stdatomic.h>
#include <utlist.h>

#include "lrs/counters.h"
#include "lrs/drop_counters.h"
#include "lrs/load_store.h"
#include "lrs/metric_counters.h"

typedef struct gxds_load_server gxds_load_server;
typedef struct gxds_load_cluster gxds_load_cluster;

/* The life of a counter. It is kept while somebody holds it, while RPCs that it counts are in
 * flight (lingering.h), while a report that is on its way names it, and while it has counts that
 * were not reported. */
typedef struct gxds_load_life {
  _Atomic uint32_t holders; /* any thread; leaves and reaches 0 under the lock only */
  uint32_t retired;         /* holders that only keep it in memory */
  uint32_t pins;            /* reports on their way */
} gxds_load_life;

enum { GXDS_LOAD_STARTED, GXDS_LOAD_SUCCEEDED, GXDS_LOAD_FAILED, GXDS_LOAD_KINDS };

struct gxds_locality_load {
  gxds_counters counters;       /* any thread */
  gxds_metric_counters metrics; /* likewise */
  gxds_load_life life;
  gxds_load_cluster *cluster;
  gxds_locality_load *prev; /* in the cluster, by age; those of one locality are together */
  gxds_locality_load *next;
  bool lingers;
  gxds_locality_load *next_lingering; /* guarded by the list's lock */
  gxds_str target;                    /* who counts; empty: whoever has the store */
  gxds_str region;
  gxds_str zone;
  gxds_str sub_zone;
  uint64_t reported[GXDS_LOAD_KINDS]; /* totals that were sent to the server */
};

struct gxds_drop_load {
  gxds_drop_counters counters;
  gxds_load_life life;
  gxds_load_cluster *cluster;
};

struct gxds_load_cluster {
  gxds_load_server *server;
  gxds_str cluster;
  gxds_str eds_service;
  uint64_t hash;
  gxds_load_cluster *bucket_next;
  gxds_load_cluster *prev; /* of the server */
  gxds_load_cluster *next;
  gxds_locality_load *localities;
  gxds_drop_load drops;
  uint32_t pins;
  size_t held;     /* lives of counters that have holders */
  bool rests;      /* nobody holds any, all was reported, and it is only kept in memory */
  gxds_time since; /* counts since then are not reported; GXDS_TIME_NEVER: since the server's */
};

struct gxds_load_server {
  gxds_load_store *store;
  gxds_bootstrap_server server; /* strings of its own */
  gxds_load_server *next;
  gxds_load_cluster *clusters;
  size_t held;                /* clusters of which somebody holds a counter */
  size_t left;                /* the others, but for those that rest */
  bool not_taken;             /* it takes no reports */
  gxds_load_use notified_use; /* by on_change */
  gxds_time since;            /* GXDS_TIME_NEVER: not known yet */
};

struct gxds_load_store {
  gxds_ref refs; /* any thread */
  /* A target's view of another store, and a reference on that one: all below is unused. */
  gxds_load_store *whole; /* NULL: it is none */
  gxds_str target;
  pthread_mutex_t lock;
  /* Held while on_change runs and while it is taken away, so that close() waits for a call that is
   * under way. Taken before the other, after nothing. */
  pthread_mutex_t callback_lock;
  void (*on_change)(void *arg, const gxds_bootstrap_server *server); /* callback_lock */
  void *arg;
  bool changed; /* the use of some server, since on_change was called */
  bool closed;
  gxds_load_server *servers; /* by age; never removed */
  gxds_load_cluster **buckets;
  size_t bucket_count; /* a power of two */
  size_t cluster_count;
};

/* The server's entry, or NULL: nothing was counted for it. Under the lock. */
gxds_load_server *gxds_load_store_find_server(gxds_load_store *s,
                                              const gxds_bootstrap_server *server);
/* The same, made when there is none. Under the lock. */
gxds_load_server *gxds_load_store_server(gxds_load_store *s, const gxds_bootstrap_server *server);
/* A cluster of that server, made when there is none. Under the lock. */
gxds_load_cluster *gxds_load_store_cluster(gxds_load_store *s, gxds_load_server *server,
                                           gxds_str cluster, gxds_str eds_service);
/* A target's counters of a locality, made when there are none. Under the lock. */
gxds_locality_load *gxds_load_cluster_locality(gxds_load_cluster *c, gxds_str target,
                                               gxds_str region, gxds_str zone, gxds_str sub_zone);
/* Ends the lock, and then calls on_change for what changed under it. The caller has a reference
 * until then. */
void gxds_load_store_unlock(gxds_load_store *s);
/* Frees those counters of the cluster that nobody needs any more, and then the cluster. Under the
 * lock. */
void gxds_load_store_sweep(gxds_load_store *s, gxds_load_cluster *c);

/* Of a cluster that nobody holds a counter of: all is reported, and no RPC is in progress. Under
 * the lock. */
bool gxds_load_cluster_is_reported(gxds_load_cluster *c);

/* The totals now. in progress = started - succeeded - failed, which is never negative. */
void gxds_locality_load_read(const gxds_locality_load *l, uint64_t totals[GXDS_LOAD_KINDS]);
/* RPCs in flight. When nobody holds l, 0 is for good. */
uint64_t gxds_locality_load_in_progress(const gxds_locality_load *l);
/* l was taken out of the list of those that linger; takes the list's reference to the store. False:
 * it had to be added again, for there were new RPCs meanwhile. Without the lock. */
bool gxds_load_store_settle(gxds_locality_load *l);

#endif
