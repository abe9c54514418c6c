/* gxds_least_request: the choice among endpoints by how many RPCs each has on its way (A48): of a
 * few drawn at random, the one with the fewest. Any thread, no locks. */
#ifndef GRPC_XDS_LB_POLICIES_LEAST_REQUEST_LEAST_REQUEST_H_
#define GRPC_XDS_LB_POLICIES_LEAST_REQUEST_LEAST_REQUEST_H_

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A48: how many are drawn; more in a config count as the most. */
#define GXDS_LEAST_REQUEST_CHOICES_DEFAULT 2
#define GXDS_LEAST_REQUEST_CHOICES_MIN 2
#define GXDS_LEAST_REQUEST_CHOICES_MAX 10

/* The RPCs to one endpoint that have begun and not ended. Counted by reference, since RPCs outlive
 * the policy. */
typedef struct gxds_active_requests gxds_active_requests;

/* None. One reference, the caller's. */
gxds_active_requests *gxds_active_requests_create(void);
gxds_active_requests *gxds_active_requests_ref(gxds_active_requests *a);
void gxds_active_requests_unref(gxds_active_requests *a); /* NULL is allowed */
void gxds_active_requests_begin(gxds_active_requests *a);
void gxds_active_requests_end(gxds_active_requests *a);
uint64_t gxds_active_requests_count(const gxds_active_requests *a);

/* The place of the chosen one. count: at least 1. choices: at least 1. The same one may be drawn
 * more than once; of equal ones the first drawn is chosen. The counts may change meanwhile (A48
 * puts up with that). */
size_t gxds_least_request_choose(const gxds_active_requests *const *members, size_t count,
                                 uint32_t choices, gxds_random *random);

#ifdef __cplusplus
}
#endif

#endif
