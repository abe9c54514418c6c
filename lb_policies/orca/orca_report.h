/* gxds_orca_report: an xds.data.orca.v3.OrcaLoadReport, which a backend sends with its responses or
 * on a stream (A51). Pure functions: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_ORCA_ORCA_REPORT_H_
#define GRPC_XDS_LB_POLICIES_ORCA_ORCA_REPORT_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The key of a load report in the trailing metadata of an RPC. */
#define GXDS_ORCA_METADATA_KEY "endpoint-load-metrics-bin"

/* How many named metrics of one report are read; the rest is ignored, because the time grows with
 * the square of their number. This is more than fit into gRPC's default limit on metadata (8 KiB)
 * under names of usual length. */
#define GXDS_ORCA_NAMED_METRICS_MAX 256

/* The numbers are as the backend sent them: they may be negative, infinite or NaN. 0 means not set.
 */
typedef struct gxds_orca_report {
  double cpu_utilization;
  double mem_utilization;
  double application_utilization;
  double qps;
  double eps;
  gxds_str bytes; /* private; borrowed: valid as long as the bytes that were decoded */
} gxds_orca_report;

/* bytes come from the network. False if they are not such a message. */
bool gxds_orca_report_decode(gxds_str bytes, gxds_orca_report *out);

typedef struct gxds_orca_metric {
  gxds_str name; /* UTF-8; borrowed: valid as long as the report's bytes */
  double value;
} gxds_orca_metric;

/* Steps through a report's named metrics. */
typedef struct gxds_orca_metrics {
  gxds_str rest; /* private */
  size_t count;  /* private: how many were read so far */
} gxds_orca_metrics;

/* All of them. Borrowed: valid as long as the report's bytes. */
static inline gxds_orca_metrics gxds_orca_report_named_metrics(const gxds_orca_report *r) {
  gxds_orca_metrics m = {r->bytes, 0};
  return m;
}
/* Sets *out to the next metric, each name once. False at the end. */
bool gxds_orca_metrics_next(gxds_orca_metrics *m, gxds_orca_metric *out);

/* The maps from names to numbers in a report. The values are the field numbers of the maps. */
typedef enum gxds_orca_map {
  GXDS_ORCA_UTILIZATION = 5,
  GXDS_ORCA_NAMED_METRICS = 8,
} gxds_orca_map;

/* Looks up a number by its name. False if the map does not have it. The time grows with the size of
 * the report. */
bool gxds_orca_report_find(const gxds_orca_report *r, gxds_orca_map map, gxds_str name,
                           double *out);

#ifdef __cplusplus
}
#endif

#endif
