// Makes policies in C usable as policies of the host (one class implements all of them). Also the
// functions that this needs in addition to convert.h. Under the channel's serializer, except where
// a comment says otherwise.
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

// Registers a policy in C, while the host's registry is built. type is borrowed: valid until the
// process ends.
void RegisterPolicyInC(grpc_core::CoreConfiguration::Builder* builder,
                       const gxds_policy_type* type);

// The object that the policies in C of one channel share. The serializer identifies the channel.
// engine must live as long as the channel has a policy. The caller owns the returned reference.
gxds_lb_channel* ChannelOn(std::shared_ptr<grpc_core::WorkSerializer> serializer,
                           grpc_event_engine::experimental::EventEngine* engine);
// The serializer of a channel that ChannelOn() made. Any thread.
const std::shared_ptr<grpc_core::WorkSerializer>& SerializerOf(const gxds_lb_channel* channel);

// See gxds_lb_channel_ops.
gxds_time Now(const gxds_lb_channel* channel);
void Post(gxds_lb_channel* channel, void (*work)(void* arg), void* arg);
bool TracesPolicies(const char* word);

// Makes the registered policy of that name, which is not in C, as a child below parent, which is in
// C. root is the root of the tree, and is kept until the child ends; helper is root's. Null if no
// policy has that name.
gxds_hosts_policy* MakeHostsPolicy(absl::string_view name, gxds_lb_parent* parent,
                                   const grpc_core::ChannelArgs& args,
                                   std::shared_ptr<grpc_core::WorkSerializer> serializer,
                                   grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> root,
                                   grpc_core::LoadBalancingPolicy::ChannelControlHelper* helper);

// How a cluster's connections are secured in the host (A29, A74): the host's XdsCredentials find an
// XdsCertificateProvider in the channel args. These four functions are those of gxds_lb_root_ops.
// Some providers of 1.51 need the pollers of root.
bool HasXdsCredentials(const gxds_args* args);
gxds_cluster_security* MakeClusterSecurity(
    gxds_str cluster, grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> root);
const gxds_args* ArgsOfCluster(const gxds_args* args, gxds_str cluster,
                               const gxds_cluster_security* security);
#ifdef GXDS_GRPC_1_83  // 1.83 finds the server's name itself
constexpr decltype(gxds_lb_root_ops::args_of_server) ArgsOfServer = nullptr;
#else
const gxds_args* ArgsOfServer(const gxds_args* args, gxds_str server_name);
#endif

// Makes a subchannel of the host to an endpoint with one address.
grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> MakeSubchannel(
    grpc_core::LoadBalancingPolicy::ChannelControlHelper* helper, const gxds_lb_address& address,
    const grpc_core::ChannelArgs& args);

// gxds_subchannel_report_load() for a subchannel of the host.
void ReportLoad(grpc_core::SubchannelInterface* subchannel, gxds_load_listener* listener,
                gxds_duration interval);

}  // namespace grpc_xds

#endif
