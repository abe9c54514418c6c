#include "xds_resolver/cluster_map.h"

#include <stddef.h>

static void destroy(const void *entry) { gxds_cluster_entry_destroy(entry); }

static const gxds_name_map_type type = {offsetof(gxds_cluster_entry, name), destroy};

const gxds_cluster_entry *gxds_cluster_map_get(const gxds_cluster_map *m, gxds_str name) {
  return gxds_name_map_get(m, gxds_name_map_hash(name), name);
}

const gxds_cluster_map *gxds_cluster_map_put(const gxds_cluster_map *m,
                                             const gxds_cluster_entry *take_entry) {
  return gxds_name_map_put(m, &type, gxds_name_map_hash(take_entry->name), take_entry);
}

const gxds_cluster_map *gxds_cluster_map_remove(const gxds_cluster_map *m, gxds_str name) {
  return gxds_name_map_remove(m, gxds_name_map_hash(name), name);
}

typedef struct diff_call {
  void (*fn)(void *arg, const gxds_cluster_entry *before, const gxds_cluster_entry *after);
  void *arg;
} diff_call;

static void on_difference(void *arg, const void *before, const void *after) {
  const diff_call *call = arg;
  call->fn(call->arg, before, after);
}

void gxds_cluster_map_diff(const gxds_cluster_map *before, const gxds_cluster_map *after,
                           void (*fn)(void *arg, const gxds_cluster_entry *before,
                                      const gxds_cluster_entry *after),
                           void *arg) {
  diff_call call = {fn, arg};
  gxds_name_map_diff(before, after, on_difference, &call);
}

typedef struct each_call {
  void (*fn)(void *arg, const gxds_cluster_entry *entry);
  void *arg;
} each_call;

static void on_entry(void *arg, const void *before, const void *after) {
  (void)before;
  const each_call *call = arg;
  call->fn(call->arg, after);
}

void gxds_cluster_map_each(const gxds_cluster_map *m,
                           void (*fn)(void *arg, const gxds_cluster_entry *entry), void *arg) {
  each_call call = {fn, arg};
  gxds_name_map_diff(NULL, m, on_entry, &call);
}
