/* gxds_load_report: what is sent to one server at one time: the counts of each cluster since the
 * last report.
 *
 * Building reads the counters and changes nothing that is reported; only gxds_load_report_sent()
 * marks the counts as reported (and gxds_load_report_lost() those that were sent). What of a report
 * was lost with its stream is in the next one.
 * One report per server may be on its way. Confined, but for the store's own lock. */
#ifndef GRPC_XDS_LRS_LOAD_REPORT_H_
#define GRPC_XDS_LRS_LOAD_REPORT_H_

#include "lrs/load_store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which clusters the server wants to hear of. Borrowed. */
typedef struct gxds_load_filter {
  bool all;
  const gxds_str *clusters; /* sorted, unless all */
  size_t cluster_count;
} gxds_load_filter;

/* What backends reported of themselves (A64). */
typedef struct gxds_metric_report {
  gxds_load_metric metric;
  gxds_str name;  /* of GXDS_METRIC_NAMED; borrowed: valid as long as the report */
  uint64_t count; /* of RPCs that reported it; never 0 */
  double sum;
  struct gxds_metric_counter *counter;
} gxds_metric_report;

typedef struct gxds_locality_report {
  gxds_str region; /* borrowed: valid as long as the report */
  gxds_str zone;
  gxds_str sub_zone;
  uint64_t issued;
  uint64_t succeeded;
  uint64_t failed;
  uint64_t in_progress;        /* now; issued = succeeded + failed + its growth */
  gxds_metric_report *metrics; /* in order of metrics and names */
  size_t metric_count;
  struct gxds_locality_load *load;
} gxds_locality_report;

typedef struct gxds_drop_report {
  gxds_str category;
  uint64_t count; /* never 0 */
  size_t number;
} gxds_drop_report;

typedef struct gxds_cluster_report {
  gxds_str cluster; /* borrowed: valid as long as the report */
  gxds_str eds_service;
  gxds_duration interval;
  gxds_locality_report *localities; /* those of one locality, by several targets, are together */
  size_t locality_count;
  gxds_drop_report *drops;
  size_t drop_count;
  uint64_t total_dropped; /* with and without category */
  uint64_t uncategorized;
  struct gxds_load_cluster *load;
} gxds_cluster_report;

/* A place in a report that is sent in several requests: before a locality of a cluster. The
 * cluster's own counts, its drops, come before its first locality. */
typedef struct gxds_load_place {
  size_t cluster; /* index; cluster_count: the end */
  size_t locality;
} gxds_load_place;

typedef struct gxds_load_report {
  gxds_cluster_report *clusters; /* those that had a look-up first come first */
  size_t cluster_count;
  bool is_zero;         /* nothing counted and nothing in progress */
  gxds_load_place sent; /* the owner's: what is before it was sent, should the rest be lost */
  gxds_load_store *store;
  gxds_time at;
} gxds_load_report;

/* From when on the first interval of a server counts: called once its stream is made. */
void gxds_load_report_begin(gxds_load_store *s, const gxds_bootstrap_server *server, gxds_time now);
/* The counts of the clusters in filter. Those of other clusters are dropped here: should the server
 * ask for them later, it hears of what is counted from then on. Takes a reference on s. */
gxds_load_report *gxds_load_report_build(gxds_load_store *s, const gxds_bootstrap_server *server,
                                         gxds_load_filter filter, gxds_time now);
/* It was sent: its counts are reported. Ends it. */
void gxds_load_report_sent(gxds_load_report *r);
/* It was lost: its counts from r->sent on go into the next. Ends it. NULL is allowed. */
void gxds_load_report_lost(gxds_load_report *r);

#ifdef __cplusplus
}
#endif

#endif
