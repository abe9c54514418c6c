// Out-of-band load reports of backends (A51), which policies request of subchannels. The reports
// come on a stream of the subchannel's own connection. All policies that request reports on that
// connection share the stream, in this channel and in others.
//
// The host's OobBackendMetricWatcher is not used, because its BackendMetricData has only the
// utilizations of CPU and memory.
//
// gxds_orca_stream decides when there is a stream. After a failure SubchannelStreamClient starts
// the stream again: at once if a report came on it, otherwise with backoff.
#include <grpc/slice.h>
#include <grpc/status.h>
#include <grpc/support/log.h>

#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "host/grpc_common/core_subchannel.h"
#include "host/grpc_common/policy.h"
#include "lb_policies/orca/orca_request.h"
#include "lb_policies/orca/orca_stream.h"
#include "src/core/lib/slice/slice.h"
#include "upb/upb.hpp"

namespace grpc_xds {

using grpc_core::RefCountedPtr;
using grpc_core::Subchannel;
using grpc_core::SubchannelStreamClient;
using grpc_core::UniqueTypeName;
using grpc_core::WeakRefCountedPtr;
using grpc_core::channelz::SubchannelNode;

namespace {

// Casts a reference to the object's own type, because the host's functions return a reference to a
// base class.
template <typename To, template <typename> class Pointer, typename From>
Pointer<To> As(Pointer<From> reference) {
  return Pointer<To>(static_cast<To*>(reference.release()));
}

class ReportStream : public StreamHandler {
 public:
  ReportStream(gxds_orca_stream* reports, gxds_duration interval,
               RefCountedPtr<SubchannelNode> channelz_node)
      : reports_(gxds_orca_stream_ref(reports)),
        interval_(interval),
        channelz_node_(std::move(channelz_node)) {}
  ~ReportStream() override { gxds_orca_stream_unref(reports_); }

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

  // Never returns an error. An error would end the stream, which would start again at once, because
  // a message came.
  absl::Status RecvMessageReadyLocked(SubchannelStreamClient*, absl::string_view bytes) override {
    gxds_orca_stream_message(reports_, gxds_str_of(bytes.data(), bytes.size()));
    return absl::OkStatus();
  }

  void RecvTrailingMetadataReadyLocked(SubchannelStreamClient*, grpc_status_code status) override {
    const char* line = gxds_orca_stream_ended(reports_, status);
    if (line == nullptr) return;
    gpr_log(GPR_ERROR, "grpc_xds: %s: %s",
            channelz_node_ == nullptr ? "a backend" : channelz_node_->name().c_str(), line);
    if (channelz_node_ != nullptr) AddTraceError(channelz_node_.get(), line);
  }

 private:
  gxds_orca_stream* const reports_;
  const gxds_duration interval_;
  const RefCountedPtr<SubchannelNode> channelz_node_;  // null: channelz is off
};

// A subchannel has a producer as long as anybody may want its reports.
class OobProducer : public DataProducer {
 public:
  static RefCountedPtr<OobProducer> Of(Subchannel* subchannel) {
    RefCountedPtr<OobProducer> producer;
    bool created = false;
    subchannel->GetOrAddDataProducer(Type(), [&](Subchannel::DataProducerInterface** known) {
      if (*known != nullptr) producer = As<OobProducer>((*known)->RefIfNonZero());
      if (producer != nullptr) return;
      producer = grpc_core::MakeRefCounted<OobProducer>(Hold(subchannel));
      *known = producer.get();
      created = true;
    });
    if (created) producer->Start();  // not under the subchannel's lock, which Start() takes
    return producer;
  }

  explicit OobProducer(HeldSubchannel subchannel) : subchannel_(std::move(subchannel)) {}
  ~OobProducer() override { gxds_orca_stream_unref(reports_); }

  // interval is GXDS_TIME_NEVER if the listener wants no reports.
  void Set(gxds_load_listener* listener, gxds_duration interval) {
    std::lock_guard<std::mutex> lock(mu_);
    if (gxds_orca_stream_want(reports_, listener, interval)) Restart();
  }

  static UniqueTypeName Type() {
    static UniqueTypeName::Factory factory("grpc_xds_orca");
    return factory.Create();
  }
  UniqueTypeName type() const override { return Type(); }
  // Called when the last user has ended.
  void Orphaned() override {
    {
      std::lock_guard<std::mutex> lock(mu_);
      stream_.reset();
    }
    Unwatch(subchannel_, watcher_);
    subchannel_->RemoveDataProducer(this);
  }

 private:
  struct Watcher : ConnectionWatcher {
    explicit Watcher(WeakRefCountedPtr<OobProducer> p) : producer(std::move(p)) {}
    void OnChange() override { producer->OnState(this); }

    const WeakRefCountedPtr<OobProducer> producer;
  };

  void Start() {
    auto watcher = grpc_core::MakeRefCounted<Watcher>(As<OobProducer>(WeakRef()));
    watcher_ = watcher.get();
    Watch(subchannel_, std::move(watcher));
  }
  void OnState(Watcher* watcher) {
    std::lock_guard<std::mutex> lock(mu_);
    const grpc_connectivity_state state = watcher->Next();
    stream_.reset();
    gxds_orca_stream_connectivity(reports_, state);
    connected_ = state == GRPC_CHANNEL_READY;
    Restart();
  }
  void Restart() {  // under mu_
    stream_.reset();
    const gxds_duration interval = gxds_orca_stream_interval(reports_);
    if (!connected_ || interval == GXDS_TIME_NEVER) return;
    auto* node = subchannel_->channelz_node();
    stream_ = StartStream(
        subchannel_,
        std::make_unique<ReportStream>(
            reports_, interval, node == nullptr ? nullptr : As<SubchannelNode>(node->Ref())));
  }

  const HeldSubchannel subchannel_;
  gxds_orca_stream* const reports_ = gxds_orca_stream_create();
  Watcher* watcher_ = nullptr;  // owned by the subchannel
  std::mutex mu_;               // guards the next two
  bool connected_ = false;
  Stream stream_;
};

// The watcher that a subchannel gets for a listener; listener->subchannels points to it. It lives
// as long as the subchannel.
class OobWatcher : public DataWatcher {
 public:
  explicit OobWatcher(gxds_load_listener* listener) : listener_(gxds_load_listener_ref(listener)) {
    listener_->subchannels = this;
  }
  ~OobWatcher() override {
    Want(GXDS_TIME_NEVER);
    gxds_load_listener_unref(listener_);
  }

  UniqueTypeName type() const override { return OobProducer::Type(); }
  // Called once, when the subchannel takes this watcher.
  void SetSubchannel(Subchannel* subchannel) override { producer_ = OobProducer::Of(subchannel); }
  void Want(gxds_duration interval) {
    if (producer_ != nullptr) producer_->Set(listener_, interval);
  }

 private:
  gxds_load_listener* const listener_;
  RefCountedPtr<OobProducer> producer_;  // null: the subchannel is not one of the host
};

}  // namespace

void ReportLoad(grpc_core::SubchannelInterface* subchannel, gxds_load_listener* listener,
                gxds_duration interval) {
  if (listener->subchannels == nullptr) {
    if (interval == GXDS_TIME_NEVER) return;
    subchannel->AddDataWatcher(std::make_unique<OobWatcher>(listener));
  }
  static_cast<OobWatcher*>(listener->subchannels)->Want(interval);
}

}  // namespace grpc_xds
