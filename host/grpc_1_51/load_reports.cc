#include "host/grpc_1_51/load_reports.h"

#include <grpc/slice.h>
#include <grpc/status.h>
#include <grpc/support/log.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "lb_policies/orca/orca_report.h"
#include "lb_policies/orca/orca_request.h"
#include "src/core/ext/filters/client_channel/client_channel_channelz.h"
#include "src/core/ext/filters/client_channel/subchannel_stream_client.h"
#include "src/core/lib/channel/channel_trace.h"
#include "src/core/lib/gprpp/orphanable.h"
#include "src/core/lib/gprpp/unique_type_name.h"
#include "src/core/lib/slice/slice.h"
#include "upb/upb.hpp"

namespace grpc_xds {

using grpc_core::MutexLock;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelStreamClient;

namespace {

// Who wants the reports of a connection, and how often. It has a lock of its own, since reports
// come under that of the stream, which is begun and ended under the producer's.
class Audience : public grpc_core::RefCounted<Audience> {
 public:
  // The shortest interval that is wanted from now on.
  gxds_duration Set(OobReports* member, gxds_duration interval) {
    MutexLock lock(&mu_);
    members_.erase(member);
    if (interval != GXDS_TIME_NEVER) members_.emplace(member, interval);
    gxds_duration shortest = GXDS_TIME_NEVER;
    for (const auto& m : members_) shortest = std::min(shortest, m.second);
    return shortest;
  }

  void Tell(const gxds_orca_report& report) {
    MutexLock lock(&mu_);
    for (const auto& m : members_) {
      gxds_load_listener* listener = m.first->listener();
      listener->ops->reported(listener, &report);
    }
  }

  void TellConnectionChange() {
    MutexLock lock(&mu_);
    for (const auto& m : members_) {
      gxds_load_listener* listener = m.first->listener();
      listener->ops->connection_changed(listener);
    }
  }

  // Whether the backend has said that it gives no reports.
  std::atomic<bool> refused{false};

 private:
  grpc_core::Mutex mu_;
  std::map<OobReports*, gxds_duration> members_ ABSL_GUARDED_BY(mu_);
};

class StreamHandler : public SubchannelStreamClient::CallEventHandler {
 public:
  StreamHandler(RefCountedPtr<Audience> audience, gxds_duration interval,
                RefCountedPtr<grpc_core::channelz::SubchannelNode> channelz_node)
      : audience_(std::move(audience)),
        interval_(interval),
        channelz_node_(std::move(channelz_node)) {}

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

  // What is no report is passed over, as one that comes with an answer is: an error would end the
  // stream, which then begins anew at once, since a message came.
  absl::Status RecvMessageReadyLocked(SubchannelStreamClient*, absl::string_view bytes) override {
    gxds_orca_report report;
    if (gxds_orca_report_decode(gxds_str_of(bytes.data(), bytes.size()), &report)) {
      audience_->Tell(report);
    }
    return absl::OkStatus();
  }

  // A51: said to the operator; it is not tried again on this connection.
  void RecvTrailingMetadataReadyLocked(SubchannelStreamClient*, grpc_status_code status) override {
    if (status != GRPC_STATUS_UNIMPLEMENTED) return;
    audience_->refused = true;
    static const char kMessage[] = "Orca stream returned UNIMPLEMENTED; disabling";
    gpr_log(GPR_ERROR, "grpc_xds: %s: %s",
            channelz_node_ == nullptr ? "a backend" : channelz_node_->name().c_str(), kMessage);
    if (channelz_node_ == nullptr) return;
    channelz_node_->AddTraceEvent(grpc_core::channelz::ChannelTrace::Error,
                                  grpc_slice_from_static_string(kMessage));
  }

 private:
  const RefCountedPtr<Audience> audience_;
  const gxds_duration interval_;
  const RefCountedPtr<grpc_core::channelz::SubchannelNode> channelz_node_;  // null: channelz is off
};

}  // namespace

// There is one for a subchannel, as long as anybody might want reports of it.
class OobProducer : public grpc_core::Subchannel::DataProducerInterface {
 public:
  static RefCountedPtr<OobProducer> Of(grpc_core::Subchannel* subchannel);

  explicit OobProducer(RefCountedPtr<grpc_core::Subchannel> subchannel)
      : subchannel_(std::move(subchannel)) {}

  // GXDS_TIME_NEVER: none.
  void Set(OobReports* member, gxds_duration interval) {
    MutexLock lock(&mu_);
    const gxds_duration shortest = audience_->Set(member, interval);
    if (shortest == interval_) return;
    interval_ = shortest;
    Restart();
  }

  grpc_core::UniqueTypeName type() const override { return Type(); }
  // Nobody is left.
  void Orphan() override;

 private:
  class ConnectivityWatcher;

