// The HTTP filter GXDS_CALL_FILTER_RESPONSE, which gives the C code the headers of a response
// (A55). Any thread.
#ifndef GRPC_XDS_HOST_GRPC_1_51_RESPONSE_FILTER_H_
#define GRPC_XDS_HOST_GRPC_1_51_RESPONSE_FILTER_H_

#include <grpc/support/port_platform.h>

#include "src/core/lib/channel/channel_fwd.h"

namespace grpc_xds {

// The filter. It belongs to the channel's dynamic filters, above the channel's retries.
extern const grpc_channel_filter kResponseFilter;

}  // namespace grpc_xds

#endif
