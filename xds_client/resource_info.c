/* The state of each resource, for CSDS, metrics and the like. */
#include <stdlib.h>

#include "xds_client/client_internal.h"

static int by_name(const void *a, const void *b) {
  const gxds_entry *const *x = a;
  const gxds_entry *const *y = b;
  if ((*x)->type != (*y)->type) return (*x)->type < (*y)->type ? -1 : 1;
  return gxds_str_compare(gxds_entry_name(*x), gxds_entry_name(*y));
}

static gxds_resource_info info_of(const gxds_client *c, const gxds_entry *e) {
  gxds_resource_info info = {.type = c->types[e->type],
                             .name = gxds_entry_name(e),
                             .state = e->state,
                             .version = gxds_entry_version(e),
                             .bytes = gxds_entry_bytes(e),
                             .resource = e->resource,
                             .updated = e->updated,
                             .restored = e->restored,
                             .watcher_count = e->watch_count};
  const gxds_update_failure *failure = gxds_entry_failure(e);
  if (failure) {
    info.error = failure->error;
    info.failed_version = failure->version;
    info.failed = failure->since;
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
  size_t entry_count = 0;
  for (size_t i = 0; i < c->authority_count; i++) entry_count += c->authorities[i].entry_count;
  const gxds_entry **entries = gxds_calloc(entry_count, sizeof(gxds_entry *));
  size_t watched = 0;
  for (size_t i = 0; i < c->authority_count; i++) {
    const gxds_entry *e;
    DL_FOREACH(c->authorities[i].entries, e) {
      if (e->watch_count > 0) entries[watched++] = e;
    }
  }
  visit_sorted(c, entries, watched, fn, arg);
  gxds_free((void *)entries);
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
