/* gxds_load_store: what the data path counts, until the LRS stream reports it.
 *
 * Any thread. Counters are shared between the policies that count and the reactor that reads; they
 * are atomics, sharded so that threads share no cache line, and counted by reference. Looking one
 * up takes a lock and is for updates, not for RPCs. RPCs outlive policies, and take no reference,
 * whose count all threads would write: while one that started has not ended, its counters stay. A
 * counter that nobody holds is dropped once its last counts are reported, so nothing is lost that
 * somebody takes.
 *
 * Where several data-plane targets share an XdsClient they share its store, and each counts through
 * a view of its own: there is one report to a server, with every cluster, and in it one sum for a
 * locality, whichever targets its RPCs were of. Metrics show the counts of each target by
 * themselves. So each RPC is counted once, in the report and in the metrics. Drops are counted for
 * the cluster alone. */
#ifndef GRPC_XDS_LRS_LOAD_STORE_H_
#define GRPC_XDS_LRS_LOAD_STORE_H_

#include "base/status.h"
#include "base/time.h"
#include "bootstrap/bootstrap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_load_store gxds_load_store;       /* of one XdsClient */
typedef struct gxds_locality_load gxds_locality_load; /* {server, cluster, EDS service, locality} */
typedef struct gxds_drop_load gxds_drop_load;         /* {server, cluster, EDS service} */

/* on_change is called (on the thread where it happens, without the store's lock) when the use of a
 * server changes, so that an LRS stream can be opened or closed; it must only post a message. */
gxds_load_store *gxds_load_store_create(void (*on_change)(void *arg,
                                                          const gxds_bootstrap_server *server),
                                        void *arg);

/* A view of s for a target, whose name is copied: what is counted through it is the target's. A
 * store for all functions but gxds_load_store_close() and those of reports; the caller owns the
 * returned reference. It keeps s. s must not be a view. */
gxds_load_store *gxds_load_store_of_target(gxds_load_store *s, gxds_str target);

typedef enum gxds_load_use {
  GXDS_LOAD_NONE,    /* there is nothing to report */
  GXDS_LOAD_LEFT,    /* nobody counts any more, but not all was reported, or RPCs are in flight */
  GXDS_LOAD_COUNTED, /* somebody holds a counter */
} gxds_load_use;
/* How a server is used now. */
gxds_load_use gxds_load_store_use(gxds_load_store *s, const gxds_bootstrap_server *server);
/* Whether a server takes reports, as far as is known: at first it does. While it does not, counters
 * go with their last holder, whatever they count. */
void gxds_load_store_set_taken(gxds_load_store *s, const gxds_bootstrap_server *server, bool taken);
/* A server may be asked for ever, and never want a report. Of the clusters that nobody counts for
 * any more, and of which not all was reported, this many are kept for it, or somewhat more. More
 * than a mesh replaces between two reports. */
#define GXDS_LOAD_LEFT_MAX 10000
/* What nobody holds is not reported any more. */
void gxds_load_store_drop_left(gxds_load_store *s, const gxds_bootstrap_server *server);

/* The owner (the XdsClient's transport) is going: counters stay valid for those who hold them and
 * on_change is not called any more; waits for one that is being called. */
void gxds_load_store_close(gxds_load_store *s);
gxds_load_store *gxds_load_store_ref(gxds_load_store *s);
void gxds_load_store_unref(gxds_load_store *s); /* NULL is allowed */

/* The counters of a locality, made when there are none. server is copied as far as it is needed;
 * strings are copied. The caller owns the returned reference. */
gxds_locality_load *gxds_load_store_locality(gxds_load_store *s,
                                             const gxds_bootstrap_server *server, gxds_str cluster,
                                             gxds_str eds_service, gxds_str region, gxds_str zone,
                                             gxds_str sub_zone);
void gxds_locality_load_unref(gxds_locality_load *l); /* NULL is allowed */
/* The caller's reference is from now on a retired one: it keeps l in memory, for RPCs that were
 * picked before and have yet to start, and is no use of the server. */
void gxds_locality_load_retire(gxds_locality_load *l);
void gxds_locality_load_unref_retired(gxds_locality_load *l);
/* One RPC attempt started on a backend of the locality. Somebody holds l, be it by a retired
 * reference, until after this call. Lock-free. */
void gxds_locality_load_started(gxds_locality_load *l);
/* What a backend may report of itself with an answer (A64, A85). */
typedef enum gxds_load_metric {
  GXDS_METRIC_CPU_UTILIZATION,
  GXDS_METRIC_MEM_UTILIZATION,
  GXDS_METRIC_APPLICATION_UTILIZATION,
  GXDS_METRIC_NAMED, /* by a name of its own */
} gxds_load_metric;

/* An RPC that ends now reported that; before its _finished. name: of GXDS_METRIC_NAMED alone, in
 * UTF-8. Beyond limits of names (metric_counters.h) it is not counted. Lock-free. */
void gxds_locality_load_reported(gxds_locality_load *l, gxds_load_metric metric, gxds_str name,
                                 double value);
/* It ended; l may be gone then. Each started is followed by exactly one finished. Lock-free while
 * somebody holds l. */
void gxds_locality_load_finished(gxds_locality_load *l, bool failed);

/* The drop counters of a cluster. As above. */
gxds_drop_load *gxds_load_store_drops(gxds_load_store *s, const gxds_bootstrap_server *server,
                                      gxds_str cluster, gxds_str eds_service);
gxds_drop_load *gxds_drop_load_ref(gxds_drop_load *d);
void gxds_drop_load_unref(gxds_drop_load *d); /* NULL is allowed */
/* The number by which drops of a category are counted; made when new. Takes a lock: for updates. */
size_t gxds_drop_load_category(gxds_drop_load *d, gxds_str category);
/* One RPC dropped. Lock-free. */
void gxds_drop_load_add(gxds_drop_load *d, size_t category);
void gxds_drop_load_add_uncategorized(gxds_drop_load *d); /* circuit breaking (A32) */

#ifdef __cplusplus
}
#endif

#endif
