// Out-of-band load reports of backends (A51), which policies request of subchannels. The reports
// come on a stream of the subchannel's own connection. All users of reports on that connection
// share the stream, in this channel and in others.
//
// The host's OobBackendMetricWatcher is not used, because its BackendMetricData has only the
// utilizations of CPU and memory.
//
// gxds_orca_stream decides when there is a stream. After a failure SubchannelStreamClient starts it
// again: at once if a report came, else with backoff.
#include "host/grpc_common/policy.h"

#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "host/grpc_common/load_stream.h"
#include "lb_policies/orca/orca_stream.h"
#include "src/core/channelz/channel_trace.h"
#include "src/core/channelz/channelz.h"
#include "src/core/client_channel/subchannel.h"
#include "src/core/client_channel/subchannel_interface_internal.h"
#include "src/core/client_channel/subchannel_stream_client.h"
#include "src/core/util/orphanable.h"
#include "src/core/util/unique_type_name.h"

namespace grpc_xds {

using grpc_core::RefCountedPtr;
using grpc_core::SubchannelStreamClient;

namespace {

// A subchannel has a producer as long as its reports may be needed.
class OobProducer : public grpc_core::Subchannel::DataProducerInterface {
 public:
  static RefCountedPtr<OobProducer> Of(grpc_core::Subchannel* subchannel) {
    RefCountedPtr<OobProducer> producer;
    bool created = false;
    subchannel->GetOrAddDataProducer(
        Type(), [&](grpc_core::Subchannel::DataProducerInterface** known) {
          if (*known != nullptr) producer = (*known)->RefIfNonZero().TakeAsSubclass<OobProducer>();
          if (producer != nullptr) return;
          producer = grpc_core::MakeRefCounted<OobProducer>(subchannel->WeakRef());
          *known = producer.get();
          created = true;
        });
    if (created) producer->Start();  // not under the subchannel's lock, which Start() takes
    return producer;
  }

  explicit OobProducer(grpc_core::WeakRefCountedPtr<grpc_core::Subchannel> subchannel)
      : subchannel_(std::move(subchannel)) {}
  ~OobProducer() override { gxds_orca_stream_unref(reports_); }

  // interval is GXDS_TIME_NEVER if the listener wants no reports.
  void Set(gxds_load_listener* listener, gxds_duration interval) {
    std::lock_guard<std::mutex> lock(mu_);
    if (gxds_orca_stream_want(reports_, listener, interval)) Restart();
  }

  static grpc_core::UniqueTypeName Type() {
    static grpc_core::UniqueTypeName::Factory factory("grpc_xds_orca");
    return factory.Create();
  }
  grpc_core::UniqueTypeName type() const override { return Type(); }
  // Called when the last user is gone.
  void Orphaned() override {
    {
      std::lock_guard<std::mutex> lock(mu_);
      stream_.reset();
    }
    subchannel_->CancelConnectivityStateWatch(connectivity_watcher_);
    subchannel_->RemoveDataProducer(this);
  }

 private:
  struct ConnectivityWatcher : grpc_core::Subchannel::ConnectivityStateWatcherInterface {
    explicit ConnectivityWatcher(grpc_core::WeakRefCountedPtr<OobProducer> p)
        : producer(std::move(p)) {}
    void OnConnectivityStateChange(grpc_connectivity_state state, const absl::Status&) override {
      producer->OnState(state);
    }
    void OnKeepaliveUpdate(grpc_core::Duration) override {}
    uint32_t max_connections_per_subchannel() const override { return 1; }
    grpc_pollset_set* interested_parties() override { return nullptr; }

    const grpc_core::WeakRefCountedPtr<OobProducer> producer;
  };

  void Start() {
    auto watcher = grpc_core::MakeRefCounted<ConnectivityWatcher>(WeakRefAsSubclass<OobProducer>());
    connectivity_watcher_ = watcher.get();
    subchannel_->WatchConnectivityState(std::move(watcher));
  }
  // The subchannel's serializer reports the changes in their order.
  void OnState(grpc_connectivity_state state) {
    std::lock_guard<std::mutex> lock(mu_);
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
    stream_ = grpc_core::MakeOrphanable<SubchannelStreamClient>(
        subchannel_,
        MakeLoadStream(
            reports_, interval,
            node == nullptr ? nullptr : node->RefAsSubclass<grpc_core::channelz::SubchannelNode>()),
        nullptr);
  }

  const grpc_core::WeakRefCountedPtr<grpc_core::Subchannel> subchannel_;
  gxds_orca_stream* const reports_ = gxds_orca_stream_create();
  ConnectivityWatcher* connectivity_watcher_ = nullptr;  // owned by the subchannel
  std::mutex mu_;                                        // guards the next two
  bool connected_ = false;
  grpc_core::OrphanablePtr<SubchannelStreamClient> stream_;
};

// The watcher that a subchannel gets for a listener; listener->subchannels points to it. It lives
// as long as the subchannel.
class OobWatcher : public grpc_core::InternalSubchannelDataWatcherInterface {
 public:
  explicit OobWatcher(gxds_load_listener* listener) : listener_(gxds_load_listener_ref(listener)) {
    listener_->subchannels = this;
  }
  ~OobWatcher() override {
    Want(GXDS_TIME_NEVER);
    gxds_load_listener_unref(listener_);
  }

  grpc_core::UniqueTypeName type() const override { return OobProducer::Type(); }
  // Called once, when the subchannel takes this.
  void SetSubchannel(grpc_core::Subchannel* subchannel) override {
    producer_ = OobProducer::Of(subchannel);
  }
  void Want(gxds_duration interval) {
    if (producer_ != nullptr) producer_->Set(listener_, interval);
  }

 private:
  gxds_load_listener* const listener_;
  RefCountedPtr<OobProducer> producer_;  // null: the subchannel is not one of the host
};

}  // namespace

void AddLoadTrace(grpc_core::channelz::SubchannelNode* node, const char* line) {
  GRPC_CHANNELZ_LOG(node) << line;
}

void ReportLoad(grpc_core::SubchannelInterface* subchannel, gxds_load_listener* listener,
                gxds_duration interval) {
  if (listener->subchannels == nullptr) {
    if (interval == GXDS_TIME_NEVER) return;
    subchannel->AddDataWatcher(std::make_unique<OobWatcher>(listener));
  }
  static_cast<OobWatcher*>(listener->subchannels)->Want(interval);
}

}  // namespace grpc_xds
