/* gxds_orca_report: an xds.data.orca.v3.OrcaLoadReport, which a backend sends with its answers
 * (A51). Pure functions: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_ORCA_ORCA_REPORT_H_
#define GRPC_XDS_LB_POLICIES_ORCA_ORCA_REPORT_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where it is in the trailing metadata of an RPC. */
#define GXDS_ORCA_METADATA_KEY "endpoint-load-metrics-bin"

/* How many named metrics of one report are looked at. More than gRPC's default limit on metadata
 * (8 KiB) has room for under names of usual length; what is behind them is left out, for the time
 * that a report takes grows with their square. */
#define GXDS_ORCA_NAMED_METRICS_MAX 256

/* The numbers are as they were sent: a backend may send negative ones, infinity, or none. 0: not
 * set. */
typedef struct gxds_orca_report {
  double cpu_utilization;
  double mem_utilization;
  double application_utilization;
  double qps;
  double eps;
  gxds_str bytes; /* private; borrowed: valid as long as what was decoded */
} gxds_orca_report;

/* bytes: serialized; from the network. False: they are no such message. */
bool gxds_orca_report_decode(gxds_str bytes, gxds_orca_report *out);

typedef struct gxds_orca_metric {
  gxds_str name; /* UTF-8; borrowed: valid as long as the report's bytes */
  double value;
} gxds_orca_metric;

/* What is left of a report's named metrics. */
typedef struct gxds_orca_metrics {
  gxds_str rest; /* private */
  size_t count;  /* private: looked at so far */
} gxds_orca_metrics;

/* All of them. Borrowed: valid as long as the report's bytes. */
static inline gxds_orca_metrics gxds_orca_report_named_metrics(const gxds_orca_report *r) {
  gxds_orca_metrics m = {r->bytes, 0};
  return m;
}
/* Takes the next one, each name once. False: there are no more. */
bool gxds_orca_metrics_next(gxds_orca_metrics *m, gxds_orca_metric *out);

/* The maps of a report whose entries are numbers by name; the values are their fields' numbers. */
typedef enum gxds_orca_map {
  GXDS_ORCA_UTILIZATION = 5,
  GXDS_ORCA_NAMED_METRICS = 8,
} gxds_orca_map;

/* The number of that name. False: the map has none. Takes as long as the report is. */
bool gxds_orca_report_find(const gxds_orca_report *r, gxds_orca_map map, gxds_str name,
                           double *out);

#ifdef __cplusplus
}
#endif

#endif
