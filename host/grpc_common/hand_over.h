// Hands work over to a thread of the host. transport/hand_over.h counts the work, so that forks and
// the exit of the process wait until it is done.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_HAND_OVER_H_
#define GRPC_XDS_HOST_GRPC_COMMON_HAND_OVER_H_

#include <grpc/event_engine/event_engine.h>

#include "absl/functional/any_invocable.h"

namespace grpc_xds {

// Runs work soon on a thread of the engine, with the execution contexts that the host's code needs.
// Does not wait for it. The caller keeps the engine until this returns. work, and what it holds,
// are destroyed before the work counts as done. Any thread.
void HandOver(grpc_event_engine::experimental::EventEngine* engine,
              absl::AnyInvocable<void()> work);

}  // namespace grpc_xds

#endif
