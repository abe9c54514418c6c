// Common names for the host's own subchannels and their watchers, which each version of gRPC has,
// but under different paths and names.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_CORE_SUBCHANNEL_H_
#define GRPC_XDS_HOST_GRPC_COMMON_CORE_SUBCHANNEL_H_

#include <grpc/slice.h>
#include <grpc/support/port_platform.h>

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "host/grpc_common/core_version.h"

#ifndef GXDS_GRPC_1_83
#include "absl/types/optional.h"
#include "src/core/ext/filters/client_channel/client_channel_channelz.h"
#include "src/core/ext/filters/client_channel/subchannel.h"
#include "src/core/ext/filters/client_channel/subchannel_interface_internal.h"
#include "src/core/ext/filters/client_channel/subchannel_stream_client.h"
#include "src/core/lib/channel/channel_trace.h"
#include "src/core/lib/gprpp/orphanable.h"
#include "src/core/lib/gprpp/unique_type_name.h"
#else
#include "src/core/channelz/channel_trace.h"
#include "src/core/channelz/channelz.h"
#include "src/core/client_channel/subchannel.h"
#include "src/core/client_channel/subchannel_interface_internal.h"
#include "src/core/client_channel/subchannel_stream_client.h"
#include "src/core/util/orphanable.h"
#include "src/core/util/unique_type_name.h"
#endif

namespace grpc_xds {

using StreamHandler = grpc_core::SubchannelStreamClient::CallEventHandler;
using Stream = grpc_core::OrphanablePtr<grpc_core::SubchannelStreamClient>;

#ifndef GXDS_GRPC_1_83
using HeldSubchannel = grpc_core::RefCountedPtr<grpc_core::Subchannel>;

inline HeldSubchannel Hold(grpc_core::Subchannel* subchannel) { return subchannel->Ref(); }

class DataProducer : public grpc_core::Subchannel::DataProducerInterface {
 public:
  void Orphan() final { Orphaned(); }
  virtual void Orphaned() = 0;
};

class DataWatcher : public grpc_core::InternalSubchannelDataWatcherInterface {
 public:
  virtual grpc_core::UniqueTypeName type() const = 0;
};

class ConnectionWatcher : public grpc_core::Subchannel::ConnectivityStateWatcherInterface {
 public:
  // Called after each change of the connection's state, perhaps on several threads at a time.
  virtual void OnChange() = 0;
  // Returns the next new state. Call it once in each OnChange(), under the lock under which the
  // state is handled. So states are handled in their order.
  grpc_connectivity_state Next() { return PopConnectivityStateChange().state; }

 private:
  void OnConnectivityStateChange() final { OnChange(); }
  grpc_pollset_set* interested_parties() final { return nullptr; }
};

inline void Watch(const HeldSubchannel& subchannel,
                  grpc_core::RefCountedPtr<ConnectionWatcher> watcher) {
  subchannel->WatchConnectivityState(absl::nullopt, std::move(watcher));
}
inline void Unwatch(const HeldSubchannel& subchannel, ConnectionWatcher* watcher) {
  subchannel->CancelConnectivityStateWatch(absl::nullopt, watcher);
}

// Starts a stream on the connection. Null if the connection has just ended, before its watchers
// know.
inline Stream StartStream(const HeldSubchannel& subchannel,
                          std::unique_ptr<StreamHandler> handler) {
  auto connection = subchannel->connected_subchannel();
  if (connection == nullptr) return nullptr;
  return grpc_core::MakeOrphanable<grpc_core::SubchannelStreamClient>(
      std::move(connection), subchannel->pollset_set(), std::move(handler), nullptr);
}

// Adds an error to the subchannel's trace. line is static.
inline void AddTraceError(grpc_core::channelz::SubchannelNode* node, const char* line) {
  node->AddTraceEvent(grpc_core::channelz::ChannelTrace::Error,
                      grpc_slice_from_static_string(line));
}
#else
using HeldSubchannel = grpc_core::WeakRefCountedPtr<grpc_core::Subchannel>;

inline HeldSubchannel Hold(grpc_core::Subchannel* subchannel) { return subchannel->WeakRef(); }

using DataProducer = grpc_core::Subchannel::DataProducerInterface;
using DataWatcher = grpc_core::InternalSubchannelDataWatcherInterface;

class ConnectionWatcher : public grpc_core::Subchannel::ConnectivityStateWatcherInterface {
 public:
  // The subchannel's serializer reports the changes in their order.
  virtual void OnChange() = 0;
  grpc_connectivity_state Next() { return state_; }

 private:
  void OnConnectivityStateChange(grpc_connectivity_state state, const absl::Status&) final {
    state_ = state;
    OnChange();
  }
  void OnKeepaliveUpdate(grpc_core::Duration) final {}
  uint32_t max_connections_per_subchannel() const final { return 1; }
  grpc_pollset_set* interested_parties() final { return nullptr; }

  grpc_connectivity_state state_ = GRPC_CHANNEL_IDLE;
};

inline void Watch(const HeldSubchannel& subchannel,
                  grpc_core::RefCountedPtr<ConnectionWatcher> watcher) {
  subchannel->WatchConnectivityState(std::move(watcher));
}
inline void Unwatch(const HeldSubchannel& subchannel, ConnectionWatcher* watcher) {
  subchannel->CancelConnectivityStateWatch(watcher);
}

inline Stream StartStream(const HeldSubchannel& subchannel,
                          std::unique_ptr<StreamHandler> handler) {
  return grpc_core::MakeOrphanable<grpc_core::SubchannelStreamClient>(subchannel,
                                                                      std::move(handler), nullptr);
}

inline void AddTraceError(grpc_core::channelz::SubchannelNode* node, const char* line) {
  GRPC_CHANNELZ_LOG(node) << line;
}
#endif

}  // namespace grpc_xds

#endif
