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

/* None. The caller owns the returned reference. */
gxds_active_requests *gxds_active_requests_create(void);
gxds_active_requests *gxds_active_requests_ref(gxds_active_requests *a);
void gxds_active_requests_unref(gxds_active_requests *a); /* NULL is allowed */
void gxds_active_requests_begin(gxds_active_requests *a);
void gxds_active_requests_end(gxds_active_requests *a);
uint64_t gxds_active_requests_count(const gxds_active_requests *a);

/* How often each of some endpoints is drawn, compared with the others: slow start. It may change
 * while it is used. Counted by reference. */
typedef struct gxds_draws gxds_draws;

/* Each as often as the others. count: at least 1. The caller owns the returned reference. */
gxds_draws *gxds_draws_create(size_t count);
gxds_draws *gxds_draws_ref(gxds_draws *d);
void gxds_draws_unref(gxds_draws *d); /* NULL is allowed */
/* One share for each, above 0. One caller at a time. */
void gxds_draws_set(gxds_draws *d, const double *shares);

/* The place of the chosen one. count: at least 1. choices: at least 1. draws: of count endpoints;
 * NULL: each is drawn as often as the others. The same one may be drawn more than once; of equal
 * ones the first drawn is chosen. The counts may change meanwhile (A48 puts up with that). */
size_t gxds_least_request_choose(const gxds_active_requests *const *members, size_t count,
                                 const gxds_draws *draws, uint32_t choices, gxds_random *random);

#ifdef __cplusplus
}
#endif

#endif
