/* In gRPC's Python module, what the distribution's shared libgrpc leaves to the program, where the
 * copy inside the distribution's module does it by itself: fork handlers. The module is linked with
 * --wrap for each function here. */
#include <grpc/grpc.h>
#include <pthread.h>
#include <stdbool.h>

/* The linker's names for what --wrap puts aside, and for what it puts there. */
void real_init(void) __asm__("__real_grpc_init");
void init(void) __asm__("__wrap_grpc_init");
int is_initialized(void) __asm__("__wrap_grpc_is_initialized");

/* Those of grpc/fork.h, which 1.51.1 exports under C++ names. */
void grpc_prefork(void) __asm__("_Z12grpc_preforkv");
void grpc_postfork_parent(void) __asm__("_Z20grpc_postfork_parentv");
void grpc_postfork_child(void) __asm__("_Z19grpc_postfork_childv");

/* grpc_core::Fork::Enabled(): GRPC_ENABLE_FORK_SUPPORT, once gRPC was initialised. */
bool fork_enabled(void) __asm__("_ZN9grpc_core4Fork7EnabledEv");

static void register_handlers(void) {
  pthread_atfork(grpc_prefork, grpc_postfork_parent, grpc_postfork_child);
  grpc_channel_destroy(grpc_lame_client_channel_create("", GRPC_STATUS_UNAVAILABLE, ""));
}

/* With the first initialisation, as the copy does: the module registers its own handlers next, so
 * that these come before gRPC's at a fork and after them in the child. The plugin's belong between:
 * it has them when a channel was made, of whatever kind. */
void init(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  real_init();
  if (fork_enabled()) pthread_once(&once, register_handlers);
}

/* The module asks only in the child of a fork with fork support: it has closed the channels, and
 * ends the process if gRPC is still in use. With the plugin it is, for good: it goes on with new
 * threads (host/grpc_1_51/child_of_fork.cc). */
int is_initialized(void) { return 0; }
