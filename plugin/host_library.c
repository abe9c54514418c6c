#include "plugin/host_library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/impl.h"

/* This is our own function, which libgrpc_xds.so exports. */
void grpc_init(void);

/* ISO C has no conversion from an object pointer to a function's; POSIX guarantees this one. */
static gxds_host_function to_function(void *symbol) {
  gxds_host_function function;
  memcpy(&function, &symbol, sizeof function);
  return function;
}

static const char *file_of(void *address) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static const char *version_from(void *symbol) {
  const char *(*version_string)(void);
  memcpy(&version_string, &symbol, sizeof version_string);
  const char *version = version_string ? version_string() : NULL;
  return version ? version : "";
}

#define KNOWN(version, soname, impl_file) {version, soname, impl_file},
const gxds_known_host gxds_known_hosts[GXDS_KNOWN_HOSTS] = {GXDS_HOSTS(KNOWN)};

static void *loaded(const gxds_known_host *host) {
  return dlopen(host->soname, RTLD_LAZY | RTLD_NOLOAD);
}

bool gxds_host_library_find(gxds_host_library *out) {
  *out = (gxds_host_library){.version = "", .file = "libgrpc.so"};
  /* The library is found by its soname, not by a symbol: another copy of gRPC may be linked into
   * the program, and the library that Ruby's extension loads is not in the global scope. */
  for (size_t i = 0; i < GXDS_KNOWN_HOSTS; i++) {
    const gxds_known_host *known = &gxds_known_hosts[i];
    void *handle = loaded(known);
    if (!handle) continue;
    if (out->handle) {
      out->other = known;
    } else {
      out->known = known;
      out->handle = handle;
    }
  }
  void *version = dlsym(out->handle ? out->handle : RTLD_DEFAULT, "grpc_version_string");
  if (version) {
    out->version = version_from(version);
    out->file = file_of(version);
  }
  if (out->handle) return true;
  return version && strncmp(base_name(out->file), "libgrpc.so", strlen("libgrpc.so")) == 0;
}

gxds_host_function gxds_host_library_function(const gxds_host_library *host, const char *name) {
  if (!host->handle) return NULL;
  return to_function(dlsym(host->handle, name));
}

static void *not_ours(void *symbol) {
  return symbol && to_function(symbol) != grpc_init ? symbol : NULL;
}

/* Finds the grpc_init() in the caller's library, or in a library that it depends on. A library that
 * was opened with dlopen() may not be in the global scope, and may have its own gRPC. */
static void *init_near(void *caller) {
  Dl_info info;
  struct link_map *map = NULL;
  if (!dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return NULL;
  /* The program itself: its symbols are in the global scope. */
  if (!map->l_name || !*map->l_name) return NULL;
  void *library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  return library ? not_ours(dlsym(library, "grpc_init")) : NULL;
}

/* Copies of the names of loaded libraries. The libraries are opened only after dl_iterate_phdr()
 * has returned. It holds one of the dynamic linker's locks, and dlopen() takes another, which could
 * deadlock. */
enum { kNamesMax = 1024 };
typedef struct names {
  size_t count;
  char *items[kNamesMax];
} names;

static int add_name(struct dl_phdr_info *info, size_t size, void *arg) {
  (void)size;
  names *all = arg;
  if (all->count == kNamesMax) return 1;
  if (!info->dlpi_name || !*info->dlpi_name) return 0;
  char *copy = strdup(info->dlpi_name);
  if (copy) all->items[all->count++] = copy;
  return 0;
}

static void *init_anywhere(void) {
  void *symbol = NULL;
  for (size_t i = 0; !symbol && i < GXDS_KNOWN_HOSTS; i++) {
    void *host = loaded(&gxds_known_hosts[i]);
    if (host) symbol = not_ours(dlsym(host, "grpc_init"));
  }
  if (symbol) return symbol;
  names all = {0};
  dl_iterate_phdr(add_name, &all);
  for (size_t i = 0; i < all.count; i++) {
    void *library = symbol ? NULL : dlopen(all.items[i], RTLD_LAZY | RTLD_NOLOAD);
    free(all.items[i]);
    if (!library) continue;
    symbol = not_ours(dlsym(library, "grpc_init"));
    if (!symbol) dlclose(library);
  }
  return symbol;
}

gxds_host_function gxds_real_grpc_init(void *caller, bool *lasting) {
  void *symbol = init_near(caller);
  if (!symbol) symbol = not_ours(dlsym(RTLD_NEXT, "grpc_init"));
  *lasting = symbol != NULL;
  /* A function that ends in a call of grpc_init() may jump there. Then `caller` is in that
   * function's own caller, which may have nothing to do with gRPC. */
  if (!symbol) symbol = init_anywhere();
  return to_function(symbol);
}
