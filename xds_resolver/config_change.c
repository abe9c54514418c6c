#include "xds_resolver/config_change.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

typedef struct change {
  const gxds_cluster_entry *before; /* NULL: it is new */
  const gxds_cluster_entry *after;  /* NULL: it is gone */
} change;

typedef struct changes {
  change *list;
  size_t count;
  size_t capacity;
} changes;

static void add_change(void *arg, const gxds_cluster_entry *before,
                       const gxds_cluster_entry *after) {
  changes *all = arg;
  if (all->count == all->capacity) {
    all->capacity = all->capacity ? 2 * all->capacity : 16;
    all->list = gxds_realloc(all->list, all->capacity, sizeof *all->list);
  }
  all->list[all->count++] = (change){before, after};
}

static gxds_str name_of(const change *c) {
  const gxds_cluster_entry *either = c->after ? c->after : c->before;
  GXDS_CHECK(either);
  return either->name;
}

static int by_name(const void *a, const void *b) {
  return gxds_str_compare(name_of(a), name_of(b));
}

static void add_resource(gxds_text *out, const char *name, const void *before, const void *after) {
  gxds_text_addf(out, "%s %s, ", name, !before ? "new" : before == after ? "unchanged" : "changed");
}

static void add_cluster(gxds_text *out, const change *c) {
  const char *mark = !c->before ? "+" : c->after ? "~" : "-";
  gxds_text_addf(out, " %s%.*s", mark, GXDS_STR_ARG(name_of(c)));
  if (!c->after || c->after->kind != GXDS_ENTRY_ERROR) return;
  gxds_text_addf(out, " (%.*s)", GXDS_STR_ARG(c->after->error.message));
}

void gxds_config_describe_change(const gxds_config *before, const gxds_config *after,
                                 gxds_text *out) {
  add_resource(out, "listener", before ? before->listener : NULL, after->listener);
  add_resource(out, "routes", before ? before->virtual_host : NULL, after->virtual_host);
  changes all = {0};
  gxds_cluster_map_diff(before ? before->clusters : NULL, after->clusters, add_change, &all);
  if (all.count) qsort(all.list, all.count, sizeof *all.list, by_name);
  gxds_text_add_z(out, "clusters:");
  for (size_t i = 0; i < all.count && i < GXDS_CHANGED_CLUSTERS_TOLD_MAX; i++) {
    add_cluster(out, &all.list[i]);
  }
  if (all.count > GXDS_CHANGED_CLUSTERS_TOLD_MAX) {
    gxds_text_addf(out, " and %zu more", all.count - GXDS_CHANGED_CLUSTERS_TOLD_MAX);
  }
  gxds_text_addf(out, " (%zu in all)", gxds_cluster_map_count(after->clusters));
  gxds_free(all.list);
}
