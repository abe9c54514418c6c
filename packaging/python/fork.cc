// In gRPC's Python module, what the distribution's shared libgrpc leaves to the program, where the
// copy inside the distribution's module does it by itself: fork handlers. The module is linked with
// --wrap for each function here.
#include <grpc/fork.h>
#include <grpc/grpc.h>
#include <pthread.h>

#include <mutex>

#include "src/core/lib/gprpp/fork.h"

// The linker's names for what --wrap puts aside, and for what it puts there.
extern "C" void RealInit() __asm__("__real_grpc_init");
extern "C" void Init() __asm__("__wrap_grpc_init");
extern "C" int IsInitialized() __asm__("__wrap_grpc_is_initialized");

// With the first initialisation, as the copy does: the module registers its own handlers next, so
// that these come before gRPC's at a fork and after them in the child. The plugin's belong between:
// it has them when a channel was made, of whatever kind.
extern "C" void Init() {
  static std::once_flag once;
  RealInit();
  if (!grpc_core::Fork::Enabled()) return;
  std::call_once(once, [] {
    pthread_atfork(grpc_prefork, grpc_postfork_parent, grpc_postfork_child);
    grpc_channel_destroy(grpc_lame_client_channel_create("", GRPC_STATUS_UNAVAILABLE, ""));
  });
}

// The module asks only in the child of a fork with fork support: it has closed the channels, and
// ends the process if gRPC is still in use. With the plugin it is, for good: it goes on with new
// threads (host/grpc_1_51/child_of_fork.cc).
extern "C" int IsInitialized() { return 0; }
