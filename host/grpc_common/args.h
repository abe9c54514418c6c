// Converts channel arguments between the host's form and C's, and puts our own values into them.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_ARGS_H_
#define GRPC_XDS_HOST_GRPC_COMMON_ARGS_H_

#include <grpc/support/port_platform.h>

#include "host/args.h"
#include "src/core/lib/channel/channel_args.h"
#include "xds_resolver/config.h"
#include "xds_resolver/mailbox.h"

namespace grpc_xds {

// The caller owns the returned reference. Any thread, like all functions of this header.
const gxds_args* ToC(grpc_core::ChannelArgs args);
// args must be made by ToC(). Borrowed: valid as long as args.
const grpc_core::ChannelArgs& ToHost(const gxds_args* args);

// The channel's target with its scheme, as metrics have it (A66); empty if gRPC has not written it
// into the args. Borrowed: valid as long as args.
gxds_str TargetOf(const gxds_args* args);

// Adds the snapshot and the mailbox to the args of one receiver's updates. They must never reach a
// subchannel: every argument that does becomes part of its identity, so a snapshot would cause new
// connections at every update. In 1.83 the argument's prefix keeps it away from subchannels.
//
// The host's policies keep the args with which they were made. A snapshot in these would live as
// long as the policy, so the args of each update lose their snapshot at the next update. Not
// thread-safe: under the serializer of the channel, but the destructor can run on any thread.
class GivenConfig {
 public:
  GivenConfig() = default;
  ~GivenConfig();
  GivenConfig(const GivenConfig&) = delete;
  GivenConfig& operator=(const GivenConfig&) = delete;

  // Returns args with a reference to both; either may be null. The args that were returned before
  // lose their snapshot, unless it is the same.
  grpc_core::ChannelArgs Give(const grpc_core::ChannelArgs& args, const gxds_config* config,
                              gxds_mailbox* mailbox);
  // The args that were returned last lose their snapshot.
  void TakeBack();

  struct Value;

 private:
  Value* last_ = nullptr;  // a reference; null if there is none
};

// The snapshot and the mailbox in args. Null if there is none. Borrowed: valid until the next
// update of the same receiver.
const gxds_config* ConfigOf(const grpc_core::ChannelArgs& args);
gxds_mailbox* MailboxOf(const grpc_core::ChannelArgs& args);

// Args without the snapshot and the mailbox, for leaf policies and subchannels.
grpc_core::ChannelArgs WithoutOurs(const grpc_core::ChannelArgs& args);

}  // namespace grpc_xds

#endif
