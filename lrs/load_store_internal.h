/* The inside of a load store, for load_lookup.c (finding and making counters), load_store.c (their
 * lives) and load_report.c (reading). The store's lock guards everything, unless a field says
 * otherwise. */
#ifndef GRPC_XDS_LRS_LOAD_STORE_INTERNAL_H_
#define GRPC_XDS_LRS_LOAD_STORE_INTERNAL_H_

#include <pthread.h>
#include <stdatomic.h>
#include <utlist.h>

#include "base/index.h"
#include "lrs/counters.h"
#include "lrs/drop_counters.h"
#include "lrs/load_store.h"
#include "lrs/metric_counters.h"

typedef struct gxds_load_server gxds_load_server;
typedef struct gxds_load_cluster gxds_load_cluster;

/* Decides how long a counter stays in memory: while it has a holder, while RPCs that it counts are
 * in flight (lingering.h), while an unfinished report names it, and while it has unreported
 * counts. */
typedef struct gxds_load_life {
  _Atomic uint32_t holders; /* any thread; becomes 0, and stops being 0, only under the lock */
  uint32_t retired;         /* retired holders, which only keep the counter in memory */
  uint32_t pins;            /* how many unfinished reports name the counter */
} gxds_load_life;

enum { GXDS_LOAD_STARTED, GXDS_LOAD_SUCCEEDED, GXDS_LOAD_FAILED, GXDS_LOAD_KINDS };

struct gxds_locality_load {
  gxds_counters counters;       /* any thread */
  gxds_metric_counters metrics; /* any thread */
  gxds_load_life life;
  gxds_load_cluster *cluster;
  gxds_locality_load *prev; /* in the cluster's list, oldest first; the counters of one locality are
                               adjacent */
  gxds_locality_load *next;
  bool lingers;
  gxds_locality_load *next_lingering; /* guarded by the list's lock */
  gxds_str target; /* the target that counts; empty if it counts in the store itself, not through a
                      view */
  gxds_str region;
  gxds_str zone;
  gxds_str sub_zone;
  uint64_t reported[GXDS_LOAD_KINDS]; /* totals that were reported to the server */
};

struct gxds_drop_load {
  gxds_drop_counters counters;
  gxds_load_life life;
  gxds_load_cluster *cluster;
};

struct gxds_load_cluster {
  gxds_index_link by_names; /* first */
  gxds_load_server *server;
  gxds_str cluster;
  gxds_str eds_service;
  gxds_load_cluster *prev; /* the neighbours in the server's list */
  gxds_load_cluster *next;
  gxds_locality_load *localities;
  gxds_drop_load drops;
  uint32_t pins;
  size_t held;     /* the number of its counters (localities and drops) that have holders */
  bool rests;      /* no counter has a holder, everything is reported, and the cluster only stays
                      in memory */
  gxds_time since; /* the start of the interval that is not reported yet; GXDS_TIME_NEVER if it is
                      not known yet */
};

struct gxds_load_server {
  gxds_load_store *store;
  gxds_bootstrap_server server; /* a copy, with its own strings */
  gxds_load_server *next;
  gxds_load_cluster *clusters;
  size_t held;                /* the number of clusters with a counter that somebody holds */
  size_t left;                /* the number of clusters without a holder that do not rest */
  bool not_taken;             /* the server accepts no reports */
  gxds_load_use notified_use; /* the use for which on_change was last called */
  gxds_time since; /* the start of the interval for new clusters; GXDS_TIME_NEVER if it is not known
                      yet */
};

struct gxds_load_store {
  gxds_ref refs; /* any thread */
  /* Set only in a target's view: the store of the view. In a view, all fields after target are
   * unused. */
  gxds_load_store *whole; /* a reference; NULL in a store */
  gxds_str target;
  pthread_mutex_t lock;
  /* Held while on_change runs, and while on_change is removed, so that close() waits for a call in
   * progress. Taken before `lock`, and while no other lock is held. */
  pthread_mutex_t callback_lock;
  void (*on_change)(void *arg, const gxds_bootstrap_server *server); /* guarded by callback_lock */
  void *arg;
  bool changed; /* the use of some server changed since on_change was last called */
  bool closed;
  gxds_load_server *servers; /* oldest first; never removed */
  gxds_index clusters;       /* the clusters of all servers, by their names */
};

/* The entry of the server; NULL if nothing was counted for it. Under the lock. */
gxds_load_server *gxds_load_store_find_server(gxds_load_store *s,
                                              const gxds_bootstrap_server *server);
/* The entry of the server, made if there is none. Under the lock. */
gxds_load_server *gxds_load_store_server(gxds_load_store *s, const gxds_bootstrap_server *server);
/* A cluster of that server, made if there is none. Under the lock. */
gxds_load_cluster *gxds_load_store_cluster(gxds_load_store *s, gxds_load_server *server,
                                           gxds_str cluster, gxds_str eds_service);
/* A target's counters of a locality, made if there are none. Under the lock. */
gxds_locality_load *gxds_load_cluster_locality(gxds_load_cluster *c, gxds_str target,
                                               gxds_str region, gxds_str zone, gxds_str sub_zone);
/* Unlocks the store, and then calls on_change for changes that were made under the lock. The caller
 * must have a reference to the store until this returns. */
void gxds_load_store_unlock(gxds_load_store *s);
/* Frees the counters of the cluster that are not needed any more, and then the cluster, if nothing
 * of it is needed. Under the lock. */
void gxds_load_store_sweep(gxds_load_store *s, gxds_load_cluster *c);

/* For a cluster without holders: whether everything is reported, and no RPC is in progress. Under
 * the lock. */
bool gxds_load_cluster_is_reported(gxds_load_cluster *c);

/* Reads the totals. started - succeeded - failed is the number of RPCs in progress, which is never
 * negative. */
void gxds_locality_load_read(const gxds_locality_load *l, uint64_t totals[GXDS_LOAD_KINDS]);
/* The number of RPCs in flight. If l has no holder, the number stays 0 once it is 0. */
uint64_t gxds_locality_load_in_progress(const gxds_locality_load *l);
/* Ends l, which was just removed from its list of lingering counters, if it has no holder. Takes
 * over the list's reference to the store. Returns false if l had to be added to the list again,
 * because new RPCs had started meanwhile. To be called without the lock. */
bool gxds_load_store_settle(gxds_locality_load *l);

#endif
