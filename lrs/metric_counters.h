/* gxds_metric_counters: what backends reported of themselves with their answers (A64): for each
 * metric how many RPCs reported it, and the sum. Private to lrs/. Lives in its owner's struct;
 * zero-initialised is empty, and costs a pointer.
 *
 * Metrics come as they are reported and stay as long as their owner: the number of them is bounded,
 * and adding needs no lock. Sums are taken out of the counters to be reported, not read, so that
 * one absurd value spoils the sum of one report alone. */
#ifndef GRPC_XDS_LRS_METRIC_COUNTERS_H_
#define GRPC_XDS_LRS_METRIC_COUNTERS_H_

#include "lrs/counters.h"
#include "lrs/load_report.h"

/* Names of backends, not of the control plane: one that makes up a name for each RPC must not make
 * a client grow for ever. Metrics of other names, and of longer ones, are not counted. */
#define GXDS_METRIC_NAMES_MAX 256
#define GXDS_METRIC_NAME_BYTES_MAX 256

typedef struct gxds_metric_counter {
  gxds_counters counters;           /* any thread */
  struct gxds_metric_counter *next; /* in its bucket; set before it is seen */
  gxds_str name;                    /* likewise; owned */
  uint64_t unreported_count;        /* taken from counters; under the owner's lock */
  double unreported_sum;
} gxds_metric_counter;

typedef struct gxds_metric_counters {
  _Atomic(struct gxds_metric_table *) table; /* any thread; NULL: nothing was reported */
} gxds_metric_counters;

/* No thread may be adding. */
void gxds_metric_counters_fini(gxds_metric_counters *m);
/* One RPC reported that. Any thread, lock-free. name: of GXDS_METRIC_NAMED alone. */
void gxds_metric_counters_add(gxds_metric_counters *m, gxds_load_metric metric, gxds_str name,
                              double value);

/* What is unreported, in order of metrics and names; freed by the caller. Under the owner's lock.
 */
gxds_metric_report *gxds_metric_counters_report(gxds_metric_counters *m, size_t *count);
/* It was sent. Under the owner's lock. */
void gxds_metric_counter_reported(gxds_metric_counter *c);
/* What is unreported never will be reported. Under the owner's lock. */
void gxds_metric_counters_forget(gxds_metric_counters *m);
/* Whether anything is unreported. Under the owner's lock. */
bool gxds_metric_counters_any(const gxds_metric_counters *m);

#endif
