// The host's own policies, as children of policies in C:
//   test_leaf, other_leaf   report what the test says
//   picking_leaf            is READY at once, and picks its first address
//   pick_first, round_robin behave like gRPC's policies of that name
#ifndef GRPC_XDS_TEST_HOST_MEMORY_POLICIES_H_
#define GRPC_XDS_TEST_HOST_MEMORY_POLICIES_H_

#include <memory>
#include <string>
#include <vector>

#include "host/channel.h"
#include "test/host/memory_host.h"

namespace memory {

bool IsHostsPolicy(const std::string& name);
// Null: there is none of that name.
HostsPolicy* MakeHostsPolicy(Host* host, const std::string& name, gxds_lb_parent* parent);

class HostsPolicy : public gxds_hosts_policy {
 public:
  HostsPolicy(Host* host, std::string name, gxds_lb_parent* parent);
  virtual ~HostsPolicy() = default;

  const std::string& name() const { return name_; }
  Host* host() const { return host_; }
  // These have no effect once the policy has ended.
  void Publish(grpc_connectivity_state state, const Status& status, gxds_picker* take_picker);
  void Reresolve();
  // One reference, the caller's; null: none can be made.
  gxds_subchannel* MakeSubchannel(const gxds_lb_address& address, const gxds_args* args);
  // Publishes a picker that fails each RPC.
  void PublishFailure(const Status& status);
  // Publishes a picker that queues RPCs. The first queued RPC causes a call of ExitIdle().
  void PublishQueue(grpc_connectivity_state state);

 private:
  static const gxds_hosts_policy_ops kOps;
  static HostsPolicy* Of(gxds_hosts_policy* policy) { return static_cast<HostsPolicy*>(policy); }

  virtual Status OnUpdate(const gxds_lb_update& update) = 0;
  virtual void ExitIdle() {}
  virtual void ResetBackoff() {}
  virtual void GiveUp() {}  // releases everything it holds

  Host* const host_;
  const std::string name_;
  gxds_lb_parent* parent_;                // null: it has ended
  std::shared_ptr<HostsPolicy*> itself_;  // *itself_ is null when it has ended
};

// A picker of the host's. The host counts its pickers.
struct Picker : gxds_picker {
  explicit Picker(Host* of);
  virtual ~Picker();
  virtual void Pick(const gxds_pick* call, gxds_picked* out) = 0;

  Host* const host;
};

// A scripted policy. It makes a subchannel for each address.
struct Leaf : HostsPolicy {
  Leaf(Host* host, const std::string& name, gxds_lb_parent* parent);

  // Publishes the state with a picker that fails each RPC with "picked ZONE".
  void Report(grpc_connectivity_state state, const Status& status = Status());

  // Of the last update.
  std::vector<std::string> addresses;
  std::vector<std::string> zones;  // of the addresses
  std::string zone;                // of the first; empty: there is none
  Status addresses_status;
  Args args;
  std::string note;
  const gxds_config* snapshot = nullptr;  // for comparison
  int updates = 0;
  int exit_idle_count = 0;
  int reset_backoff_count = 0;

 protected:
  std::vector<gxds_subchannel*> subchannels;  // references

 private:
  Status OnUpdate(const gxds_lb_update& update) override;
  void ExitIdle() override { exit_idle_count++; }
  void ResetBackoff() override { reset_backoff_count++; }
  void GiveUp() override;
  virtual void Updated() {}
};

}  // namespace memory

#endif
