/* Shows a ClientStatusResponse (A40) as a view: each client with its listeners, and each route
 * configuration, cluster and endpoints below the resource that names it. The response may be of any
 * program: fields are read by their numbers, so fields that are newer than the host are read too.
 * Pure. */
#ifndef GRPC_XDS_TOOLS_STATUS_REPORT_H_
#define GRPC_XDS_TOOLS_STATUS_REPORT_H_

#include "tools/resolve/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_report {
  size_t clients;
  size_t resources;
  size_t acked; /* how many resources are ACKED */
} gxds_report;

/* Adds the clients in response, a serialized envoy.service.status.v3.ClientStatusResponse, below
 * root. False if response is not such a message; then nothing was added. */
bool gxds_report_add(gxds_view *root, gxds_str response, gxds_report *out);

#ifdef __cplusplus
}
#endif

#endif
