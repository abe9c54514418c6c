/* Slow start as in Envoy: an endpoint that joins others gets its share of RPCs little by little.
 * gRPC's own clients don't have it. */
#ifndef GRPC_XDS_LB_POLICIES_SLOW_START_SLOW_START_H_
#define GRPC_XDS_LB_POLICIES_SLOW_START_SLOW_START_H_

#include <jansson.h>

#include "base/errors.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_slow_start {
  gxds_duration window;      /* how long it takes; 0: there is no slow start */
  double aggression;         /* 1: linear; more: fast at first. Greater than 0 */
  double min_weight_percent; /* the part of its weight that it has from the first moment; 0 … 100 */
} gxds_slow_start;

/* Reads {"slowStart":{"window":"60s","aggression":1,"minWeightPercent":10}} of a policy's config;
 * without one, or with a window of 0, out->window is 0. On errors adds them to errors, and returns
 * false. Any thread. */
bool gxds_slow_start_parse(const json_t *config, gxds_errors *errors, gxds_slow_start *out);

/* Any thread. */
bool gxds_slow_start_equal(const gxds_slow_start *a, const gxds_slow_start *b);

/* Even if the configured minimum is 0, an endpoint gets some RPCs. */
#define GXDS_SLOW_START_SHARE_MIN 0.0001

/* The part of its weight that an endpoint of that age has, from GXDS_SLOW_START_SHARE_MIN to 1.
 * Envoy's rule: max(minimum, (age / window) ^ (1 / aggression)), where an age below a second counts
 * as a second. Any thread. */
double gxds_slow_start_share(const gxds_slow_start *s, gxds_duration age);

/* How often to compute shares again while an endpoint is in its window. Any thread. */
gxds_duration gxds_slow_start_period(const gxds_slow_start *s);

#ifdef __cplusplus
}
#endif

#endif
