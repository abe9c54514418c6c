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

#include <grpc/slice.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "host/grpc_common/load_stream.h"
#include "lb_policies/orca/orca_stream.h"
#include "src/core/ext/filters/client_channel/client_channel_channelz.h"
#include "src/core/ext/filters/client_channel/subchannel.h"
#include "src/core/ext/filters/client_channel/subchannel_interface_internal.h"
#include "src/core/ext/filters/client_channel/subchannel_stream_client.h"
#include "src/core/lib/channel/channel_trace.h"
#include "src/core/lib/gprpp/orphanable.h"
#include "src/core/lib/gprpp/sync.h"
#include "src/core/lib/gprpp/unique_type_name.h"

namespace grpc_xds {

using grpc_core::MutexLock;
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
          if (*known != nullptr) producer = (*known)->RefIfNonZero();
          if (producer != nullptr) return;
          producer = grpc_core::MakeRefCounted<OobProducer>(subchannel->Ref());
          *known = producer.get();
          created = true;
        });
    if (created) producer->Start();  // not under the subchannel's lock, which Start() takes
    return producer;
  }

  explicit OobProducer(RefCountedPtr<grpc_core::Subchannel> subchannel)
      : subchannel_(std::move(subchannel)) {}
  ~OobProducer() override { gxds_orca_stream_unref(reports_); }

  // interval is GXDS_TIME_NEVER if the listener wants no reports.
  void Set(gxds_load_listener* listener, gxds_duration interval) {
    MutexLock lock(&mu_);
    if (gxds_orca_stream_want(reports_, listener, interval)) Restart();
  }

  grpc_core::UniqueTypeName type() const override { return Type(); }
  // Called when the last user is gone.
  void Orphan() override {
    {
      MutexLock lock(&mu_);
      stream_.reset();
    }
    subchannel_->CancelConnectivityStateWatch(absl::nullopt, connectivity_watcher_);
    subchannel_->RemoveDataProducer(this);
  }

 private:
  struct ConnectivityWatcher : grpc_core::Subchannel::ConnectivityStateWatcherInterface {
    explicit ConnectivityWatcher(grpc_core::WeakRefCountedPtr<OobProducer> p)
        : producer(std::move(p)) {}
    void OnConnectivityStateChange() override { producer->OnState(this); }
    grpc_pollset_set* interested_parties() override { return nullptr; }

    const grpc_core::WeakRefCountedPtr<OobProducer> producer;
  };

  static grpc_core::UniqueTypeName Type() {
    static grpc_core::UniqueTypeName::Factory factory("grpc_xds_orca");
    return factory.Create();
  }
  void Start() {
    auto watcher = grpc_core::MakeRefCounted<ConnectivityWatcher>(WeakRef());
    connectivity_watcher_ = watcher.get();
    subchannel_->WatchConnectivityState(absl::nullopt, std::move(watcher));
  }
  void OnState(ConnectivityWatcher* watcher) {
    // Several threads may report changes. A change is taken under the lock, so that the last one is
    // handled last.
    MutexLock lock(&mu_);
    const grpc_connectivity_state state = watcher->PopConnectivityStateChange().state;
    connection_.reset();
    stream_.reset();
    gxds_orca_stream_connectivity(reports_, state);
    if (state == GRPC_CHANNEL_READY) connection_ = subchannel_->connected_subchannel();
    Restart();
  }
  void Restart() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    stream_.reset();
    const gxds_duration interval = gxds_orca_stream_interval(reports_);
    if (connection_ == nullptr || interval == GXDS_TIME_NEVER) return;
    auto* node = subchannel_->channelz_node();
    stream_ = grpc_core::MakeOrphanable<SubchannelStreamClient>(
        connection_, subchannel_->pollset_set(),
        MakeLoadStream(reports_, interval, node == nullptr ? nullptr : node->Ref()), nullptr);
  }

  const RefCountedPtr<grpc_core::Subchannel> subchannel_;
  gxds_orca_stream* const reports_ = gxds_orca_stream_create();
  ConnectivityWatcher* connectivity_watcher_ = nullptr;  // owned by the subchannel
  grpc_core::Mutex mu_;
  RefCountedPtr<grpc_core::ConnectedSubchannel> connection_ ABSL_GUARDED_BY(mu_);
  grpc_core::OrphanablePtr<SubchannelStreamClient> stream_ ABSL_GUARDED_BY(mu_);
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
  node->AddTraceEvent(grpc_core::channelz::ChannelTrace::Error,
                      grpc_slice_from_static_string(line));
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
