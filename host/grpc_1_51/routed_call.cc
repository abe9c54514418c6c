#include "host/grpc_1_51/routed_call.h"

#include <typeinfo>

#include "src/core/ext/filters/client_channel/client_channel.h"

namespace grpc_xds {

using CallData = grpc_core::ClientChannelServiceConfigCallData;
using Controller = grpc_core::ConfigSelector::CallDispatchController;

namespace {

// The ConfigSelector's controller inside the channel's own controller; null if there is none.
Controller* Inside(Controller* of_channel);

// The host has no function to read this member. An explicit instantiation may name a private
// member.
template <typename OfChannel, Controller* OfChannel::*kInner>
struct InsideGetter {
  friend Controller* Inside(Controller* of_channel) {
    return static_cast<OfChannel*>(of_channel)->*kInner;
  }
};
template struct InsideGetter<CallData::CallDispatchControllerWrapper,
                             &CallData::CallDispatchControllerWrapper::call_dispatch_controller_>;

}  // namespace

void DispatchController::Commit() { hold_->commit(hold_); }

absl::string_view ClusterOf(const grpc_call_context_element* context) {
  auto* data = static_cast<CallData*>(context[GRPC_CONTEXT_SERVICE_CONFIG_CALL_DATA].value);
  if (data == nullptr) return absl::string_view();
  const Controller* controller = Inside(data->call_dispatch_controller());
  // Compares only the addresses of the type information, because a program's own ConfigSelector may
  // be compiled without type information.
  if (controller == nullptr || &typeid(*controller) != &typeid(DispatchController)) {
    return absl::string_view();
  }
  return static_cast<const DispatchController*>(controller)->cluster();
}

}  // namespace grpc_xds
