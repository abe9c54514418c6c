#include "host/grpc_1_51/response_filter.h"

#include <new>
#include <utility>

#include "host/grpc_1_51/routed_call.h"
#include "host/grpc_common/convert.h"
#include "src/core/lib/channel/channel_stack.h"
#include "src/core/lib/channel/context.h"
#include "src/core/lib/transport/metadata_batch.h"

namespace grpc_xds {
namespace {

gxds_session* SessionOf(const grpc_call_context_element* context) {
  const absl::string_view cluster = ClusterOf(context);
  return cluster.empty() ? nullptr : RoutedCallOf(cluster).session;
}

// The filter's state for one RPC. The RPC's batches come one at a time.
class ResponseCall {
 public:
  explicit ResponseCall(gxds_session* session) : session_(session) {
    GRPC_CLOSURE_INIT(&ready_, Ready, this, grpc_schedule_on_exec_ctx);
  }

  void Intercept(grpc_transport_stream_op_batch* batch) {
    if (session_ == nullptr || !batch->recv_initial_metadata) return;
    auto& receive = batch->payload->recv_initial_metadata;
    headers_ = receive.recv_initial_metadata;
    next_ = receive.recv_initial_metadata_ready;
    receive.recv_initial_metadata_ready = &ready_;
  }

 private:
  static void Ready(void* arg, grpc_error_handle error) {
    auto* self = static_cast<ResponseCall*>(arg);
    if (error.ok()) Respond(self->session_, self->headers_);
    grpc_core::Closure::Run(DEBUG_LOCATION, self->next_, std::move(error));
  }

  gxds_session* const session_;
  grpc_closure ready_;
  grpc_metadata_batch* headers_ = nullptr;
  grpc_closure* next_ = nullptr;
};

void StartBatch(grpc_call_element* elem, grpc_transport_stream_op_batch* batch) {
  static_cast<ResponseCall*>(elem->call_data)->Intercept(batch);
  grpc_call_next_op(elem, batch);
}

grpc_error_handle InitCall(grpc_call_element* elem, const grpc_call_element_args* args) {
  new (elem->call_data) ResponseCall(SessionOf(args->context));
  return absl::OkStatus();
}

void DestroyCall(grpc_call_element* elem, const grpc_call_final_info*, grpc_closure*) {
  static_cast<ResponseCall*>(elem->call_data)->~ResponseCall();
}

grpc_error_handle InitChannel(grpc_channel_element*, grpc_channel_element_args*) {
  return absl::OkStatus();
}

void DestroyChannel(grpc_channel_element*) {}

}  // namespace

const grpc_channel_filter kResponseFilter = {
    StartBatch,
    nullptr,
    grpc_channel_next_op,
    sizeof(ResponseCall),
    InitCall,
    grpc_call_stack_ignore_set_pollset_or_pollset_set,
    DestroyCall,
    0,
    InitChannel,
    grpc_channel_stack_no_post_init,
    DestroyChannel,
    grpc_channel_next_get_info,
    "grpc_xds_response",
};

}  // namespace grpc_xds
