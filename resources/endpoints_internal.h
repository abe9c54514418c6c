/* The parts of the EDS decoder: what is known of a message already (endpoints_known.c), the rest
 * checked and laid out in scratch memory (endpoints_check.c), and the resource made of both
 * (endpoints.c). */
#ifndef GRPC_XDS_RESOURCES_ENDPOINTS_INTERNAL_H_
#define GRPC_XDS_RESOURCES_ENDPOINTS_INTERNAL_H_

#include "envoy/config/endpoint/v3/endpoint.upb.h"
#include "resources/common_internal.h"
#include "resources/endpoints.h"
#include "resources/endpoints_known_internal.h"

/* A locality as the resource will hold it, but for the memory that it lives in. */
typedef struct gxds_checked_locality {
  gxds_locality view; /* borrows of the message and scratch, or of what is known; no refs */
  uint32_t priority;
  uint32_t index;            /* in the message */
  gxds_locality_print print; /* of its bytes; its locality: what is known, or NULL */
} gxds_checked_locality;

typedef struct gxds_checked_endpoints {
  gxds_checked_locality *localities; /* by priority, then name */
  size_t locality_count;
  size_t priority_count;
  const gxds_drop_category *drops; /* names: borrow, of the message */
  size_t drop_count;
} gxds_checked_endpoints;

/* Adds all that is wrong with the message to errors. What it returns is complete when that was
 * nothing. known: what in, its rest, lacks; it has a fingerprint for each locality of in, or none.
 * wants_metadata: E5. Borrowed: valid as long as in, known and scratch. */
gxds_checked_endpoints gxds_endpoints_check(
    const envoy_config_endpoint_v3_ClusterLoadAssignment *in, const gxds_known_endpoints *known,
    bool wants_metadata, upb_Arena *scratch, gxds_errors *errors);

#endif
