/* gxds_request_names: the names in the last state-of-the-world request for one type. Lives in the
 * caller's struct; zero-initialised, it is empty. Confined. */
#ifndef GRPC_XDS_FILES_REQUEST_NAMES_H_
#define GRPC_XDS_FILES_REQUEST_NAMES_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

struct envoy_service_discovery_v3_DiscoveryRequest;

typedef struct gxds_request_names {
  gxds_str *items; /* owned, in the order of the request */
  size_t count;
} gxds_request_names;

/* Copies the names of a new request. Returns whether they differ from those of the request
 * before. */
bool gxds_request_names_take(gxds_request_names *n,
                             const struct envoy_service_discovery_v3_DiscoveryRequest *request);
/* Empties n. */
void gxds_request_names_fini(gxds_request_names *n);

#ifdef __cplusplus
}
#endif

#endif
