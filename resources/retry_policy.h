/* gxds_retry_policy: when RPCs of a route are tried again (A44). Part of a route: immutable,
 * borrowed as long as its resource. Any thread. */
#ifndef GRPC_XDS_RESOURCES_RETRY_POLICY_H_
#define GRPC_XDS_RESOURCES_RETRY_POLICY_H_

#include "base/text.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_retry_policy {
  uint32_t codes;              /* bit N: an RPC that fails with status code N is retried; never 0 */
  uint32_t num_retries;        /* at least 1; gRPC makes at most 4 retries */
  gxds_duration base_interval; /* at least a millisecond */
  gxds_duration max_interval;  /* at least base_interval */
} gxds_retry_policy;

/* Adds the object for "retryPolicy" of a method config. */
void gxds_retry_policy_render_json(const gxds_retry_policy *r, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
