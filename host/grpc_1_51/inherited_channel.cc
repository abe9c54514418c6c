#include "host/grpc_1_51/child_of_fork.h"

#include <grpc/grpc.h>
#include <grpc/support/port_platform.h>
#include <sched.h>

#include <atomic>
#include <new>
#include <utility>

#include "src/core/lib/channel/channel_stack.h"
#include "src/core/lib/channel/channel_stack_builder.h"
#include "src/core/lib/gprpp/fork.h"
#include "src/core/lib/iomgr/closure.h"
#include "src/core/lib/iomgr/error.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/surface/channel_stack_type.h"
#include "src/core/lib/transport/transport.h"

namespace grpc_xds {
namespace {

struct Data {
  grpc_channel_stack* stack;
  std::atomic<long> waiting;  // calls that have sent nothing yet
  // The generation of the process in which the channel was last made or put to sleep, and the
  // generation in which this began.
  std::atomic<unsigned> ready_in;
  std::atomic<unsigned> begun_in;
  grpc_closure asleep;
};

struct Call {
  explicit Call(Data* d) : data(d) { data->waiting.fetch_add(1, std::memory_order_relaxed); }
  ~Call() { WaitsNoMore(); }
  void WaitsNoMore() {
    if (waits.exchange(false)) data->waiting.fetch_sub(1, std::memory_order_relaxed);
  }

  Data* const data;
  std::atomic<bool> waits{true};
  grpc_closure on_sent;
  grpc_closure* then;
};

// NOLINTNEXTLINE(performance-unnecessary-value-param): the host's signature
void OnAsleep(void* arg, grpc_error_handle /*error*/) {
  static_cast<Data*>(arg)->ready_in.store(ForkGeneration(), std::memory_order_release);
}

void Sleep(Data* data) {
  GRPC_CLOSURE_INIT(&data->asleep, OnAsleep, data, nullptr);
  grpc_transport_op* op = grpc_make_transport_op(&data->asleep);
  op->disconnect_with_error =
      grpc_error_set_int(GRPC_ERROR_CREATE("child of a fork"),
                         grpc_core::StatusIntProperty::ChannelConnectivityState, GRPC_CHANNEL_IDLE);
  grpc_channel_element* top = grpc_channel_stack_element(data->stack, 0);
  top->filter->start_transport_op(top, op);
  grpc_core::ExecCtx::Get()->Flush();
}

// The first RPC puts the channel to sleep, and all others wait until that is done. There is no
// lock, because a thread that held it may not exist in a child. All other RPCs wait, because
// another thread of the child may be the one that puts the channel to sleep, and the host cannot
// handle an RPC that waits for a connection while its channel goes to sleep. So the channel stays
// awake if an RPC of the parent was waiting at the fork for the first time (a retry is not visible
// here). An RPC of the parent that had a connection keeps it, although it is cut off.
grpc_error_handle InitCall(grpc_call_element* elem, const grpc_call_element_args* /*args*/) {
  auto* data = static_cast<Data*>(elem->channel_data);
  const unsigned now = ForkGeneration();
  if (data->ready_in.load(std::memory_order_acquire) != now) {
    RenewForChild();
    if (data->begun_in.exchange(now) != now) {
      if (data->waiting.load() == 0) {
        Sleep(data);
      } else {
        OnAsleep(data, absl::OkStatus());
      }
    }
    while (data->ready_in.load(std::memory_order_acquire) != now) sched_yield();
  }
  new (elem->call_data) Call(data);
  return absl::OkStatus();
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the host's signature
void OnSent(void* arg, grpc_error_handle error) {
  auto* call = static_cast<Call*>(arg);
  call->WaitsNoMore();
  grpc_core::Closure::Run(DEBUG_LOCATION, call->then, std::move(error));
}

void StartBatch(grpc_call_element* elem, grpc_transport_stream_op_batch* batch) {
  if (batch->send_initial_metadata) {
    auto* call = static_cast<Call*>(elem->call_data);
    call->then = batch->on_complete;
    batch->on_complete = GRPC_CLOSURE_INIT(&call->on_sent, OnSent, call, nullptr);
  }
  grpc_call_next_op(elem, batch);
}

grpc_error_handle InitChannel(grpc_channel_element* elem, grpc_channel_element_args* args) {
  const unsigned now = ForkGeneration();
  auto* data = new (elem->channel_data) Data{};
  data->stack = args->channel_stack;
  data->ready_in.store(now);
  data->begun_in.store(now);
  return absl::OkStatus();
}

void DestroyCall(grpc_call_element* elem, const grpc_call_final_info* /*info*/,
                 grpc_closure* /*then*/) {
  static_cast<Call*>(elem->call_data)->~Call();
}

void DestroyChannel(grpc_channel_element* elem) { static_cast<Data*>(elem->channel_data)->~Data(); }

const grpc_channel_filter kFilter = {
    StartBatch,
    nullptr,  // promises: client channels of this host don't use them
    grpc_channel_next_op,
    sizeof(Call),
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
