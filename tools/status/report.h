/* A ClientStatusResponse (A40) as a view: clients, and what each holds: listeners, and below what
 * names it each route configuration, cluster and its endpoints. Any program's will do: fields are
 * read by their numbers, so newer ones than the host knows are read too. Pure. */
#ifndef GRPC_XDS_TOOLS_STATUS_REPORT_H_
#define GRPC_XDS_TOOLS_STATUS_REPORT_H_

#include "tools/resolve/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_report {
  size_t clients;
  size_t resources;
  size_t acked; /* of the resources */
} gxds_report;

/* Adds the clients in response, a serialized envoy.service.status.v3.ClientStatusResponse, below
 * root. False: it is none, and nothing was added. */
bool gxds_report_add(gxds_view *root, gxds_str response, gxds_report *out);

#ifdef __cplusplus
}
#endif

#endif
