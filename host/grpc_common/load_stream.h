// One stream of out-of-band load reports from a backend (A51). With it, each version's
// load_reports.cc connects gxds_orca_stream to the host.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_LOAD_STREAM_H_
#define GRPC_XDS_HOST_GRPC_COMMON_LOAD_STREAM_H_

#include <grpc/support/port_platform.h>

#include <memory>

#include "base/time.h"
#include "host/grpc_common/core_version.h"
#include "lb_policies/orca/orca_stream.h"

#ifdef GXDS_GRPC_1_83
#include "src/core/channelz/channelz.h"
#include "src/core/client_channel/subchannel_stream_client.h"
#include "src/core/util/ref_counted_ptr.h"
#else
#include "src/core/ext/filters/client_channel/client_channel_channelz.h"
#include "src/core/ext/filters/client_channel/subchannel_stream_client.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#endif

namespace grpc_xds {

// Makes the handler that the host's client of a stream calls. It takes its own reference on stream.
// node is the subchannel's; null: channelz is off.
std::unique_ptr<grpc_core::SubchannelStreamClient::CallEventHandler> MakeLoadStream(
    gxds_orca_stream* stream, gxds_duration interval,
    grpc_core::RefCountedPtr<grpc_core::channelz::SubchannelNode> node);

// Adds an error to the subchannel's trace. line is static. Each version of gRPC has its own.
void AddLoadTrace(grpc_core::channelz::SubchannelNode* node, const char* line);

}  // namespace grpc_xds

#endif