  static grpc_core::UniqueTypeName Type() {
    static grpc_core::UniqueTypeName::Factory factory("grpc_xds_orca");
    return factory.Create();
  }
  void Start();
  void OnState(ConnectivityWatcher* watcher);
  void Restart() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const RefCountedPtr<grpc_core::Subchannel> subchannel_;
  const RefCountedPtr<Audience> audience_ = grpc_core::MakeRefCounted<Audience>();
  ConnectivityWatcher* connectivity_watcher_ = nullptr;  // the subchannel's
  grpc_core::Mutex mu_;
  bool heard_ ABSL_GUARDED_BY(mu_) = false;  // a state of the subchannel
  gxds_duration interval_ ABSL_GUARDED_BY(mu_) = GXDS_TIME_NEVER;
  RefCountedPtr<grpc_core::ConnectedSubchannel> connection_ ABSL_GUARDED_BY(mu_);
  grpc_core::OrphanablePtr<SubchannelStreamClient> stream_ ABSL_GUARDED_BY(mu_);
};

class OobProducer::ConnectivityWatcher
    : public grpc_core::Subchannel::ConnectivityStateWatcherInterface {
 public:
  explicit ConnectivityWatcher(grpc_core::WeakRefCountedPtr<OobProducer> producer)
      : producer_(std::move(producer)) {}

  void OnConnectivityStateChange() override { producer_->OnState(this); }
  grpc_pollset_set* interested_parties() override { return nullptr; }

 private:
  const grpc_core::WeakRefCountedPtr<OobProducer> producer_;
};

RefCountedPtr<OobProducer> OobProducer::Of(grpc_core::Subchannel* subchannel) {
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
  if (created) producer->Start();  // not under the subchannel's lock, which it takes
  return producer;
}

void OobProducer::Start() {
  auto watcher = grpc_core::MakeRefCounted<ConnectivityWatcher>(WeakRef());
  connectivity_watcher_ = watcher.get();
  subchannel_->WatchConnectivityState(absl::nullopt, std::move(watcher));
}

void OobProducer::Orphan() {
  {
    MutexLock lock(&mu_);
    stream_.reset();
  }
  subchannel_->CancelConnectivityStateWatch(absl::nullopt, connectivity_watcher_);
  subchannel_->RemoveDataProducer(this);
}

void OobProducer::OnState(ConnectivityWatcher* watcher) {
  // Several threads may tell changes: taken under the lock, the last one is seen last.
  MutexLock lock(&mu_);
  const grpc_connectivity_state state = watcher->PopConnectivityStateChange().state;
  // The first state says only what was there before.
  const bool first = !std::exchange(heard_, true);
  const bool change = connection_ != nullptr || (state == GRPC_CHANNEL_READY && !first);
  connection_.reset();
  stream_.reset();  // so that its refusal can't be taken for one of the next
  audience_->refused = false;
  if (change) audience_->TellConnectionChange();
  if (state == GRPC_CHANNEL_READY) connection_ = subchannel_->connected_subchannel();
  Restart();
}

void OobProducer::Restart() {
  stream_.reset();
  if (connection_ == nullptr || interval_ == GXDS_TIME_NEVER || audience_->refused) return;
  auto* node = subchannel_->channelz_node();
  stream_ = grpc_core::MakeOrphanable<SubchannelStreamClient>(
      connection_, subchannel_->pollset_set(),
      std::make_unique<StreamHandler>(audience_, interval_,
                                      node == nullptr ? nullptr : node->Ref()),
      nullptr);
}

OobReports::OobReports(gxds_load_listener* listener)
    : listener_(gxds_load_listener_ref(listener)) {}

OobReports::~OobReports() { gxds_load_listener_unref(listener_); }

void OobReports::Attach(grpc_core::SubchannelInterface* subchannel) {
  subchannel->AddDataWatcher(std::make_unique<OobWatcher>(Ref()));
}

void OobReports::Want(gxds_duration interval) {
  MutexLock lock(&mu_);
  wanted_ = interval;
  if (producer_ != nullptr) producer_->Set(this, interval);
}

gxds_duration OobReports::wanted() const {
  MutexLock lock(&mu_);
  return wanted_;
}

void OobReports::SetProducer(RefCountedPtr<OobProducer> producer) {
  MutexLock lock(&mu_);
  producer_.swap(producer);
  if (producer != nullptr) producer->Set(this, GXDS_TIME_NEVER);
  if (producer_ != nullptr) producer_->Set(this, wanted_);
}

OobWatcher::~OobWatcher() { reports_->SetProducer(nullptr); }

void OobWatcher::SetSubchannel(grpc_core::Subchannel* subchannel) {
  reports_->SetProducer(OobProducer::Of(subchannel));
}

void ReportLoad(grpc_core::SubchannelInterface* subchannel, gxds_load_listener* listener,
                gxds_duration interval) {
  auto* reports = static_cast<OobReports*>(listener->subchannels);
  if (reports == nullptr) {
    if (interval == GXDS_TIME_NEVER) return;
    auto made = grpc_core::MakeRefCounted<OobReports>(listener);
    reports = made.get();
    listener->subchannels = reports;
    made->Attach(subchannel);
  }
  reports->Want(interval);
}

}  // namespace grpc_xds
