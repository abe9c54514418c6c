/* gxds_demand: counts the picks of a leaf policy that has left out endpoints (growth.h), and pokes
 * the policy when each endpoint of its picker may have been picked once. Only picks of such a
 * policy are counted, so that picks of other policies cost no more.
 *
 * Counted by reference, because pickers outlive the policy. Any thread, no locks. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_DEMAND_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_DEMAND_H_

#include <stddef.h>

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_demand gxds_demand;

/* Takes its own reference to the policy's poker. The caller owns the returned reference. */
gxds_demand *gxds_demand_create(gxds_poker *poker);
void gxds_demand_unref(gxds_demand *d); /* NULL is allowed */
/* The policy was poked, and has grown: counts from 0 again. Between the poke and this call picks
 * are not counted. (A pick at the same time as this call may still see the old count. Then the next
 * poke comes too early, which is harmless.) */
void gxds_demand_restart(gxds_demand *d);

/* Makes a picker that picks as the child does, and is counted. When d has counted `enough` picks,
 * the policy is poked with the number 0. Takes its own reference to d. The caller owns the returned
 * reference. */
gxds_picker *gxds_demand_picker_create(gxds_demand *d, gxds_picker *take_child, size_t enough);

#ifdef __cplusplus
}
#endif

#endif
