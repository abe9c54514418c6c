// What is given to a thread of the host: counted (transport/hand_over.h), so that forks and the
// exit of the process wait for it.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_HAND_OVER_H_
#define GRPC_XDS_HOST_GRPC_COMMON_HAND_OVER_H_

#include <grpc/event_engine/event_engine.h>

#include "absl/functional/any_invocable.h"

namespace grpc_xds {

// Runs work on the engine (which the caller keeps until this returns), soon, with what the host's
// code needs around it. Any thread; it does not wait. What work holds is gone before it counts as
// done.
void HandOver(grpc_event_engine::experimental::EventEngine* engine,
              absl::AnyInvocable<void()> work);

}  // namespace grpc_xds

#endif
