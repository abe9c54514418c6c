/* Computes a backend's weight from its load report (A58, A114). Any thread. */
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_REPORT_WEIGHT_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_REPORT_WEIGHT_H_

#include "base/ref.h"
#include "lb_policies/orca/orca_report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_utilization_kind {
  GXDS_UTILIZATION_APPLICATION,
  GXDS_UTILIZATION_CPU,
  GXDS_UTILIZATION_MEMORY,
  GXDS_UTILIZATION_NAMED_METRIC, /* named_metrics[key] */
  GXDS_UTILIZATION_RESOURCE,     /* utilization[key] */
} gxds_utilization_kind;

/* A metric from which utilization is computed. */
typedef struct gxds_utilization_metric {
  gxds_utilization_kind kind;
  gxds_str key; /* the key; only for the last two kinds */
} gxds_utilization_metric;

/* Parses a name such as "cpu_utilization" or "named_metrics.queue" (A114). False if gRPC has no
 * such metric. The key in *out is borrowed: it is a part of name. */
bool gxds_utilization_metric_parse(gxds_str name, gxds_utilization_metric *out);

/* How a weight is computed from a report. Immutable, counted by reference. */
typedef struct gxds_rating {
  gxds_ref refs;
  double error_penalty;
  size_t metric_count;
  gxds_utilization_metric *metrics; /* owned, with their keys */
} gxds_rating;

/* Copies the metrics. The caller owns the returned reference. */
gxds_rating *gxds_rating_create(double error_penalty, const gxds_utilization_metric *metrics,
                                size_t metric_count);
void gxds_rating_unref(gxds_rating *r); /* NULL is allowed */
bool gxds_rating_equal(const gxds_rating *a, const gxds_rating *b);

/* A58: qps / (utilization + eps / qps * error_penalty). The utilization is the greatest of the
 * rating's metrics (A114). If the report has none of them, it is the application's utilization, or
 * else the CPU's. Numbers that are negative, infinite or NaN count as not set. Returns 0 if the
 * report gives no weight. */
double gxds_report_weight(const gxds_orca_report *r, const gxds_rating *rating);

#ifdef __cplusplus
}
#endif

#endif
