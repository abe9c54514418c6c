/* The further addresses of endpoints (A61): Endpoint.additional_addresses. Part of
 * endpoints_check.c. All memory comes from the scratch arena; without such endpoints none is used.
 */
#ifndef GRPC_XDS_RESOURCES_ADDITIONAL_ADDRESSES_INTERNAL_H_
#define GRPC_XDS_RESOURCES_ADDITIONAL_ADDRESSES_INTERNAL_H_

#include "resources/common_internal.h"
#include "resources/endpoints.h"

struct envoy_config_core_v3_Address;
struct envoy_config_endpoint_v3_Endpoint;

/* The further addresses of all endpoints that are read, in one list. Zero-initialised, it is
 * empty. */
typedef struct gxds_more_addresses {
  gxds_address *list; /* NULL: there are none */
  size_t count;
  size_t capacity;
  size_t *ends; /* for each endpoint, the index after its last further address; NULL: no endpoint
                   has further addresses */
  bool too_many;
} gxds_more_addresses;

/* Checks an endpoint's address, which is at that path. False after an error. (In
 * endpoints_check.c.) */
bool gxds_endpoint_address_check(const struct envoy_config_core_v3_Address *address,
                                 const gxds_path *at_address, gxds_errors *errors,
                                 gxds_address *out);

/* Whether an endpoint may have further addresses. This is a cheap check, because most endpoints
 * have none. */
bool gxds_more_addresses_has(const struct envoy_config_endpoint_v3_Endpoint *in);
/* Adds the further addresses of an endpoint, which is at that path. False after an error. */
bool gxds_more_addresses_read(gxds_more_addresses *m,
                              const struct envoy_config_endpoint_v3_Endpoint *in,
                              const gxds_path *at, upb_Arena *scratch, gxds_errors *errors);
/* Call this when an endpoint has been read. Endpoints are numbered without gaps, below capacity. */
void gxds_more_addresses_end(gxds_more_addresses *m, size_t endpoint, size_t capacity,
                             upb_Arena *scratch);
/* Sets more and more_ends for a locality that has the endpoints with those numbers. They stay NULL
 * if none has further addresses. */
void gxds_more_addresses_view(const gxds_more_addresses *m, size_t first, size_t end,
                              upb_Arena *scratch, gxds_locality_rare *out);

#endif
