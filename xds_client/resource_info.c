/* The state of each resource, for CSDS, metrics and the like. */
#include <stdlib.h>

#include "xds_client/client_internal.h"

static int by_name(const void *a, const void *b) {
  const gxds_entry *const *x = a;
  const gxds_entry *const *y = b;
  if ((*x)->type != (*y)->type) return (*x)->type < (*y)->type ? -1 : 1;
  return gxds_str_compare((*x)->name, (*y)->name);
}

static gxds_resource_info info_of(const gxds_client *c, const gxds_entry *e) {
  gxds_resource_info info = {.type = c->types[e->type],
                             .name = e->name,
                             .state = e->state,
                             .version = e->version,
                             .bytes = e->bytes,
                             .resource = e->resource,
                             .updated = e->updated,
                             .restored = e->restored,
                             .watcher_count = e->watch_count};
  if (e->failure) {
    info.error = e->failure->error;
    info.failed_version = e->failure->version;
    info.failed = e->failure->since;
  }
  return info;
}

/* Calls fn once for each entry, in order. */
static void visit_sorted(const gxds_client *c, const gxds_entry **entries, size_t count,
                         void (*fn)(void *arg, const gxds_resource_info *), void *arg) {
  qsort((void *)entries, count, sizeof *entries, by_name);
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && entries[i] == entries[i - 1]) continue;
    gxds_resource_info info = info_of(c, entries[i]);
    fn(arg, &info);
  }
}

void gxds_client_each_resource(const gxds_client *c,
                               void (*fn)(void *arg, const gxds_resource_info *), void *arg) {
  for (size_t type = 0; type < c->type_count; type++) {
    const gxds_entry **entries =
        gxds_calloc(HASH_CNT(by_name, c->by_name[type]), sizeof(gxds_entry *));
    size_t count = 0;
    for (const gxds_entry *e = c->by_name[type]; e; e = e->by_name.next) {
      if (e->watch_count > 0) entries[count++] = e;
    }
    visit_sorted(c, entries, count, fn, arg);
    gxds_free((void *)entries);
  }
}

void gxds_client_each_watched(const gxds_client *c, const gxds_watch_id *watches, size_t count,
                              void (*fn)(void *arg, const gxds_resource_info *), void *arg) {
  const gxds_entry **entries = gxds_calloc(count, sizeof(gxds_entry *));
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    const gxds_watch *w = gxds_watch_find(c, watches[i]);
    if (w && w->entry) entries[found++] = w->entry;
  }
  visit_sorted(c, entries, found, fn, arg);
  gxds_free((void *)entries);
}
