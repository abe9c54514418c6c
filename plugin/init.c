/* Our grpc_init(), which programs call in place of the host's. It registers the implementation in
 * programs that open libgrpc after this library was loaded, and then calls the host's. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "plugin/host_library.h"
#include "plugin/loader.h"
#include "plugin/loader_log.h"

__attribute__((visibility("default"))) void grpc_init(void);

/* The host's C++ wrapper calls grpc_init() for every completion queue, and so for every synchronous
 * RPC. So the search is made only once for each place in the code that calls grpc_init(). Each
 * entry is written only once, and its function is written before its caller. */
enum { kPlaces = 64 };
static struct {
  _Atomic(void *) caller;
  gxds_host_function init;
} places[kPlaces];
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static gxds_host_function known(void *caller) {
  for (size_t i = 0; i < kPlaces; i++) {
    void *entry = atomic_load_explicit(&places[i].caller, memory_order_acquire);
    if (entry == caller) return places[i].init;
    if (!entry) return NULL;
  }
  return NULL;
}

/* If all entries are used, calls from further places search each time. */
static void remember(void *caller, gxds_host_function init) {
  pthread_mutex_lock(&writing);
  for (size_t i = 0; i < kPlaces; i++) {
    void *entry = atomic_load_explicit(&places[i].caller, memory_order_relaxed);
    if (entry == caller) break;
    if (entry) continue;
    places[i].init = init;
    atomic_store_explicit(&places[i].caller, caller, memory_order_release);
    break;
  }
  pthread_mutex_unlock(&writing);
}

void grpc_init(void) {
  void *caller = __builtin_extract_return_addr(__builtin_return_address(0));
  gxds_host_function init = known(caller);
  if (!init) {
    /* A new place may belong to a libgrpc that was not loaded before. */
    (void)gxds_loader_register(GXDS_REGISTER_BY_LOADING);
    bool lasting = false;
    init = gxds_real_grpc_init(caller, &lasting);
    if (!init) {
      gxds_loader_log("grpc_init() was called, but there is no gRPC in this program");
      return;
    }
    if (lasting) remember(caller, init);
  }
  init();
}
