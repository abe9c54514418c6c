// What the policies in C of one channel share: its serializer, and its timers.
#ifndef GRPC_XDS_HOST_GRPC_1_51_CHANNEL_H_
#define GRPC_XDS_HOST_GRPC_1_51_CHANNEL_H_

#include <grpc/event_engine/event_engine.h>
#include <grpc/support/port_platform.h>

#include <memory>

#include "host/channel.h"
#include "src/core/lib/gprpp/work_serializer.h"

namespace grpc_xds {

// The one of that serializer. engine: lives as long as the channel has a policy. One reference, the
// caller's.
gxds_lb_channel* ChannelOn(std::shared_ptr<grpc_core::WorkSerializer> serializer,
                           grpc_event_engine::experimental::EventEngine* engine);
// The serializer of a channel that ChannelOn() made.
const std::shared_ptr<grpc_core::WorkSerializer>& SerializerOf(const gxds_lb_channel* channel);

}  // namespace grpc_xds

#endif
