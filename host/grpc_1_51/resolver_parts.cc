// The parts of host/grpc_common/resolver.cc that differ between versions of gRPC.
#include <grpc/slice.h>

#include <utility>

#include "host/grpc_1_51/child_of_fork.h"
#include "host/grpc_common/convert.h"
#include "host/grpc_common/resolver.h"
#include "src/core/lib/channel/channel_trace.h"
#include "src/core/lib/debug/trace.h"

namespace grpc_core {
// The host's own flag, so that GRPC_TRACE=xds_resolver still works.
extern TraceFlag grpc_xds_resolver_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::channelz::ChannelNode;
using grpc_core::channelz::ChannelTrace;

ChannelArgs ArgsOfResolver(ChannelArgs args) { return WithForkGeneration(std::move(args)); }

// An inherited channel without connections, because its parent did not use it, becomes the child's.
void BeforeStart() {
  RenewForChild();
  RenewHostForChild();
}

// The connections of an inherited channel are the parent's.
void BeforeShutdown() { RenewHostForChild(); }

void AddEvent(ChannelNode* node, gxds_resolver_severity severity, gxds_str line) {
  static constexpr ChannelTrace::Severity kSeverities[] = {
      ChannelTrace::Info, ChannelTrace::Warning, ChannelTrace::Error};
  node->AddTraceEvent(kSeverities[severity], grpc_slice_from_copied_buffer(line.data, line.size));
}

bool TracesResolver() { return GRPC_TRACE_FLAG_ENABLED(grpc_core::grpc_xds_resolver_trace); }

}  // namespace grpc_xds
