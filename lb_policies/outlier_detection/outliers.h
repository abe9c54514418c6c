/* gxds_outliers: the state of an outlier_detection policy (A50): the ejected addresses, and the end
 * of each ejection.
 *
 * It holds no subchannel, no picker and no timer. Events go in (a config, subchannels added and
 * removed, the time). Ejections come out of gxds_outliers_next(), and the owner carries them out.
 * RPCs are counted elsewhere, in each address's gxds_call_results.
 *
 * An address is known from its first subchannel on. It is forgotten when it has no subchannel, is
 * not ejected, and its next ejection would not be longer because of earlier ones. So a policy that
 * makes its subchannels again does not end an ejection, and an update costs nothing for unchanged
 * addresses. While an ejected address has no subchannel, others may be ejected in its place. If it
 * then gets one, its ejection ends if too many others are ejected.
 *
 * Confined: the owner's serializer. Never calls out. */
#ifndef GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_OUTLIERS_H_
#define GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_OUTLIERS_H_

#include <stddef.h>

#include "base/str.h"
#include "base/time.h"
#include "lb_policies/outlier_detection/call_results.h"
#include "metrics/policy_counts.h"
#include "resources/outlier_detection.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_outliers gxds_outliers;

/* With an interval of 0 the policy would keep a processor busy. */
#define GXDS_OUTLIERS_INTERVAL_MIN GXDS_MILLISECOND

/* seed: for the random numbers that are compared with the enforcement percentages. */
gxds_outliers *gxds_outliers_create(uint64_t seed);
void gxds_outliers_destroy(gxds_outliers *o); /* NULL is allowed */

/* settings are copied. If the settings turn off both algorithms, all ejections end, and so does the
 * timer. addresses is the number of all addresses, with or without subchannels;
 * max_ejection_percent is a percentage of it. */
void gxds_outliers_on_config(gxds_outliers *o, const gxds_outlier_detection *settings,
                             size_t addresses, gxds_time now);
/* Whether RPCs must be counted. */
bool gxds_outliers_counting(const gxds_outliers *o);

/* Adds a subchannel to this address. Returns the address's token, which is never 0, and stays the
 * same as long as the address is known. */
uint64_t gxds_outliers_add(gxds_outliers *o, gxds_str address);
/* Removes one subchannel of the address. */
void gxds_outliers_remove(gxds_outliers *o, uint64_t token);
/* Whether an address that has a subchannel is ejected. */
bool gxds_outliers_ejected(const gxds_outliers *o, uint64_t token);
/* The counters for the RPCs to the address. Borrowed: valid until the address has no subchannel any
 * more; take a reference to keep it. */
gxds_call_results *gxds_outliers_results(const gxds_outliers *o, uint64_t token);

/* When to call gxds_outliers_on_deadline(); GXDS_TIME_NEVER: not at all. */
gxds_time gxds_outliers_deadline(const gxds_outliers *o);
void gxds_outliers_on_deadline(gxds_outliers *o, gxds_time now); /* early calls are harmless */

/* A91: how many outliers of each kind were found since the last call, indexed by
 * gxds_outlier_detection_count. */
typedef struct gxds_outliers_found {
  uint64_t counts[GXDS_COUNT_OUTLIERS];
} gxds_outliers_found;
gxds_outliers_found gxds_outliers_take_found(gxds_outliers *o);

/* Sets *token to an address whose ejection began or ended, so that the owner notifies its
 * subchannels. Several changes of one address are returned as one. Addresses without subchannels
 * are left out. False if there is none. */
bool gxds_outliers_next(gxds_outliers *o, uint64_t *token);

#ifdef __cplusplus
}
#endif

#endif
