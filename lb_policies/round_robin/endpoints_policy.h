// What our leaf policies share that stay connected to all of their endpoints: they carry out what
// round_robin.h decides, at the pace of their channel, and differ in where the endpoints come from
// and in the picks.
//
// All of it runs under the channel's serializer, but for the pickers.
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ENDPOINTS_POLICY_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ENDPOINTS_POLICY_H_

#include <grpc/support/port_platform.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lb_policies/pace/channel_pace.h"
#include "lb_policies/parent/parent_policy.h"
#include "lb_policies/round_robin/round_robin.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"
#include "src/core/lib/resolver/server_address.h"

namespace grpc_xds {

// It has no children, but the parents' timer.
class EndpointsPolicy : public ParentPolicy, private ChannelPace::User {
 public:
  // Called for a pick that waits, too: what it waits for goes before the rest of the channel.
  void ExitIdleLocked() final;
  void ResetBackoffLocked() final;

 protected:
  using Subchannel = grpc_core::RefCountedPtr<grpc_core::SubchannelInterface>;

  explicit EndpointsPolicy(Args args);

  // An update: these endpoints, in this order; borrow, during the call. What AddressAt() gives is
  // that of the new ones already. renew: nothing of the subchannels so far is of use.
  absl::Status UpdateEndpoints(const gxds_endpoint* endpoints, uint32_t count, bool renew,
                               grpc_core::ChannelArgs args, std::string note);
  // The pickers so far are out of date: with the next update there is another.
  void RenewPicker() { gxds_round_robin_on_other_picks(machine_.get()); }
  // The args of the last update; nothing before it.
  const grpc_core::ChannelArgs& args() const { return args_; }
  bool updated() const { return updated_; }
  const Subchannel& SubchannelOf(uint64_t token) { return At(token).subchannel; }
  // That of the endpoint with this low half of its token. Null: there is none.
  grpc_core::SubchannelInterface* SubchannelInSlot(uint32_t slot) const {
    return endpoints_[slot].subchannel.get();
  }
  // Reports a failure in place of what the endpoints add up to.
  void Fail(const absl::Status& status);

  // The endpoint at that place of the last update.
  virtual grpc_core::ServerAddress AddressAt(uint32_t position) = 0;
  // A subchannel was made for it; the low half of a token is less than slot_count().
  virtual void OnCreated(uint64_t /*token*/, uint32_t /*position*/) {}
  uint32_t slot_count() const { return gxds_round_robin_slot_count(machine_.get()); }
  // It connected; not called for a connection that was there before the subchannel was made.
  virtual void OnReady(uint64_t /*token*/) {}
  // A picker over those endpoints: at least one, all of them READY, in the order of the update.
  virtual std::unique_ptr<SubchannelPicker> MakePicker(const uint64_t* tokens, size_t count) = 0;
  // There is none: no endpoint is READY, or the policy ends.
  virtual void OnNoPicker() {}

 private:
  class Watcher;
  struct Endpoint {
    Subchannel subchannel;
    Watcher* watcher = nullptr;  // the subchannel's
  };
  struct MachineDelete {
    void operator()(gxds_round_robin* r) const { gxds_round_robin_destroy(r); }
  };

  void OnEndpointState(uint64_t token, grpc_connectivity_state state, const absl::Status& status,
                       bool connected);
  void OnChildState(uint64_t, grpc_connectivity_state, const absl::Status&,
                    std::unique_ptr<SubchannelPicker>) final {}
  void Start(uint64_t start) final;
  void ShutdownChildren() final;

  void Drain();
  void TellPace();
  void CarryOut(const gxds_round_robin_op& op);
  void CreateEndpoint(uint64_t token, uint32_t position);
  void RemoveEndpoint(Endpoint* endpoint);
  void Publish(const gxds_round_robin_op& op);
  Endpoint& At(uint64_t token) { return endpoints_[static_cast<uint32_t>(token)]; }

  const std::unique_ptr<gxds_round_robin, MachineDelete> machine_;
  const grpc_core::RefCountedPtr<ChannelPace> pace_;
  const uint32_t user_;
  uint64_t start_ = 0;  // that was given and not used yet
  bool hurries_ = false;
  grpc_connectivity_state published_ = GRPC_CHANNEL_IDLE;
  bool draining_ = false;
  std::vector<Endpoint> endpoints_;  // by the low half of the token
  absl::Status last_failure_;

  // From the last update.
  bool updated_ = false;
  grpc_core::ChannelArgs args_;
  std::string note_;
};

}  // namespace grpc_xds

#endif
