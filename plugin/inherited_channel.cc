#include "plugin/inherited_channel.h"

#include <grpc/grpc.h>
#include <grpc/support/port_platform.h>
#include <sched.h>

#include <atomic>
#include <new>

#include "plugin/child_of_fork.h"
#include "src/core/lib/channel/channel_stack.h"
#include "src/core/lib/channel/channel_stack_builder.h"
#include "src/core/lib/gprpp/fork.h"
#include "src/core/lib/iomgr/error.h"
#include "src/core/lib/surface/channel_stack_type.h"
#include "src/core/lib/transport/transport.h"

namespace grpc_xds {
namespace {

// The generations of the process in which it was put to sleep, or made; and in which that was
// begun.
struct Data {
  grpc_channel_stack* stack;
  std::atomic<unsigned> ready_in;
  std::atomic<unsigned> begun_in;
};

void Sleep(grpc_channel_stack* stack) {
  grpc_transport_op* op = grpc_make_transport_op(nullptr);
  op->disconnect_with_error =
      grpc_error_set_int(GRPC_ERROR_CREATE("child of a fork"),
                         grpc_core::StatusIntProperty::ChannelConnectivityState, GRPC_CHANNEL_IDLE);
  grpc_channel_element* top = grpc_channel_stack_element(stack, 0);
  top->filter->start_transport_op(top, op);
}

// One RPC does it, others wait for that one. No lock: a thread that had it may not exist in a
// child.
grpc_error_handle InitCall(grpc_call_element* elem, const grpc_call_element_args* /*args*/) {
  auto* data = static_cast<Data*>(elem->channel_data);
  const unsigned now = ForkGeneration();
  if (data->ready_in.load(std::memory_order_acquire) == now) return absl::OkStatus();
  RenewForChild();
  if (data->begun_in.exchange(now) != now) {
    Sleep(data->stack);
    data->ready_in.store(now, std::memory_order_release);
  }
  while (data->ready_in.load(std::memory_order_acquire) != now) sched_yield();
  return absl::OkStatus();
}

grpc_error_handle InitChannel(grpc_channel_element* elem, grpc_channel_element_args* args) {
  const unsigned now = ForkGeneration();
  new (elem->channel_data) Data{args->channel_stack, {now}, {now}};
  return absl::OkStatus();
}

void DestroyCall(grpc_call_element* /*elem*/, const grpc_call_final_info* /*info*/,
                 grpc_closure* /*then*/) {}

void DestroyChannel(grpc_channel_element* elem) { static_cast<Data*>(elem->channel_data)->~Data(); }

const grpc_channel_filter kFilter = {
    grpc_call_next_op,
    nullptr,  // promises: no client channel of this host is made of them
    grpc_channel_next_op,
    0,
    InitCall,
    grpc_call_stack_ignore_set_pollset_or_pollset_set,
    DestroyCall,
    sizeof(Data),
    InitChannel,
    [](grpc_channel_stack* /*stack*/, grpc_channel_element* /*elem*/) {},
    DestroyChannel,
    grpc_channel_next_get_info,
    "grpc_xds_inherited_channel",
};

}  // namespace

void RegisterInheritedChannel(grpc_core::CoreConfiguration::Builder* builder) {
  builder->channel_init()->RegisterStage(GRPC_CLIENT_CHANNEL, GRPC_CHANNEL_INIT_BUILTIN_PRIORITY,
                                         [](grpc_core::ChannelStackBuilder* stack) {
                                           if (grpc_core::Fork::Enabled())
                                             stack->PrependFilter(&kFilter);
                                           return true;
                                         });
}

}  // namespace grpc_xds
