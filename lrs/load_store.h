/* gxds_load_store: the counts of the data path, until the LRS stream reports them.
 *
 * Any thread. Counters are shared between the policies that count and the reactor that reads. They
 * are atomics, sharded so that threads share no cache line, and counted by reference. A lookup of a
 * counter takes a lock, so it is for updates, not for RPCs. RPCs outlive policies, but take no
 * reference, because then all threads would write to the same reference count. Instead, counters
 * stay as long as an RPC that they count has not ended. Counters without holders are dropped once
 * their last counts are reported, so no count is lost that a server accepts.
 *
 * Data-plane targets that share an XdsClient share its store. Each target counts through its own
 * view of the store. A server gets one report with every cluster, with one sum per locality over
 * all targets. Metrics show the counts of each target separately. So each RPC is counted once in
 * the report, and once in the metrics. Drops are counted per cluster, without targets. */
#ifndef GRPC_XDS_LRS_LOAD_STORE_H_
#define GRPC_XDS_LRS_LOAD_STORE_H_

#include "base/status.h"
#include "base/time.h"
#include "bootstrap/bootstrap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_load_store gxds_load_store; /* one per XdsClient */
/* The RPC counters of one {server, cluster, EDS service, locality}. */
typedef struct gxds_locality_load gxds_locality_load;
/* The drop counters of one {server, cluster, EDS service}. */
typedef struct gxds_drop_load gxds_drop_load;

/* Makes a store. on_change is called when the use of a server changes, so that an LRS stream can be
 * opened or closed. It runs on the thread that made the change, without the store's lock, and must
 * only post a message. The caller owns the returned reference. */
gxds_load_store *gxds_load_store_create(void (*on_change)(void *arg,
                                                          const gxds_bootstrap_server *server),
                                        void *arg);

/* Makes a view of s for a target, whose name is copied. Everything that is counted through the view
 * counts for the target. A view can be used wherever a store can, except in gxds_load_store_close()
 * and the functions of reports. It keeps a reference to s, which must not be a view itself. The
 * caller owns the returned reference. */
gxds_load_store *gxds_load_store_of_target(gxds_load_store *s, gxds_str target);

typedef enum gxds_load_use {
  GXDS_LOAD_NONE,    /* there is nothing to report */
  GXDS_LOAD_LEFT,    /* no counter has a holder, but there are unreported counts or RPCs in
                        flight */
  GXDS_LOAD_COUNTED, /* a counter has a holder */
} gxds_load_use;
/* Whether counters for the server have holders, or still have something to report. */
gxds_load_use gxds_load_store_use(gxds_load_store *s, const gxds_bootstrap_server *server);
/* Sets whether a server accepts reports. At first it counts as accepting them. If it does not,
 * counters are freed with their last holder, even if they have unreported counts. */
void gxds_load_store_set_taken(gxds_load_store *s, const gxds_bootstrap_server *server, bool taken);
/* The approximate limit on clusters per server that have no holder any more, but unreported counts.
 * The limit is for a server that never requests reports. A mesh replaces fewer clusters than this
 * between two reports. */
#define GXDS_LOAD_LEFT_MAX 10000
/* Drops the counters of the server that have no holder: they will not be reported. */
void gxds_load_store_drop_left(gxds_load_store *s, const gxds_bootstrap_server *server);

/* The owner (the XdsClient's transport) ends. Counters stay valid for their holders. on_change is
 * no longer called. Waits until a call of it that is in progress returns. */
void gxds_load_store_close(gxds_load_store *s);
gxds_load_store *gxds_load_store_ref(gxds_load_store *s);
void gxds_load_store_unref(gxds_load_store *s); /* NULL does nothing */

/* The counters of a locality, made if there are none. server and the strings are copied as far as
 * needed. The caller owns the returned reference. */
gxds_locality_load *gxds_load_store_locality(gxds_load_store *s,
                                             const gxds_bootstrap_server *server, gxds_str cluster,
                                             gxds_str eds_service, gxds_str region, gxds_str zone,
                                             gxds_str sub_zone);
void gxds_locality_load_unref(gxds_locality_load *l); /* NULL does nothing */
/* Turns the caller's reference into a retired one. A retired reference only keeps l in memory, for
 * RPCs that were picked and have not started yet; it does not count as a use of the server. End it
 * with gxds_locality_load_unref_retired(). */
void gxds_locality_load_retire(gxds_locality_load *l);
void gxds_locality_load_unref_retired(gxds_locality_load *l);
/* Counts the start of an RPC attempt on a backend of the locality. Somebody must hold a reference
 * to l, possibly a retired one, until after this call. Lock-free. */
void gxds_locality_load_started(gxds_locality_load *l);
/* The metrics that a backend may report at the end of an RPC (A64, A85). */
typedef enum gxds_load_metric {
  GXDS_METRIC_CPU_UTILIZATION,
  GXDS_METRIC_MEM_UTILIZATION,
  GXDS_METRIC_APPLICATION_UTILIZATION,
  GXDS_METRIC_NAMED, /* any other metric, by name */
} gxds_load_metric;

/* Counts a metric that the backend of an ending RPC reported; to be called before
 * gxds_locality_load_finished(). name, in UTF-8, is used only for GXDS_METRIC_NAMED. Names beyond
 * the limits (metric_counters.h) are not counted. Lock-free. */
void gxds_locality_load_reported(gxds_locality_load *l, gxds_load_metric metric, gxds_str name,
                                 double value);
/* Counts the end of an RPC attempt. l may be freed by this call. Each start must have exactly one
 * end. Lock-free while somebody holds l. */
void gxds_locality_load_finished(gxds_locality_load *l, bool failed);

/* The drop counters of a cluster, made if there are none. server and the strings are copied as far
 * as needed. The caller owns the returned reference. */
gxds_drop_load *gxds_load_store_drops(gxds_load_store *s, const gxds_bootstrap_server *server,
                                      gxds_str cluster, gxds_str eds_service);
gxds_drop_load *gxds_drop_load_ref(gxds_drop_load *d);
void gxds_drop_load_unref(gxds_drop_load *d); /* NULL does nothing */
/* The number of a drop category, which is added if it is new. Takes a lock, so it is for updates,
 * not for RPCs. */
size_t gxds_drop_load_category(gxds_drop_load *d, gxds_str category);
/* Counts a dropped RPC. category is from gxds_drop_load_category(). Lock-free. */
void gxds_drop_load_add(gxds_drop_load *d, size_t category);
void gxds_drop_load_add_uncategorized(gxds_drop_load *d); /* a drop by circuit breaking (A32) */

#ifdef __cplusplus
}
#endif

#endif
