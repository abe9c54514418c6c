// What travels between the resolver and our policies in channel args and addresses, and what of it
// must never reach a subchannel: every argument that does becomes part of the subchannel's
// identity, and a snapshot there would mean new connections at every update.
#ifndef GRPC_XDS_HOST_GRPC_1_51_ATTRIBUTES_H_
#define GRPC_XDS_HOST_GRPC_1_51_ATTRIBUTES_H_

#include <grpc/support/port_platform.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "host/addresses.h"
#include "host/pick.h"
#include "resources/endpoints.h"
#include "src/core/ext/filters/client_channel/resolver/xds/xds_resolver.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/gprpp/unique_type_name.h"
#include "src/core/lib/resolver/server_address.h"
#include "xds_resolver/config.h"
#include "xds_resolver/mailbox.h"

namespace grpc_xds {

// The argument that holds the snapshot and the mailbox: one for both, as each that is set or taken
// out again costs every update a path of the map's nodes.
inline constexpr char kConfigArg[] = "grpc_xds.config";

// The call attribute in which the ConfigSelector leaves the cluster of an RPC: the host's own (one
// in the process), so that other policies find it.
inline grpc_core::UniqueTypeName ClusterAttributeName() {
  static const grpc_core::UniqueTypeName name = grpc_core::XdsClusterAttributeTypeName();
  return name;
}
// What is before the name that is its value, out of its sight: an attribute of its own would cost
// every RPC a node of a map.
using RoutedCall = gxds_routed_call;
// What is before the value of ours. Borrow: as long as the call. Pickers may
// write to it: they run under the channel's data-plane mutex.
inline RoutedCall& RoutedCallOf(absl::string_view cluster) {
  return reinterpret_cast<RoutedCall*>(const_cast<char*>(cluster.data()))[-1];
}

// Args with the snapshot and the mailbox, each as a reference of its own; null: without it.
grpc_core::ChannelArgs WithConfig(const grpc_core::ChannelArgs& args, const gxds_config* config,
                                  gxds_mailbox* mailbox);
// Borrow: as long as args. Null: none there.
const gxds_config* ConfigOf(const grpc_core::ChannelArgs& args);
gxds_mailbox* MailboxOf(const grpc_core::ChannelArgs& args);

// Without that: for leaf policies, and for subchannels.
grpc_core::ChannelArgs WithoutOurs(const grpc_core::ChannelArgs& args);

// The locality of an address, for load reports: an address attribute, which is no part of a
// subchannel's identity. Borrow: as long as address. Null: none.
const gxds_locality* LocalityOf(const grpc_core::ServerAddress& address);
// The endpoint's weight (load_balancing_weight); 1 when the address says nothing.
uint32_t WeightOf(const grpc_core::ServerAddress& address);

// By what an endpoint is put on a ring in place of its address (A76); empty: by its address.
// Borrow: as long as address.
absl::string_view HashKeyOf(const grpc_core::ServerAddress& address);

// What a subchannel to the address is made of.
grpc_core::ServerAddress WithoutWeightAndHashKey(const grpc_core::ServerAddress& address);

// The address of an endpoint that is none of the host's, with locality, weight and hash key
// attributes.
grpc_core::ServerAddress AddressOf(const gxds_lb_address& endpoint);

absl::Status ToAbsl(const gxds_status& status);
inline absl::string_view ToAbsl(gxds_str s) { return absl::string_view(s.data, s.size); }
inline gxds_str ToGxds(absl::string_view s) { return gxds_str_of(s.data(), s.size()); }

}  // namespace grpc_xds

#endif
