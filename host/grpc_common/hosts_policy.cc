#include "host/grpc_common/hosts_policy.h"

#include <utility>

#include "host/grpc_common/convert.h"
#include "host/grpc_common/policy.h"
#include "src/core/lib/iomgr/pollset_set.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;
using grpc_core::WorkSerializer;
using Helper = LoadBalancingPolicy::ChannelControlHelper;

namespace {

struct HostsPolicy : gxds_hosts_policy {
  std::shared_ptr<HostsPolicyLink> link;
  std::shared_ptr<WorkSerializer> serializer;
  OrphanablePtr<LoadBalancingPolicy> child;
  GivenConfig given;
};

HostsPolicy* Of(gxds_hosts_policy* policy) { return static_cast<HostsPolicy*>(policy); }

gxds_status Update(gxds_hosts_policy* policy, const gxds_lb_update* in) {
  LoadBalancingPolicy::UpdateArgs update;
  update.config = ToHost(in->config);
  update.args = Of(policy)->given.Give(ToHost(in->args), in->snapshot, in->mailbox);
  // The resolution note is left out, because cluster_impl adds it to the errors of picks.
  if (in->addresses != nullptr) {
    update.addresses = ToHost(in->addresses);
  } else {
    update.addresses = ToAbsl(in->addresses_status);
  }
  return ToC(Of(policy)->child->UpdateLocked(std::move(update)));
}

// A function of the policy may be running, so the policy is deleted when the serializer has
// finished its present work.
void End(gxds_hosts_policy* policy) {
  HostsPolicy* self = Of(policy);
  self->link->parent = nullptr;
  self->serializer->Run(
      [self, serializer = self->serializer] {
        grpc_pollset_set_del_pollset_set(self->child->interested_parties(),
                                         self->link->root->interested_parties());
        delete self;
      },
      DEBUG_LOCATION);
}

const gxds_hosts_policy_ops kOps = {
    Update,
    [](gxds_hosts_policy* policy) { Of(policy)->child->ExitIdleLocked(); },
    [](gxds_hosts_policy* policy) { Of(policy)->child->ResetBackoffLocked(); },
    End,
};

}  // namespace

RefCountedPtr<SubchannelInterface> HelperOfHostsPolicy::MakeSubchannel(HostsAddresses one,
                                                                       const ChannelArgs& args) {
  const gxds_addresses* addresses = ToC(std::move(one));
  const gxds_args* in_c = ToC(WithoutOurs(args));
  const gxds_lb_address endpoint = gxds_addresses_at(addresses, 0);
  gxds_subchannel* made = link_->parent->ops->subchannel(link_->parent, &endpoint, in_c);
  gxds_args_unref(in_c);
  gxds_addresses_unref(addresses);
  return made == nullptr ? nullptr : ForHostsPolicy(made);
}

void HelperOfHostsPolicy::UpdateState(grpc_connectivity_state state, const absl::Status& status,
                                      HostsPicker picker) {
  if (HasEnded()) return;
  const gxds_status view = View(status);
  link_->parent->ops->publish(link_->parent, state, &view, ToC(std::move(picker)));
}

void HelperOfHostsPolicy::RequestReresolution() {
  if (!HasEnded()) link_->parent->ops->reresolve(link_->parent);
}

absl::string_view HelperOfHostsPolicy::GetAuthority() { return link_->helper->GetAuthority(); }

grpc_event_engine::experimental::EventEngine* HelperOfHostsPolicy::GetEventEngine() {
  return link_->helper->GetEventEngine();
}

void HelperOfHostsPolicy::AddEvent(gxds_lb_severity severity, absl::string_view line) {
  if (!HasEnded()) link_->parent->ops->add_event(link_->parent, severity, ToGxds(line));
}

gxds_hosts_policy* MakeHostsPolicy(absl::string_view name, gxds_lb_parent* parent,
                                   const ChannelArgs& args,
                                   std::shared_ptr<WorkSerializer> serializer,
                                   RefCountedPtr<LoadBalancingPolicy> root, Helper* helper) {
  auto link = std::make_shared<HostsPolicyLink>(HostsPolicyLink{parent, std::move(root), helper});
  LoadBalancingPolicy::Args child_args;
  child_args.work_serializer = serializer;
  child_args.channel_control_helper = MakeHelper(link);
  child_args.args = args;
  auto child = grpc_core::CoreConfiguration::Get().lb_policy_registry().CreateLoadBalancingPolicy(
      name, std::move(child_args));
  if (child == nullptr) return nullptr;
  // Lets the threads that poll the channel poll for the child too.
  grpc_pollset_set_add_pollset_set(child->interested_parties(), link->root->interested_parties());
  auto* out = new HostsPolicy{};
  out->ops = &kOps;
  out->link = std::move(link);
  out->serializer = std::move(serializer);
  out->child = std::move(child);
  return out;
}

}  // namespace grpc_xds
