/* gxds_host_library: the gRPC that this process has loaded, found without being linked to it. Any
 * thread. Nothing found is ever unloaded again: what was found stays valid. */
#ifndef GRPC_XDS_PLUGIN_HOST_LIBRARY_H_
#define GRPC_XDS_PLUGIN_HOST_LIBRARY_H_

#include <stdbool.h>

/* A function of the host. */
typedef void (*gxds_host_function)(void);

/* One that there is an implementation for (plugin/impl.h). Static. */
typedef struct gxds_known_host {
  const char *version;
  const char *soname;
  const char *impl_file;
} gxds_known_host;
#define GXDS_KNOWN_HOSTS 2
extern const gxds_known_host gxds_known_hosts[GXDS_KNOWN_HOSTS];

typedef struct gxds_host_library {
  const gxds_known_host *known; /* by its soname; NULL: a gRPC of another one */
  const gxds_known_host *other; /* there is a second one; NULL: there is not */
  void *handle;                 /* NULL: as above */
  const char *version;          /* grpc_version_string(); "" when it has none */
  const char *file;
} gxds_host_library;

/* False: this process has no shared libgrpc (yet). One that is linked into the program or into
 * another library does not count: it cannot be reached from here. */
bool gxds_host_library_find(gxds_host_library *out);

/* A function of the library or of those it depends on; NULL: none, or the library has no handle. */
gxds_host_function gxds_host_library_function(const gxds_host_library *host, const char *name);

/* The grpc_init() that code at this address would have called if ours did not come first. NULL:
 * there is none. *lasting: whether the answer will be the same the next time. */
gxds_host_function gxds_real_grpc_init(void *caller, bool *lasting);

#endif
