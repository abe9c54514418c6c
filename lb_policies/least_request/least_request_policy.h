/* The least_request_experimental LB policy (A48). It is like round_robin, but each RPC goes to the
 * endpoint with the fewest active RPCs among a few that are drawn at random. It needs nothing from
 * xDS. */
#ifndef GRPC_XDS_LB_POLICIES_LEAST_REQUEST_LEAST_REQUEST_POLICY_H_
#define GRPC_XDS_LB_POLICIES_LEAST_REQUEST_LEAST_REQUEST_POLICY_H_

#include "host/policy.h"
#include "lb_policies/slow_start/slow_start.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const gxds_policy_type gxds_least_request_policy;

/* Only the policy's parse() makes a config, because control planes and programs write it as
 * JSON. */
typedef struct gxds_least_request_config {
  gxds_lb_config base;
  uint32_t choices;           /* how many endpoints are drawn for an RPC */
  gxds_slow_start slow_start; /* a new endpoint is drawn less often */
} gxds_least_request_config;

#ifdef __cplusplus
}
#endif

#endif
