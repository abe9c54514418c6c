#include "files/request_names.h"

#include "base/memory.h"
#include "base/upb.h"
#include "envoy/service/discovery/v3/discovery.upb.h"

bool gxds_request_names_take(gxds_request_names *n,
                             const envoy_service_discovery_v3_DiscoveryRequest *request) {
  size_t count;
  const upb_StringView *names =
      envoy_service_discovery_v3_DiscoveryRequest_resource_names(request, &count);
  bool same = count == n->count;
  for (size_t i = 0; same && i < count; i++) {
    same = gxds_str_equal(n->items[i], gxds_pb_str(names[i]));
  }
  if (same) return false;
  gxds_request_names_fini(n);
  n->items = gxds_calloc(count, sizeof *n->items);
  n->count = count;
  for (size_t i = 0; i < count; i++) n->items[i] = gxds_str_dup(gxds_pb_str(names[i]));
  return true;
}

void gxds_request_names_fini(gxds_request_names *n) {
  gxds_strs_free(n->items, n->count);
  *n = (gxds_request_names){0};
}
