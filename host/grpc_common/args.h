// Channel arguments, as the host has them and as C sees them, and what travels in them.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_ARGS_H_
#define GRPC_XDS_HOST_GRPC_COMMON_ARGS_H_

#include <grpc/support/port_platform.h>

#include "host/args.h"
#include "src/core/lib/channel/channel_args.h"
#include "xds_resolver/config.h"
#include "xds_resolver/mailbox.h"

namespace grpc_xds {

// The reference is the caller's. Any thread, as all of these.
const gxds_args* ToC(grpc_core::ChannelArgs args);
// Of args that ToC() made. Borrow: as long as args.
const grpc_core::ChannelArgs& ToHost(const gxds_args* args);

// The target of the channel with its scheme, as metrics have it (A66); empty: not in the args,
// which gRPC writes it into. Borrow: as long as args.
gxds_str TargetOf(const gxds_args* args);

// Args with the snapshot and the mailbox, each as a reference of its own; null: without it. They
// must never reach a subchannel: every argument that does becomes part of its identity, and a
// snapshot there would mean new connections at every update. 1.83 keeps them from it by their
// prefix.
grpc_core::ChannelArgs WithConfig(const grpc_core::ChannelArgs& args, const gxds_config* config,
                                  gxds_mailbox* mailbox);
// Borrow: as long as args. Null: none there.
const gxds_config* ConfigOf(const grpc_core::ChannelArgs& args);
gxds_mailbox* MailboxOf(const grpc_core::ChannelArgs& args);

// Without that: for leaf policies, and for subchannels.
grpc_core::ChannelArgs WithoutOurs(const grpc_core::ChannelArgs& args);

}  // namespace grpc_xds

#endif
