// What the reactor gives to a thread of the host, as it must not run the work of channels itself.
//
// A fork, and the exit of the process, wait for what is on its way: a child would lack the thread
// and find the host in the midst of something; at the exit the host's globals end.
#ifndef GRPC_XDS_HOST_GRPC_1_51_HAND_OVER_H_
#define GRPC_XDS_HOST_GRPC_1_51_HAND_OVER_H_

#include <grpc/event_engine/event_engine.h>

#include "absl/functional/any_invocable.h"

namespace grpc_xds {

// Runs work on the engine (which the caller keeps until this returns), soon, with what the host's
// code needs around it. Any thread; it does not wait. What work holds is gone before it counts as
// done.
void HandOver(grpc_event_engine::experimental::EventEngine* engine,
              absl::AnyInvocable<void()> work);

// Before the reactor starts, whose own handler then comes first: while it is parked, nothing new
// is handed over. And after the host's, which looks for threads inside it. Repeated calls are
// harmless.
void RegisterHandOverForkHandlers();

}  // namespace grpc_xds

#endif
