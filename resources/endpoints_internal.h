/* The parts of the EDS decoder. endpoints_known.c finds the localities of a message that the
 * previous resource already has. endpoints_check.c checks the rest of the message, and collects
 * everything in scratch memory. endpoints.c makes the resource from that. */
#ifndef GRPC_XDS_RESOURCES_ENDPOINTS_INTERNAL_H_
#define GRPC_XDS_RESOURCES_ENDPOINTS_INTERNAL_H_

#include "envoy/config/endpoint/v3/endpoint.upb.h"
#include "resources/common_internal.h"
#include "resources/endpoints.h"
#include "resources/endpoints_known_internal.h"

/* A locality with the contents that it will have in the resource, but in scratch memory. */
typedef struct gxds_checked_locality {
  gxds_locality view; /* borrowed from the message and scratch, or from the known locality; holds no
                         references */
  uint32_t priority;
  uint32_t index;             /* the index in the message */
  gxds_locality_print print;  /* the fingerprint of the locality's bytes */
  const gxds_locality *known; /* NULL: the locality is not a known one */
} gxds_checked_locality;

typedef struct gxds_checked_endpoints {
  gxds_checked_locality *localities; /* sorted by priority, then name */
  size_t locality_count;
  size_t priority_count;
  const gxds_drop_category *drops; /* their names are borrowed from the message */
  size_t drop_count;
} gxds_checked_endpoints;

/* Whether any list of r is set. */
bool gxds_locality_rare_is_used(const gxds_locality_rare *r);

/* Adds everything that is wrong with the message to errors. The result is complete if there were no
 * errors. `in` is the rest of the message, and `known` has the localities that were known already,
 * and a fingerprint for each locality of `in`, or for none. wants_metadata: whether to decode the
 * metadata of endpoints (E5). The result is borrowed: valid as long as in, known and scratch. */
gxds_checked_endpoints gxds_endpoints_check(
    const envoy_config_endpoint_v3_ClusterLoadAssignment *in, const gxds_known_endpoints *known,
    bool wants_metadata, upb_Arena *scratch, gxds_errors *errors);

#endif
