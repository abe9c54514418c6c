// The parts of host/grpc_common/channel.cc that differ between versions of gRPC.
#include <string.h>

#include "host/grpc_common/policy.h"
#include "src/core/lib/debug/trace.h"
#include "transport/clock.h"

namespace grpc_xds {

// Does not use gpr_now(), because that clock is ahead of this one.
gxds_time Now(const gxds_lb_channel* /*channel*/) { return gxds_clock_now(); }

// This host's serializer never runs work in the call that schedules it.
void Post(gxds_lb_channel* channel, void (*work)(void* arg), void* arg) {
  SerializerOf(channel)->Run([serializer = SerializerOf(channel), work, arg] { work(arg); },
                             DEBUG_LOCATION);
}

bool TracesPolicies(const char* word) {
  static const struct {
    const char* word;
    grpc_core::TraceFlag* flag;
  } kFlags[] = {
      {"cds_lb", &grpc_core::cds_lb_trace},
      {"outlier_detection_lb", &grpc_core::outlier_detection_lb_trace},
      {"pick_first", &grpc_core::pick_first_trace},
      {"priority_lb", &grpc_core::priority_lb_trace},
      {"ring_hash_lb", &grpc_core::ring_hash_lb_trace},
      {"round_robin", &grpc_core::round_robin_trace},
      {"xds_cluster_impl_lb", &grpc_core::xds_cluster_impl_lb_trace},
      {"xds_cluster_manager_lb", &grpc_core::xds_cluster_manager_lb_trace},
      {"xds_override_host_lb", &grpc_core::xds_override_host_lb_trace},
      {"xds_wrr_locality_lb", &grpc_core::xds_wrr_locality_lb_trace},
  };
  for (const auto& known : kFlags) {
    if (strcmp(known.word, word) == 0) return known.flag->enabled();
  }
  return false;
}

}  // namespace grpc_xds
