/* An xds.service.orca.v3.OrcaLoadReportRequest, with which a client requests load reports from a
 * backend out of band (A51). A pure function: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_ORCA_ORCA_REQUEST_H_
#define GRPC_XDS_LB_POLICIES_ORCA_ORCA_REQUEST_H_

#include "base/str.h"
#include "base/time.h"
#include "upb/upb.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The method that the request goes to. Each message of the response is a report. */
#define GXDS_ORCA_METHOD "/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics"

/* Encodes a request for one report each interval, which is 0 or more; the backend may choose
 * another. Borrowed: valid as long as arena. */
gxds_str gxds_orca_request_encode(gxds_duration interval, upb_Arena *arena);

#ifdef __cplusplus
}
#endif

#endif
