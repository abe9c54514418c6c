/* Fork handlers for gRPC's Python module. The copy of gRPC inside the distribution's module
 * registers its own, but the distribution's shared libgrpc leaves that to the program. The module
 * is linked with --wrap for each function here. */
#include <grpc/grpc.h>
#include <pthread.h>
#include <stdbool.h>

/* The linker's names for the wrapped functions (__real_) and for their wrappers (__wrap_). */
void real_init(void) __asm__("__real_grpc_init");
void init(void) __asm__("__wrap_grpc_init");
int is_initialized(void) __asm__("__wrap_grpc_is_initialized");

/* The functions of grpc/fork.h. 1.51.1 exports them under C++ names. */
void grpc_prefork(void) __asm__("_Z12grpc_preforkv");
void grpc_postfork_parent(void) __asm__("_Z20grpc_postfork_parentv");
void grpc_postfork_child(void) __asm__("_Z19grpc_postfork_childv");

/* grpc_core::Fork::Enabled(): the value of GRPC_ENABLE_FORK_SUPPORT. Valid once gRPC was
 * initialised. */
bool fork_enabled(void) __asm__("_ZN9grpc_core4Fork7EnabledEv");

static void register_handlers(void) {
  pthread_atfork(grpc_prefork, grpc_postfork_parent, grpc_postfork_child);
  grpc_channel_destroy(grpc_lame_client_channel_create("", GRPC_STATUS_UNAVAILABLE, ""));
}

/* Registers gRPC's handlers at the first initialisation, as the copy does. The module registers its
 * own handlers next, so they run before gRPC's at a fork, and after gRPC's in the child. The
 * plugin's handlers belong between. The plugin registers them when the first channel of any kind is
 * made. */
void init(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  real_init();
  if (fork_enabled()) pthread_once(&once, register_handlers);
}

/* The module calls this only in the child of a fork with fork support. There it has closed the
 * channels, and ends the process if gRPC is still in use. With the plugin gRPC always is: the
 * plugin continues in the child with new threads (host/grpc_1_51/child_of_fork.cc). */
int is_initialized(void) { return 0; }
