/* gxds_host_library: the gRPC library that this process has loaded. The loader is not linked to
 * gRPC, so it looks for the library here. Any thread. A library that was found is never unloaded,
 * so the results stay valid. */
#ifndef GRPC_XDS_PLUGIN_HOST_LIBRARY_H_
#define GRPC_XDS_PLUGIN_HOST_LIBRARY_H_

#include <stdbool.h>

/* A function of the host. */
typedef void (*gxds_host_function)(void);

/* A gRPC library for which there is an implementation (plugin/impl.h). Static. */
typedef struct gxds_known_host {
  const char *version;
  const char *soname;
  const char *impl_file;
} gxds_known_host;
#define GXDS_KNOWN_HOSTS 2
extern const gxds_known_host gxds_known_hosts[GXDS_KNOWN_HOSTS];

typedef struct gxds_host_library {
  const gxds_known_host *known; /* the entry with its soname; NULL if the soname is unknown */
  const gxds_known_host *other; /* a second gRPC in the process; NULL: there is none */
  void *handle;                 /* NULL if known is NULL */
  /* the result of its grpc_version_string(); "" if the library does not have that function */
  const char *version;
  const char *file;
} gxds_host_library;

/* False if this process has no shared libgrpc (yet). A gRPC that is linked into the program or into
 * another library does not count, since it can't be reached from here. */
bool gxds_host_library_find(gxds_host_library *out);

/* A function of the library, or of a library that it depends on. NULL if there is none, or if the
 * library has no handle. */
gxds_host_function gxds_host_library_function(const gxds_host_library *host, const char *name);

/* The grpc_init() that the code at address `caller` would have called without our own grpc_init().
 * NULL if there is none. Sets *lasting to whether later calls return the same function. */
gxds_host_function gxds_real_grpc_init(void *caller, bool *lasting);

#endif
