// A subchannel without a real connection. The test sets its state (Host::SetState).
#ifndef GRPC_XDS_TEST_HOST_MEMORY_SUBCHANNEL_H_
#define GRPC_XDS_TEST_HOST_MEMORY_SUBCHANNEL_H_

#include <memory>
#include <string>
#include <vector>

#include "host/subchannel.h"
#include "test/host/memory_values.h"

namespace memory {

class Host;

struct Subchannel : gxds_subchannel {
  Subchannel(Host* of, const gxds_lb_address& at, Args with);

  Host* host;  // null: it is gone
  uint64_t number;
  const std::string address;
  const Args args;
  grpc_connectivity_state state = GRPC_CHANNEL_IDLE;
  Status status;
  int connects = 0;  // requests to connect, in any state
  int resets = 0;    // of backoff
  bool is_watched() const { return !watchers_.empty(); }
  gxds_load_listener* listener = nullptr;  // a reference; null: nobody asked for load reports
  gxds_duration report_interval = GXDS_TIME_NEVER;

 private:
  friend class Host;
  struct Watcher {
    gxds_watch* watch;  // null: it has ended
  };

  static Subchannel* Of(gxds_subchannel* s) { return static_cast<Subchannel*>(s); }
  static void Destroy(gxds_subchannel* s);
  static void Watch(gxds_subchannel* s, gxds_watch* watch);
  static void Unwatch(gxds_subchannel* s, gxds_watch* watch);
  static void Connect(gxds_subchannel* s);
  static void ReportLoad(gxds_subchannel* s, gxds_load_listener* l, gxds_duration interval);
  static const gxds_subchannel_ops kOps;

  void Notify(const std::shared_ptr<Watcher>& watcher);
  void Set(grpc_connectivity_state to, const Status& why);

  std::vector<std::shared_ptr<Watcher>> watchers_;
};

}  // namespace memory

#endif
