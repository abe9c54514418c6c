#include "host/grpc_1_51/channel.h"

#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <string.h>

#include <utility>

#include "base/random.h"
#include "src/core/lib/debug/trace.h"
#include "src/core/lib/gprpp/debug_location.h"
#include "src/core/lib/iomgr/closure.h"
#include "src/core/lib/iomgr/exec_ctx.h"

namespace grpc_core {
// The host's: GRPC_TRACE goes on working.
extern TraceFlag grpc_lb_ring_hash_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::WorkSerializer;

namespace {

struct Channel : gxds_lb_channel {
  std::shared_ptr<WorkSerializer> serializer;
};

void RunLater(gxds_lb_channel* channel, void (*work)(void* arg), void* arg) {
  // Kept by the work: the channel may be gone when it is done.
  SerializerOf(channel)->Run([serializer = SerializerOf(channel), work, arg] { work(arg); },
                             DEBUG_LOCATION);
}

// Not from here: who posts may hold the channel's locks.
void Post(gxds_lb_channel* channel, void (*work)(void* arg), void* arg) {
  auto run = [serializer = SerializerOf(channel), work, arg](const absl::Status&) {
    serializer->Run([serializer, work, arg] { work(arg); }, DEBUG_LOCATION);
  };
  grpc_core::ExecCtx::Run(DEBUG_LOCATION, grpc_core::NewClosure(std::move(run)), absl::OkStatus());
}

bool Traces(const char* word) {
  if (strcmp(word, "ring_hash_lb") == 0) {
    return GRPC_TRACE_FLAG_ENABLED(grpc_core::grpc_lb_ring_hash_trace);
  }
  return false;
}

gxds_time Now(const gxds_lb_channel* /*channel*/) {
  const gpr_timespec now = gpr_now(GPR_CLOCK_MONOTONIC);
  return now.tv_sec * GXDS_SECOND + now.tv_nsec;
}

void Log(gxds_lb_severity severity, gxds_str line) {
  gpr_log(__FILE__, __LINE__,
          severity == GXDS_LB_ERROR ? GPR_LOG_SEVERITY_ERROR : GPR_LOG_SEVERITY_INFO, "%.*s",
          GXDS_STR_ARG(line));
}

const gxds_lb_channel_ops kOps = {
    [](gxds_lb_channel* channel) { delete static_cast<Channel*>(channel); },
    Now,
    [](gxds_lb_channel* /*channel*/) { return gxds_random_seed(); },
    RunLater,
    Post,
    Log,
    Traces,
};

}  // namespace

gxds_lb_channel* ChannelOn(std::shared_ptr<WorkSerializer> serializer) {
  auto* out = new Channel;
  gxds_ref_init(&out->refs);
  out->ops = &kOps;
  out->serializer = std::move(serializer);
  return out;
}

const std::shared_ptr<WorkSerializer>& SerializerOf(const gxds_lb_channel* channel) {
  return static_cast<const Channel*>(channel)->serializer;
}

}  // namespace grpc_xds
