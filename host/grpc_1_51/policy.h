// Policies in C, as the host has them (one class carries them all out), and what they are made of
// besides what convert.h has. Under the channel's serializer, but for what says otherwise.
#ifndef GRPC_XDS_HOST_GRPC_1_51_POLICY_H_
#define GRPC_XDS_HOST_GRPC_1_51_POLICY_H_

#include <grpc/event_engine/event_engine.h>
#include <grpc/support/port_platform.h>

#include <memory>

#include "absl/strings/string_view.h"
#include "host/channel.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/gprpp/work_serializer.h"
#include "src/core/lib/load_balancing/lb_policy.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"

namespace grpc_xds {

// type: borrow, for good. While the host's registry is built.
void RegisterPolicyInC(grpc_core::CoreConfiguration::Builder* builder,
                       const gxds_policy_type* type);

// What the policies in C of one channel share: the one of that serializer. engine: lives as long as
// the channel has a policy. One reference, the caller's.
gxds_lb_channel* ChannelOn(std::shared_ptr<grpc_core::WorkSerializer> serializer,
                           grpc_event_engine::experimental::EventEngine* engine);
// The serializer of a channel that ChannelOn() made. Any thread.
const std::shared_ptr<grpc_core::WorkSerializer>& SerializerOf(const gxds_lb_channel* channel);

// A policy that is not in C, as a child of one that is: the registered one of that name, below
// parent. root: of the tree; kept until the policy ends. helper: root's. Null: there is none of
// that name.
gxds_hosts_policy* MakeHostsPolicy(absl::string_view name, gxds_lb_parent* parent,
                                   const grpc_core::ChannelArgs& args,
                                   std::shared_ptr<grpc_core::WorkSerializer> serializer,
                                   grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> root,
                                   grpc_core::LoadBalancingPolicy::ChannelControlHelper* helper);

// How a cluster's connections are secured, in the host's terms (A29, A74): one
// XdsCertificateProvider for the cluster, which the host's XdsCredentials find in the channel args,
// beside the cluster's name. For what those can't do, other credentials take their place there
// (cluster_credentials.h). As gxds_lb_root_ops has it, all four. root: whose pollers some
// providers need.
bool HasXdsCredentials(const gxds_args* args);
gxds_cluster_security* MakeClusterSecurity(
    gxds_str cluster, grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> root);
const gxds_args* ArgsOfCluster(const gxds_args* args, gxds_str cluster,
                               const gxds_cluster_security* security);
const gxds_args* ArgsOfServer(const gxds_args* args, gxds_str server_name);

// gxds_subchannel_report_load() of a subchannel of the host's own.
void ReportLoad(grpc_core::SubchannelInterface* subchannel, gxds_load_listener* listener,
                gxds_duration interval);

}  // namespace grpc_xds

#endif
