/* gxds_least_request chooses among endpoints by their active RPCs (A48): it draws a few endpoints
 * at random, and takes the one with the fewest. Any thread, no locks. */
#ifndef GRPC_XDS_LB_POLICIES_LEAST_REQUEST_LEAST_REQUEST_H_
#define GRPC_XDS_LB_POLICIES_LEAST_REQUEST_LEAST_REQUEST_H_

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A48: how many endpoints are drawn. A larger number in a config counts as the maximum. */
#define GXDS_LEAST_REQUEST_CHOICES_DEFAULT 2
#define GXDS_LEAST_REQUEST_CHOICES_MIN 2
#define GXDS_LEAST_REQUEST_CHOICES_MAX 10

/* The number of RPCs to one endpoint that have started and not ended. Counted by reference, since
 * RPCs may outlive the policy. */
typedef struct gxds_active_requests gxds_active_requests;

/* Starts at 0. The caller owns the returned reference. */
gxds_active_requests *gxds_active_requests_create(void);
gxds_active_requests *gxds_active_requests_ref(gxds_active_requests *a);
void gxds_active_requests_unref(gxds_active_requests *a); /* NULL is allowed */
void gxds_active_requests_begin(gxds_active_requests *a);
void gxds_active_requests_end(gxds_active_requests *a);
uint64_t gxds_active_requests_count(const gxds_active_requests *a);

/* How often each endpoint is drawn, relative to the others, for slow start. It may change while it
 * is used. Counted by reference. */
typedef struct gxds_draws gxds_draws;

/* At first all are drawn equally often. count is at least 1. The caller owns the returned
 * reference. */
gxds_draws *gxds_draws_create(size_t count);
gxds_draws *gxds_draws_ref(gxds_draws *d);
void gxds_draws_unref(gxds_draws *d); /* NULL is allowed */
/* Sets the shares of all endpoints. Each share is greater than 0. Only one thread may call this at
 * a time. */
void gxds_draws_set(gxds_draws *d, const double *shares);

/* Returns the place of the chosen endpoint. count and choices are at least 1. draws is for count
 * endpoints; NULL: all are drawn equally often. An endpoint may be drawn more than once. If several
 * have the fewest RPCs, the first drawn is chosen. The counts may change during the call, which A48
 * accepts. */
size_t gxds_least_request_choose(const gxds_active_requests *const *members, size_t count,
                                 const gxds_draws *draws, uint32_t choices, gxds_random *random);

#ifdef __cplusplus
}
#endif

#endif
