// The parts of C-core that the C++ of this folder uses, and that have different paths and names
// in 1.51 and 1.83.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_CORE_H_
#define GRPC_XDS_HOST_GRPC_COMMON_CORE_H_

#include <grpc/support/port_platform.h>

#include <memory>

#include "host/grpc_common/core_version.h"
#include "src/core/lib/address_utils/sockaddr_utils.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/iomgr/exec_ctx.h"

#ifndef GXDS_GRPC_1_83
#include "src/core/ext/filters/client_channel/lb_policy/xds/xds_channel_args.h"
#include "src/core/ext/filters/client_channel/resolver/fake/fake_resolver.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/gpr/time_precise.h"
#include "src/core/lib/gpr/useful.h"
#include "src/core/lib/gprpp/ref_counted.h"
#include "src/core/lib/gprpp/time.h"
#include "src/core/lib/gprpp/work_serializer.h"
#include "src/core/lib/handshaker/proxy_mapper.h"
#include "src/core/lib/resolver/resolver.h"
#include "src/core/lib/resolver/resolver_registry.h"
#include "src/core/lib/transport/http_connect_handshaker.h"
#include "src/core/lib/uri/uri_parser.h"

// Arguments with this prefix are not part of a subchannel's identity. 1.51 has no such prefix.
#define GXDS_NO_SUBCHANNEL_PREFIX ""

namespace grpc_xds {

using CallbackExecCtx = grpc_core::ApplicationCallbackExecCtx;

inline std::shared_ptr<grpc_core::WorkSerializer> MakeSerializer() {
  return std::make_shared<grpc_core::WorkSerializer>();
}

}  // namespace grpc_xds
#else
#include "src/core/config/core_configuration.h"
#include "src/core/handshaker/http_connect/http_connect_client_handshaker.h"
#include "src/core/handshaker/proxy_mapper.h"
#include "src/core/lib/event_engine/default_event_engine.h"
#include "src/core/load_balancing/xds/xds_channel_args.h"
#include "src/core/resolver/fake/fake_resolver.h"
#include "src/core/resolver/resolver.h"
#include "src/core/resolver/resolver_registry.h"
#include "src/core/util/ref_counted.h"
#include "src/core/util/time.h"
#include "src/core/util/time_precise.h"
#include "src/core/util/uri.h"
#include "src/core/util/useful.h"
#include "src/core/util/work_serializer.h"

#define GXDS_NO_SUBCHANNEL_PREFIX GRPC_ARG_NO_SUBCHANNEL_PREFIX

namespace grpc_xds {

// In 1.83 no callbacks wait for the end of a scope.
struct CallbackExecCtx {
  CallbackExecCtx() {}  // NOLINT(modernize-use-equals-default): so that it counts as used
};

inline std::shared_ptr<grpc_core::WorkSerializer> MakeSerializer() {
  return std::make_shared<grpc_core::WorkSerializer>(
      grpc_event_engine::experimental::GetDefaultEventEngine());
}

}  // namespace grpc_xds
#endif

#endif
