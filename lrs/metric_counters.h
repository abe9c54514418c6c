/* gxds_metric_counters: the metrics that backends reported at the end of RPCs (A64): for each
 * metric, the number of RPCs that reported it, and the sum of the values. Private to lrs/. Lives in
 * its owner's struct. Zero-initialised, it is empty, and has the size of a pointer.
 *
 * A metric is added when it is first reported, and stays as long as its owner. The number of
 * metrics is bounded, and adding needs no lock. A report takes the sums out of the counters, so
 * that one absurd value spoils the sum of one report only. */
#ifndef GRPC_XDS_LRS_METRIC_COUNTERS_H_
#define GRPC_XDS_LRS_METRIC_COUNTERS_H_

#include "lrs/counters.h"
#include "lrs/load_report.h"

/* The most names, and the longest. Names come from backends, not from the control plane: a backend
 * that makes up a name for each RPC must not make a client grow for ever. Metrics beyond these
 * limits are not counted. */
#define GXDS_METRIC_NAMES_MAX 256
#define GXDS_METRIC_NAME_BYTES_MAX 256

typedef struct gxds_metric_counter {
  gxds_counters counters;           /* any thread */
  struct gxds_metric_counter *next; /* the next counter in the bucket; set before other threads see
                                       this one */
  gxds_str name;                    /* owned; set before other threads see the counter */
  uint64_t unreported_count; /* taken out of `counters`, but not reported yet; under the owner's
                                lock */
  double unreported_sum;
} gxds_metric_counter;

typedef struct gxds_metric_counters {
  _Atomic(struct gxds_metric_table *) table; /* any thread; NULL until a metric is reported */
} gxds_metric_counters;

/* Frees the counters. No thread may be adding. */
void gxds_metric_counters_fini(gxds_metric_counters *m);
/* Counts a value that one RPC's backend reported. name is used only for GXDS_METRIC_NAMED. Any
 * thread, lock-free. */
void gxds_metric_counters_add(gxds_metric_counters *m, gxds_load_metric metric, gxds_str name,
                              double value);

/* Returns the metrics that are not reported yet, ordered by metric and name; NULL if there are
 * none. The caller frees the array. Under the owner's lock. */
gxds_metric_report *gxds_metric_counters_report(gxds_metric_counters *m, size_t *count);
/* The report with the counter was sent, so the counter has nothing unreported. Under the owner's
 * lock. */
void gxds_metric_counter_reported(gxds_metric_counter *c);
/* Drops everything that is unreported. Under the owner's lock. */
void gxds_metric_counters_forget(gxds_metric_counters *m);
/* Whether anything is unreported. Under the owner's lock. */
bool gxds_metric_counters_any(const gxds_metric_counters *m);

#endif
