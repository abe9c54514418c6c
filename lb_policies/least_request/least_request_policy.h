/* The least_request_experimental LB policy (A48): as round_robin, but that each RPC goes to the one
 * of a few endpoints that has the fewest RPCs on their way. It needs nothing of xDS. */
#ifndef GRPC_XDS_LB_POLICIES_LEAST_REQUEST_LEAST_REQUEST_POLICY_H_
#define GRPC_XDS_LB_POLICIES_LEAST_REQUEST_LEAST_REQUEST_POLICY_H_

#include "host/policy.h"
#include "lb_policies/slow_start/slow_start.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const gxds_policy_type gxds_least_request_policy;

/* Made by its parse() only: control planes and programs write it as JSON. */
typedef struct gxds_least_request_config {
  gxds_lb_config base;
  uint32_t choices;           /* how many endpoints are drawn for an RPC */
  gxds_slow_start slow_start; /* a new endpoint is drawn less often */
} gxds_least_request_config;

#ifdef __cplusplus
}
#endif

#endif
