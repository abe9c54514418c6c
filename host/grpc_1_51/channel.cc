// The parts of host/grpc_common/channel.cc that differ between versions of gRPC.
#include <grpc/support/time.h>
#include <string.h>

#include <memory>
#include <utility>

#include "host/grpc_common/hand_over.h"
#include "host/grpc_common/policy.h"
#include "src/core/lib/debug/trace.h"
#include "src/core/lib/event_engine/default_event_engine.h"
#include "src/core/lib/iomgr/closure.h"
#include "src/core/lib/iomgr/exec_ctx.h"

namespace grpc_core {
// The host's own flags, so that GRPC_TRACE still works.
extern TraceFlag grpc_cds_lb_trace;
extern TraceFlag grpc_lb_pick_first_trace;
extern TraceFlag grpc_lb_priority_trace;
extern TraceFlag grpc_lb_ring_hash_trace;
extern TraceFlag grpc_lb_round_robin_trace;
extern TraceFlag grpc_outlier_detection_lb_trace;
extern TraceFlag grpc_xds_cluster_impl_lb_trace;
extern TraceFlag grpc_xds_cluster_manager_lb_trace;
extern TraceFlag grpc_xds_wrr_locality_lb_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_event_engine::experimental::EventEngine;

namespace {

// A thread of the program has no ExecCtx. If one were made here, it would run the work before
// Post() returns, under the caller's locks. So a thread of the event engine runs the work. All
// channels have the same event engine.
void PostFromOutside(gxds_lb_channel* channel, void (*work)(void* arg), void* arg) {
  std::shared_ptr<EventEngine> engine = grpc_event_engine::experimental::GetDefaultEventEngine();
  HandOver(engine.get(), [engine, serializer = SerializerOf(channel), work, arg] {
    serializer->Run([serializer, work, arg] { work(arg); }, DEBUG_LOCATION);
  });
}

}  // namespace

gxds_time Now(const gxds_lb_channel* /*channel*/) {
  const gpr_timespec now = gpr_now(GPR_CLOCK_MONOTONIC);
  return now.tv_sec * GXDS_SECOND + now.tv_nsec;
}

// The work must not run in this call, because the caller may hold the channel's locks.
void Post(gxds_lb_channel* channel, void (*work)(void* arg), void* arg) {
  if (grpc_core::ExecCtx::Get() == nullptr) return PostFromOutside(channel, work, arg);
  auto run = [serializer = SerializerOf(channel), work, arg](const absl::Status&) {
    serializer->Run([serializer, work, arg] { work(arg); }, DEBUG_LOCATION);
  };
  grpc_core::ExecCtx::Run(DEBUG_LOCATION, grpc_core::NewClosure(std::move(run)), absl::OkStatus());
}

bool TracesPolicies(const char* word) {
  static const struct {
    const char* word;
    grpc_core::TraceFlag* flag;
  } kFlags[] = {
      {"cds_lb", &grpc_core::grpc_cds_lb_trace},
      {"outlier_detection_lb", &grpc_core::grpc_outlier_detection_lb_trace},
      {"pick_first", &grpc_core::grpc_lb_pick_first_trace},
      {"priority_lb", &grpc_core::grpc_lb_priority_trace},
      {"ring_hash_lb", &grpc_core::grpc_lb_ring_hash_trace},
      {"round_robin", &grpc_core::grpc_lb_round_robin_trace},
      {"xds_cluster_impl_lb", &grpc_core::grpc_xds_cluster_impl_lb_trace},
      {"xds_cluster_manager_lb", &grpc_core::grpc_xds_cluster_manager_lb_trace},
      // This gRPC has no such policy, and no flag for it. So the flag of its parent is used.
      {"xds_override_host_lb", &grpc_core::grpc_xds_cluster_impl_lb_trace},
      {"xds_wrr_locality_lb", &grpc_core::grpc_xds_wrr_locality_lb_trace},
  };
  for (const auto& known : kFlags) {
    if (strcmp(known.word, word) == 0) return known.flag->enabled();
  }
  return false;
}

}  // namespace grpc_xds
