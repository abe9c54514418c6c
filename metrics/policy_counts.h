/* gxds_policy_counts: the counts of load-balancing policies (gRFC A78, A89, A91, A94), for the
 * whole process, by the labels of the metrics. All counts are available as text for Prometheus.
 *
 * Counts live as long as the process: a counter must not go down when a channel or a policy ends,
 * and a new policy with the same labels continues where the old one stopped. So a caller may keep a
 * pointer to counts. Policies count under their channel's serializer; RPCs don't count.
 *
 * Any thread, no locks. */
#ifndef GRPC_XDS_METRICS_POLICY_COUNTS_H_
#define GRPC_XDS_METRICS_POLICY_COUNTS_H_

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All fields are borrowed. */
typedef struct gxds_metric_labels {
  gxds_str target;          /* A66: the target of the channel */
  gxds_str backend_service; /* A89: the xDS cluster; empty: none */
  gxds_str locality;        /* A78: gxds_metric_locality(); empty: none */
} gxds_metric_labels;

/* Adds the locality as the label has it: {region="r", zone="z", sub_zone="s"}. */
void gxds_metric_locality(gxds_str region, gxds_str zone, gxds_str sub_zone, gxds_text *out);

typedef enum gxds_counting {
  GXDS_COUNTING_WEIGHTED_ROUND_ROBIN, /* counted by target, backend service and locality */
  GXDS_COUNTING_PICK_FIRST,           /* counted by target */
  GXDS_COUNTING_OUTLIER_DETECTION,    /* counted by target and backend service */
  GXDS_COUNTING_SUBCHANNEL,           /* counted by target, backend service and locality */
  GXDS_COUNTING_KINDS,
} gxds_counting;

/* The counts of weighted_round_robin. */
typedef enum gxds_weighted_round_robin_count {
  GXDS_COUNT_RR_FALLBACK,    /* updates of the weights that left all endpoints with the same
                                weight */
  GXDS_COUNT_NOT_YET_USABLE, /* endpoints at each update: no report yet, or in the blackout */
  GXDS_COUNT_STALE,          /* endpoints at each update: no report for too long */
} gxds_weighted_round_robin_count;

/* The counts of pick_first, for its own connections. */
typedef enum gxds_pick_first_count {
  GXDS_COUNT_DISCONNECTIONS,
  GXDS_COUNT_ATTEMPTS_SUCCEEDED,
  GXDS_COUNT_ATTEMPTS_FAILED,
} gxds_pick_first_count;

/* The counts of outlier_detection (A91): the outliers that it ejected, and those that it found but
 * did not eject. They are counted by the method that found them, and by the reason. */
typedef enum gxds_outlier_detection_count {
  GXDS_COUNT_ENFORCED_SUCCESS_RATE,
  GXDS_COUNT_ENFORCED_FAILURE_PERCENTAGE,
  GXDS_COUNT_CHANCE_SUCCESS_RATE, /* not ejected: the enforcement percentage */
  GXDS_COUNT_CHANCE_FAILURE_PERCENTAGE,
  GXDS_COUNT_OVERFLOW_SUCCESS_RATE, /* not ejected: max_ejection_percent */
  GXDS_COUNT_OVERFLOW_FAILURE_PERCENTAGE,
  GXDS_COUNT_OUTLIERS, /* the number of these counts */
} gxds_outlier_detection_count;

/* The counts of connections to endpoints (A94). */
typedef enum gxds_subchannel_count {
  GXDS_COUNT_CONNECTION_LOST,     /* disconnections without a known reason */
  GXDS_COUNT_SUBCHANNEL_SHUTDOWN, /* disconnections because nobody needs the connection any more */
  GXDS_COUNT_CONNECT_SUCCEEDED,
  GXDS_COUNT_CONNECT_FAILED,
  GXDS_COUNT_OPEN_CONNECTIONS, /* a gauge */
} gxds_subchannel_count;

/* The most sets of labels that are kept for each kind, which is OpenTelemetry's limit too. Without
 * a limit, the process would grow without end if a program makes channels to ever new targets, or a
 * control plane keeps renaming things. All further sets of labels are counted together, under
 * OpenTelemetry's label for this case: otel_metric_overflow="true". */
#define GXDS_POLICY_COUNTS_MAX 2000u

typedef struct gxds_policy_counts gxds_policy_counts;

/* The counts of that kind with these labels; zeros if no policy has counted yet. Labels that the
 * kind does not have are ignored. Policies call it when they are made. Borrowed: valid until the
 * process ends. */
gxds_policy_counts *gxds_policy_counts_of(gxds_counting kind, const gxds_metric_labels *labels);
/* Adds n. which: a constant of the enum for the kind. */
void gxds_policy_counts_add(gxds_policy_counts *c, unsigned which, uint64_t n);
/* Subtracts n from a gauge; n is at most what was added before. */
void gxds_policy_counts_subtract(gxds_policy_counts *c, unsigned which, uint64_t n);
/* For weighted_round_robin: adds the weights of the endpoints after an update, each as a sample of
 * a histogram. 0 stands for an endpoint without a usable weight. */
void gxds_policy_counts_add_weights(gxds_policy_counts *c, const double *weights, size_t count);

/* Adds all counts to out as text, in no particular order. */
void gxds_policy_counts_render(gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
