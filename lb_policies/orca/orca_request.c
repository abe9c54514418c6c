#include "lb_policies/orca/orca_request.h"

#include "base/check.h"
#include "google/protobuf/duration.upb.h"
#include "xds/service/orca/v3/orca.upb.h"

gxds_str gxds_orca_request_encode(gxds_duration interval, upb_Arena *arena) {
  xds_service_orca_v3_OrcaLoadReportRequest *request =
      xds_service_orca_v3_OrcaLoadReportRequest_new(arena);
  GXDS_CHECK(request);
  google_protobuf_Duration *out =
      xds_service_orca_v3_OrcaLoadReportRequest_mutable_report_interval(request, arena);
  GXDS_CHECK(out);
  google_protobuf_Duration_set_seconds(out, interval / GXDS_SECOND);
  google_protobuf_Duration_set_nanos(out, (int32_t)(interval % GXDS_SECOND));
  size_t size = 0;
  char *bytes = xds_service_orca_v3_OrcaLoadReportRequest_serialize(request, arena, &size);
  GXDS_CHECK(bytes);
  return gxds_str_of(bytes, size);
}
