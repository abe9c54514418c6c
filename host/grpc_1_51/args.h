// The host's channel arguments, as policies in C see them. Any thread.
#ifndef GRPC_XDS_HOST_GRPC_1_51_ARGS_H_
#define GRPC_XDS_HOST_GRPC_1_51_ARGS_H_

#include <grpc/support/port_platform.h>

#include "host/args.h"
#include "src/core/lib/channel/channel_args.h"

namespace grpc_xds {

// One reference, the caller's.
const gxds_args* ToC(grpc_core::ChannelArgs args);
// Of args that ToC() made. Borrow: as long as args.
const grpc_core::ChannelArgs& ToHost(const gxds_args* args);

}  // namespace grpc_xds

#endif
