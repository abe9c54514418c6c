#include "host/grpc_common/load_stream.h"

#include <grpc/slice.h>
#include <grpc/status.h>
#include <grpc/support/log.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lb_policies/orca/orca_request.h"
#include "src/core/lib/slice/slice.h"
#include "upb/upb.hpp"

namespace grpc_xds {

using grpc_core::RefCountedPtr;
using grpc_core::SubchannelStreamClient;
using grpc_core::channelz::SubchannelNode;

namespace {

class StreamHandler : public SubchannelStreamClient::CallEventHandler {
 public:
  StreamHandler(gxds_orca_stream* stream, gxds_duration interval,
                RefCountedPtr<SubchannelNode> channelz_node)
      : stream_(gxds_orca_stream_ref(stream)),
        interval_(interval),
        channelz_node_(std::move(channelz_node)) {}
  ~StreamHandler() override { gxds_orca_stream_unref(stream_); }

  grpc_core::Slice GetPathLocked() override {
    return grpc_core::Slice::FromStaticString(GXDS_ORCA_METHOD);
  }
  void OnCallStartLocked(SubchannelStreamClient*) override {}
  void OnRetryTimerStartLocked(SubchannelStreamClient*) override {}

  grpc_slice EncodeSendMessageLocked() override {
    upb::Arena arena;
    const gxds_str request = gxds_orca_request_encode(interval_, arena.ptr());
    return grpc_slice_from_copied_buffer(request.data, request.size);
  }

  // Never fails: an error would end the stream, which would start again at once, because a message
  // came.
  absl::Status RecvMessageReadyLocked(SubchannelStreamClient*, absl::string_view bytes) override {
    gxds_orca_stream_message(stream_, gxds_str_of(bytes.data(), bytes.size()));
    return absl::OkStatus();
  }

  void RecvTrailingMetadataReadyLocked(SubchannelStreamClient*, grpc_status_code status) override {
    const char* line = gxds_orca_stream_ended(stream_, status);
    if (line == nullptr) return;
    gpr_log(GPR_ERROR, "grpc_xds: %s: %s",
            channelz_node_ == nullptr ? "a backend" : channelz_node_->name().c_str(), line);
    if (channelz_node_ != nullptr) AddLoadTrace(channelz_node_.get(), line);
  }

 private:
  gxds_orca_stream* const stream_;
  const gxds_duration interval_;
  const RefCountedPtr<SubchannelNode> channelz_node_;  // null: channelz is off
};

}  // namespace

std::unique_ptr<SubchannelStreamClient::CallEventHandler> MakeLoadStream(
    gxds_orca_stream* stream, gxds_duration interval, RefCountedPtr<SubchannelNode> node) {
  return std::make_unique<StreamHandler>(stream, interval, std::move(node));
}

}  // namespace grpc_xds
