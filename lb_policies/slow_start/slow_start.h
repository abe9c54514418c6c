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
  gxds_duration window;      /* how long slow start takes; 0: there is no slow start */
  double aggression;         /* greater than 0; 1: the share grows linearly; more than 1: it grows
                                faster at first */
  double min_weight_percent; /* the percentage of its weight that an endpoint has from the start; 0
                                … 100 */
} gxds_slow_start;

/* Reads {"slowStart":{"window":"60s","aggression":1,"minWeightPercent":10}} of a policy's config;
 * if it is missing, or its window is 0, sets out->window to 0. On errors adds them to errors, and
 * returns false. Any thread. */
bool gxds_slow_start_parse(const json_t *config, gxds_errors *errors, gxds_slow_start *out);

/* Any thread. */
bool gxds_slow_start_equal(const gxds_slow_start *a, const gxds_slow_start *b);

/* The least share. An endpoint gets some RPCs even if the configured minimum is 0. */
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
