#include "plugin/host_state.h"

#include <grpc/grpc.h>
#include <stddef.h>
#include <time.h>

/* grpc_core::CoreConfiguration::config_, the registry, once it is built. It is private, but the
 * public Get() would build the registry. */
extern void *core_configuration __asm__("_ZN9grpc_core17CoreConfiguration7config_E");
/* grpc_core::InitInternally, set by the host's first initialisation. */
extern void (*init_internally)(void) __asm__("_ZN9grpc_core14InitInternallyE");

bool gxds_host_is_initialized(void) {
  if (__atomic_load_n(&core_configuration, __ATOMIC_ACQUIRE) != NULL) return true;
  /* If the first initialisation has not happened, grpc_is_initialized() does it (fork handlers,
   * environment). In a constructor that is too early. */
  if (__atomic_load_n(&init_internally, __ATOMIC_ACQUIRE) == NULL) return false;
  return grpc_is_initialized() != 0;
}

void gxds_host_await_shutdown(void) {
  static const struct timespec millisecond = {0, 1000000};
  for (int i = 0; i < 100 && grpc_is_initialized() != 0; i++) nanosleep(&millisecond, NULL);
}
