/* gxds_outliers: the state of an outlier_detection policy (A50): which addresses are ejected, and
 * until when.
 *
 * It holds no subchannel, no picker and no timer. Events go in (a config, subchannels that come and
 * go, the time), ejections come out of gxds_outliers_next(), which the owner carries out. RPCs are
 * counted elsewhere, in each address's gxds_call_results.
 *
 * An address is known from its first subchannel on, and forgotten when it has none and is none the
 * worse for what it did: neither ejected nor to be ejected for longer next time. So a policy that
 * makes its subchannels anew doesn't set an ejected address free, and an update costs nothing for
 * addresses without change.
 *
 * Confined: the owner's serializer. Never calls out. */
#ifndef GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_OUTLIERS_H_
#define GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_OUTLIERS_H_

#include <stddef.h>

#include "base/str.h"
#include "base/time.h"
#include "lb_policies/outlier_detection/call_results.h"
#include "metrics/policy_counts.h"
#include "resources/endpoints.h"
#include "resources/outlier_detection.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_outliers gxds_outliers;

/* An interval of nothing would keep a processor busy. */
#define GXDS_OUTLIERS_INTERVAL_MIN GXDS_MILLISECOND

/* seed: of the random numbers that the enforcement percentages are compared with. */
gxds_outliers *gxds_outliers_create(uint64_t seed);
void gxds_outliers_destroy(gxds_outliers *o); /* NULL is allowed */

/* settings: copied. With both ways to eject off, all are un-ejected and the timer ends. addresses:
 * how many there are in all, with or without subchannels: what max_ejection_percent is of. */
void gxds_outliers_on_config(gxds_outliers *o, const gxds_outlier_detection *settings,
                             size_t addresses, gxds_time now);
/* How many addresses there are in all priorities; NULL: none. */
size_t gxds_outliers_count_addresses(const gxds_endpoints *endpoints);
/* Whether RPCs are to be counted. */
bool gxds_outliers_counting(const gxds_outliers *o);

/* There is one more subchannel to this address. Returns the address's token: the same as long as it
 * is known, never 0. */
uint64_t gxds_outliers_add(gxds_outliers *o, gxds_str address);
/* There is one less. */
void gxds_outliers_remove(gxds_outliers *o, uint64_t token);
/* Of an address that has a subchannel. */
bool gxds_outliers_ejected(const gxds_outliers *o, uint64_t token);
/* Where its RPCs are counted. Borrowed: valid until it has no subchannel any more; ref to keep it.
 */
gxds_call_results *gxds_outliers_results(const gxds_outliers *o, uint64_t token);

/* NEVER: nothing to wait for. */
gxds_time gxds_outliers_deadline(const gxds_outliers *o);
void gxds_outliers_on_deadline(gxds_outliers *o, gxds_time now); /* early calls are harmless */

/* A91: how many outliers of each kind were found since the last call, at the places of the enum. */
typedef struct gxds_outliers_found {
  uint64_t counts[GXDS_COUNT_OUTLIERS];
} gxds_outliers_found;
gxds_outliers_found gxds_outliers_take_found(gxds_outliers *o);

/* An address that has changed: *token's subchannels are to say whether it is ejected, once for
 * however many changes. False: none. Addresses without subchannels are left out. */
bool gxds_outliers_next(gxds_outliers *o, uint64_t *token);

#ifdef __cplusplus
}
#endif

#endif
