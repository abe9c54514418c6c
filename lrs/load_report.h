/* gxds_load_report: one report to one server: the counts of each cluster since the last report.
 *
 * gxds_load_report_build() reads the counters, but marks nothing as reported.
 * gxds_load_report_sent() marks all counts of the report as reported; gxds_load_report_lost() marks
 * only those that were sent. So counts that were lost with a stream are in the next report. There
 * may be only one unfinished report per server. Confined, except for the store's own lock. */
#ifndef GRPC_XDS_LRS_LOAD_REPORT_H_
#define GRPC_XDS_LRS_LOAD_REPORT_H_

#include "lrs/load_store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The clusters that the server wants reports of. Borrowed. */
typedef struct gxds_load_filter {
  bool all;
  const gxds_str *clusters; /* sorted, unless all */
  size_t cluster_count;
} gxds_load_filter;

/* One metric that backends reported (A64). */
typedef struct gxds_metric_report {
  gxds_load_metric metric;
  gxds_str name;  /* only for GXDS_METRIC_NAMED; borrowed: valid as long as the report */
  uint64_t count; /* the number of RPCs that reported it; never 0 */
  double sum;
  struct gxds_metric_counter *counter;
} gxds_metric_report;
/* For qsort(): by metric and name. */
int gxds_metric_report_compare(const void *a, const void *b);

typedef struct gxds_locality_report {
  gxds_str region; /* borrowed: valid as long as the report */
  gxds_str zone;
  gxds_str sub_zone;
  uint64_t issued;
  uint64_t succeeded;
  uint64_t failed;
  uint64_t in_progress; /* RPCs in flight now; issued = succeeded + failed + the growth of this
                           number since the last report */
  gxds_metric_report *metrics; /* ordered by metric and name */
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
  gxds_locality_report *localities; /* the reports of one locality by several targets are
                                       adjacent */
  size_t locality_count;
  gxds_drop_report *drops;
  size_t drop_count;
  uint64_t total_dropped; /* all drops, with and without a category */
  uint64_t uncategorized;
  struct gxds_load_cluster *load;
} gxds_cluster_report;

/* A place in a report that is sent in several requests: the place before a locality of a cluster.
 * The drops of the cluster come before its first locality. */
typedef struct gxds_load_place {
  size_t cluster; /* index of the cluster; cluster_count means the end of the report */
  size_t locality;
} gxds_load_place;

typedef struct gxds_load_report {
  gxds_cluster_report *clusters; /* the clusters, in the order of the store's list */
  size_t cluster_count;
  bool is_zero;         /* nothing was counted and nothing is in progress */
  gxds_load_place sent; /* set by the owner: everything before it was sent */
  gxds_load_store *store;
  gxds_time at;
} gxds_load_report;

/* Starts the first interval of a server. To be called once when its stream is made. */
void gxds_load_report_begin(gxds_load_store *s, const gxds_bootstrap_server *server, gxds_time now);
/* Makes a report of the clusters in filter. Counts of other clusters are dropped: if the server
 * requests one of them later, its report begins with the counts from now on. Takes its own
 * reference to s. The caller ends the report with gxds_load_report_sent() or
 * gxds_load_report_lost(). */
gxds_load_report *gxds_load_report_build(gxds_load_store *s, const gxds_bootstrap_server *server,
                                         gxds_load_filter filter, gxds_time now);
/* The report was sent: marks its counts as reported, and frees it. */
void gxds_load_report_sent(gxds_load_report *r);
/* The part of the report from r->sent on was lost: its counts go into the next report. Frees the
 * report. r may be NULL. */
void gxds_load_report_lost(gxds_load_report *r);

#ifdef __cplusplus
}
#endif

#endif
