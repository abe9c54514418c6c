// The HTTP filter GXDS_CALL_FILTER_RESPONSE, which gives the C code the headers of a response
// (A55). Any thread.
#ifndef GRPC_XDS_HOST_GRPC_1_83_RESPONSE_FILTER_H_
#define GRPC_XDS_HOST_GRPC_1_83_RESPONSE_FILTER_H_

#include <grpc/support/port_platform.h>

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "host/pick.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/channel/channel_fwd.h"
#include "src/core/lib/channel/promise_based_filter.h"
#include "src/core/lib/transport/transport.h"

namespace grpc_xds {

class ResponseFilter : public grpc_core::ImplementChannelFilter<ResponseFilter> {
 public:
  static const grpc_channel_filter kFilterVtable;
  static absl::string_view TypeName() { return "grpc_xds_response"; }
  static absl::StatusOr<std::unique_ptr<ResponseFilter>> Create(
      const grpc_core::ChannelArgs& args, grpc_core::ChannelFilter::Args filter_args);

  class Call {
   public:
    void OnClientInitialMetadata(grpc_core::ClientMetadata& headers);
    void OnServerInitialMetadata(grpc_core::ServerMetadata& headers);
    // For a response that consists only of trailers.
    void OnServerTrailingMetadata(grpc_core::ServerMetadata& trailers);
    static inline const grpc_core::NoInterceptor OnClientToServerMessage;
    static inline const grpc_core::NoInterceptor OnClientToServerHalfClose;
    static inline const grpc_core::NoInterceptor OnServerToClientMessage;
    static inline const grpc_core::NoInterceptor OnFinalize;
    grpc_core::channelz::PropertyList ChannelzProperties() { return {}; }

   private:
    gxds_session* session_ = nullptr;  // null: the RPC has none
  };
};

}  // namespace grpc_xds

#endif
