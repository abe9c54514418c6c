#include "host/grpc_common/hand_over.h"

#include <grpc/support/port_platform.h>

#include <utility>

#include "host/grpc_common/core.h"
#include "transport/hand_over.h"

namespace grpc_xds {

void HandOver(grpc_event_engine::experimental::EventEngine* engine,
              absl::AnyInvocable<void()> work) {
  using Work = absl::AnyInvocable<void()>;
  gxds_hand_over_begin();
  engine->Run([work = std::move(work)]() mutable {
    gxds_hand_over_run(
        [](void* arg) {
          CallbackExecCtx callback_exec_ctx;
          grpc_core::ExecCtx exec_ctx;
          auto* handed_over = static_cast<Work*>(arg);
          (*handed_over)();
          *handed_over = nullptr;
        },
        &work);
  });
}

}  // namespace grpc_xds
