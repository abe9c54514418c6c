#include "plugin/loader.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/host_library.h"
#include "plugin/impl.h"
#include "plugin/loader_log.h"

/* The final result; -1: none yet. There is no lock: opening a library takes the linker's lock, and
 * a thread that holds the linker's lock may be waiting for ours. Two threads may run this code at
 * the same time. That is harmless, because every step may be done twice. */
static _Atomic int decided = -1;

/* The implementation that is registered; NULL: none. It is never closed. */
static void *_Atomic implementation;

/* The real path of this library, taken when it is loaded. LD_PRELOAD can be relative to the working
 * directory, which the program may have changed later. */
static char own_path[PATH_MAX];

/* Sets the final result, and logs the reason. If another thread has already set a final result,
 * returns that result and logs nothing. */
__attribute__((format(printf, 3, 4))) static grpc_xds_result fail(const gxds_host_library *host,
                                                                  grpc_xds_result result,
                                                                  const char *format, ...) {
  int none = -1;
  if (!atomic_compare_exchange_strong(&decided, &none, (int)result)) return (grpc_xds_result)none;
  va_list args;
  va_start(args, format);
  gxds_loader_log_error(host, format, args);
  va_end(args);
  return result;
}

static void find_own_path(void) {
  static const char here;
  Dl_info info;
  if (own_path[0]) return;
  if (!dladdr(&here, &info) || !info.dli_fname || !realpath(info.dli_fname, own_path)) {
    own_path[0] = 0;
  }
}

/* Makes the path of the implementation, in this library's folder. False if the path is too long. */
static bool impl_path(const char *file, char out[static PATH_MAX]) {
  const char *slash = strrchr(own_path, '/');
  int directory = slash ? (int)(slash + 1 - own_path) : 0;
  int size = snprintf(out, PATH_MAX, "%.*s%s", directory, own_path, file);
  return size > 0 && size < PATH_MAX;
}

static const char *version_of(const gxds_host_library *impl) {
  gxds_impl_version_function version =
      (gxds_impl_version_function)gxds_host_library_function(impl, GXDS_IMPL_VERSION);
  return version ? version() : "none";
}

static grpc_xds_result register_with(const gxds_host_library *host) {
  if (host->other) {
    return fail(host, GRPC_XDS_ERROR_HOST_VERSION,
                "this program has two gRPCs, %s and %s: it is not known which one is meant",
                host->known->soname, host->other->soname);
  }
  if (!host->known || strcmp(host->version, host->known->version) != 0) {
    return fail(host, GRPC_XDS_ERROR_HOST_VERSION,
                "built for gRPC core %s (%s) and %s (%s), but this program has %s (%s)",
                gxds_known_hosts[0].version, gxds_known_hosts[0].soname,
                gxds_known_hosts[1].version, gxds_known_hosts[1].soname,
                *host->version ? host->version : "an unknown version", host->file);
  }
  char path[PATH_MAX];
  if (!impl_path(host->known->impl_file, path)) {
    return fail(host, GRPC_XDS_ERROR_IMPLEMENTATION, "the path of %s is too long",
                host->known->impl_file);
  }
  /* RTLD_NOW resolves all symbols here. Otherwise a missing symbol would kill the program in the
   * middle of an RPC. dlopen() also runs the host's constructors if they have not run yet, so that
   * they cannot undo our registration later. */
  void *impl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!impl) {
    const char *why = dlerror();
    return fail(host, GRPC_XDS_ERROR_IMPLEMENTATION, "cannot load the implementation: %s",
                why ? why : path);
  }
  const gxds_host_library opened = {.handle = impl};
  gxds_impl_register_function entry =
      (gxds_impl_register_function)gxds_host_library_function(&opened, GXDS_IMPL_ENTRY);
  if (!entry) {
    return fail(host, GRPC_XDS_ERROR_IMPLEMENTATION, "%s is not an implementation of grpc_xds",
                path);
  }
  const char *version = version_of(&opened);
  if (strcmp(version, GRPC_XDS_VERSION) != 0) {
    return fail(host, GRPC_XDS_ERROR_IMPLEMENTATION,
                "%s is of version %s, and the library that opens it of %s", path, version,
                GRPC_XDS_VERSION);
  }
  grpc_xds_result result = entry();
  if (result == GRPC_XDS_ERROR_TOO_LATE) {
    return fail(host, result,
                "gRPC %s was initialised before: load this library, or call "
                "grpc_xds_plugin_register(), before the first grpc_init()",
                host->version);
  }
  if (result == GRPC_XDS_OK) atomic_store(&implementation, impl);
  int none = -1;
  return atomic_compare_exchange_strong(&decided, &none, (int)result) ? result
                                                                      : (grpc_xds_result)none;
}

grpc_xds_result gxds_loader_register(gxds_register_cause cause) {
  int before = atomic_load(&decided);
  if (before >= 0) return (grpc_xds_result)before;
  gxds_host_library host;
  find_own_path();
  if (gxds_host_library_find(&host)) return register_with(&host);
  if (cause == GXDS_REGISTER_BY_CALL) {
    gxds_loader_log(
        "this program has no %s or %s: link it, or open it before "
        "grpc_xds_plugin_register()",
        gxds_known_hosts[0].soname, gxds_known_hosts[1].soname);
  }
  return GRPC_XDS_ERROR_NO_GRPC;
}

gxds_host_function gxds_loader_impl_function(const char *name) {
  const gxds_host_library impl = {.handle = atomic_load(&implementation)};
  return gxds_host_library_function(&impl, name);
}

__attribute__((constructor)) static void on_load(void) {
  (void)gxds_loader_register(GXDS_REGISTER_BY_LOADING);
}

grpc_xds_result grpc_xds_plugin_register(void) {
  return gxds_loader_register(GXDS_REGISTER_BY_CALL);
}

grpc_xds_result grpc_xds_register_policy(const grpc_xds_policy_type *type) {
  const grpc_xds_result registered = gxds_loader_register(GXDS_REGISTER_BY_CALL);
  if (registered != GRPC_XDS_OK) return registered;
  gxds_impl_register_policy_function entry =
      (gxds_impl_register_policy_function)gxds_loader_impl_function(GXDS_IMPL_REGISTER_POLICY);
  return entry ? entry(type) : GRPC_XDS_ERROR_IMPLEMENTATION;
}

const char *grpc_xds_version(void) { return GRPC_XDS_VERSION; }
