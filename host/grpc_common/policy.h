// Policies in C, as the host has them (one class carries them all out), and what they are made of
// besides what convert.h has. Under the channel's serializer, but for what says otherwise.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_POLICY_H_
#define GRPC_XDS_HOST_GRPC_COMMON_POLICY_H_

#include <grpc/event_engine/event_engine.h>
#include <grpc/support/port_platform.h>

#include <memory>

#include "absl/strings/string_view.h"
#include "host/channel.h"
#include "host/grpc_common/core_policy.h"
#include "src/core/lib/channel/channel_args.h"

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

// As gxds_lb_channel_ops has them.
gxds_time Now(const gxds_lb_channel* channel);
void Post(gxds_lb_channel* channel, void (*work)(void* arg), void* arg);
bool TracesPolicies(const char* word);

// A policy that is not in C, as a child of one that is: the registered one of that name, below
// parent. root: of the tree; kept until the policy ends. helper: root's. Null: there is none of
// that name.
gxds_hosts_policy* MakeHostsPolicy(absl::string_view name, gxds_lb_parent* parent,
                                   const grpc_core::ChannelArgs& args,
                                   std::shared_ptr<grpc_core::WorkSerializer> serializer,
                                   grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> root,
                                   grpc_core::LoadBalancingPolicy::ChannelControlHelper* helper);

// How a cluster's connections are secured, in the host's terms (A29, A74): an
// XdsCertificateProvider, which the host's XdsCredentials find in the channel args. As
// gxds_lb_root_ops has it, all four. root: whose pollers some providers of 1.51 need.
bool HasXdsCredentials(const gxds_args* args);
gxds_cluster_security* MakeClusterSecurity(
    gxds_str cluster, grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> root);
const gxds_args* ArgsOfCluster(const gxds_args* args, gxds_str cluster,
                               const gxds_cluster_security* security);
#ifdef GXDS_GRPC_1_83  // finds the server's name itself
constexpr decltype(gxds_lb_root_ops::args_of_server) ArgsOfServer = nullptr;
#else
const gxds_args* ArgsOfServer(const gxds_args* args, gxds_str server_name);
#endif

// A subchannel of the host's own, to an endpoint with one address.
grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> MakeSubchannel(
    grpc_core::LoadBalancingPolicy::ChannelControlHelper* helper, const gxds_lb_address& address,
    const grpc_core::ChannelArgs& args);

// gxds_subchannel_report_load() of a subchannel of the host's own.
void ReportLoad(grpc_core::SubchannelInterface* subchannel, gxds_load_listener* listener,
                gxds_duration interval);

}  // namespace grpc_xds

#endif
