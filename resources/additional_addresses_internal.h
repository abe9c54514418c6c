/* The addresses of endpoints beside their first ones (A61): Endpoint.additional_addresses. Part of
 * endpoints_check.c; all memory is of the scratch arena, and none for who has no such endpoint. */
#ifndef GRPC_XDS_RESOURCES_ADDITIONAL_ADDRESSES_INTERNAL_H_
#define GRPC_XDS_RESOURCES_ADDITIONAL_ADDRESSES_INTERNAL_H_

#include "resources/common_internal.h"
#include "resources/endpoints.h"

struct envoy_config_core_v3_Address;
struct envoy_config_endpoint_v3_Endpoint;

/* Of all endpoints of a message, in one piece. Zero-initialised is empty. */
typedef struct gxds_more_addresses {
  gxds_address *list; /* NULL: there are none */
  size_t count;
  size_t capacity;
  size_t *ends; /* by the number of the endpoint: the place after its last; NULL: none has any */
  bool too_many;
} gxds_more_addresses;

/* Of an address that an endpoint has, at its path; false after an error. (In endpoints_check.c.) */
bool gxds_endpoint_address_check(const struct envoy_config_core_v3_Address *address,
                                 const gxds_path *at_address, gxds_errors *errors,
                                 gxds_address *out);

/* Whether an endpoint may have some: cheap, for all those that have none. */
bool gxds_more_addresses_has(const struct envoy_config_endpoint_v3_Endpoint *in);
/* Adds those of an endpoint, which is at that path. False after an error. */
bool gxds_more_addresses_read(gxds_more_addresses *m,
                              const struct envoy_config_endpoint_v3_Endpoint *in,
                              const gxds_path *at, upb_Arena *scratch, gxds_errors *errors);
/* The endpoint of that number has been read; those are numbered without gaps, below capacity. */
void gxds_more_addresses_end(gxds_more_addresses *m, size_t endpoint, size_t capacity,
                             upb_Arena *scratch);
/* Sets the fields of a locality whose endpoints have those numbers; NULL when none has any. */
void gxds_more_addresses_view(const gxds_more_addresses *m, size_t first, size_t end,
                              upb_Arena *scratch, gxds_locality *out);
/* Adds those of a locality that is known. */
void gxds_more_addresses_add_known(gxds_more_addresses *m, const gxds_locality *l,
                                   upb_Arena *scratch);

#endif
