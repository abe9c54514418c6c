/* Slow start, as Envoy has it: an endpoint that comes to others gets its share of RPCs little by
 * little. Not in gRPC's own clients. */
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
  double min_weight_percent; /* of its weight, from the first moment; 0 … 100 */
} gxds_slow_start;

/* Reads {"slowStart":{"window":"60s","aggression":1,"minWeightPercent":10}} of a policy's config;
 * without one, or with a window of 0, out->window is 0. False: there were errors, which are added.
 * Any thread. */
bool gxds_slow_start_parse(const json_t *config, gxds_errors *errors, gxds_slow_start *out);

/* Any thread. */
bool gxds_slow_start_equal(const gxds_slow_start *a, const gxds_slow_start *b);

/* Whatever the minimum, an endpoint gets some RPCs. */
#define GXDS_SLOW_START_SHARE_MIN 0.0001

/* What an endpoint gets of its weight at that age: GXDS_SLOW_START_SHARE_MIN to 1. Envoy's rule:
 * max(minimum, (age / window) ^ (1 / aggression)), where an age of less than a second counts as
 * one. Any thread. */
double gxds_slow_start_share(const gxds_slow_start *s, gxds_duration age);

/* How often shares are computed anew while an endpoint is in its window. Any thread. */
gxds_duration gxds_slow_start_period(const gxds_slow_start *s);

#ifdef __cplusplus
}
#endif

#endif
