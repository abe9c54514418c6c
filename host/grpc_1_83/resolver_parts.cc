// The parts of host/grpc_common/resolver.cc that differ between versions of gRPC.
#include <string>
#include <utility>

#include "host/grpc_common/convert.h"
#include "host/grpc_common/resolver.h"
#include "src/core/channelz/channel_trace.h"
#include "src/core/lib/debug/trace.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::channelz::ChannelNode;

ChannelArgs ArgsOfResolver(ChannelArgs args) { return args; }

void BeforeStart() {}

void BeforeShutdown() {}

void AddEvent(ChannelNode* node, gxds_resolver_severity /* this host's traces have no severity */,
              gxds_str line) {
  GRPC_CHANNELZ_LOG(node) << std::string(ToAbsl(line));
}

bool TracesResolver() { return GRPC_TRACE_FLAG_ENABLED(xds_resolver); }

}  // namespace grpc_xds
