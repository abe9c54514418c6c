// The bootstrap that the host keeps for when there is none in the environment: the google-c2p
// resolver stores one, then starts the "xds" resolver, which is now ours.
#ifndef GRPC_XDS_HOST_GRPC_1_51_FALLBACK_BOOTSTRAP_H_
#define GRPC_XDS_HOST_GRPC_1_51_FALLBACK_BOOTSTRAP_H_

#include "base/str.h"

namespace grpc_xds {

// JSON text; the caller frees *out with gxds_str_free(). False: the host has none. Any thread but
// the reactor's.
bool FallbackBootstrap(gxds_str* out);

}  // namespace grpc_xds

#endif
