#include "xds_resolver/config_change.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

typedef struct change {
  const gxds_cluster_entry *before; /* NULL if the entry is new */
  const gxds_cluster_entry *after;  /* NULL if the entry is removed */
} change;

typedef struct changes {
  change *list;
  size_t count;
  size_t capacity;
} changes;

static void add_change(void *arg, const gxds_cluster_entry *before,
                       const gxds_cluster_entry *after) {
  changes *all = arg;
  GXDS_MAKE_ROOM(all->list, all->count, all->capacity, 16);
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
  gxds_text_addf(out, " %s", mark);
  gxds_text_add_escaped(out, name_of(c));
  if (!c->after || c->after->kind != GXDS_ENTRY_ERROR) return;
  gxds_text_addf(out, " (%.*s)", GXDS_STR_ARG(gxds_cluster_entry_why(c->after)));
}

typedef void (*add_fn)(void *all, const gxds_cluster_entry *before,
                       const gxds_cluster_entry *after);

/* Collects the changes between two snapshots that add() accepts, sorted by name. The caller frees
 * the list. */
static changes diff(const gxds_config *before, const gxds_config *after, add_fn add) {
  changes all = {0};
  gxds_cluster_map_diff(before ? before->clusters : NULL, after->clusters, add, &all);
  if (all.count) qsort(all.list, all.count, sizeof *all.list, by_name);
  return all;
}

void gxds_config_describe_change(const gxds_config *before, const gxds_config *after,
                                 gxds_text *out) {
  add_resource(out, "listener", before ? before->listener : NULL, after->listener);
  add_resource(out, "routes", before ? before->virtual_host : NULL, after->virtual_host);
  changes all = diff(before, after, add_change);
  gxds_text_add_z(out, "clusters:");
  for (size_t i = 0; i < all.count && i < GXDS_CHANGED_CLUSTERS_LISTED_MAX; i++) {
    add_cluster(out, &all.list[i]);
  }
  if (all.count > GXDS_CHANGED_CLUSTERS_LISTED_MAX) {
    gxds_text_addf(out, " and %zu more", all.count - GXDS_CHANGED_CLUSTERS_LISTED_MAX);
  }
  gxds_text_addf(out, " (%zu in all)", gxds_name_map_count(after->clusters));
  gxds_free(all.list);
}

/* ---- what is wrong ---- */

static bool has_endpoints(const gxds_endpoints *e) {
  for (size_t i = 0; e && i < e->priority_count; i++) {
    const gxds_priority *p = &e->priorities[i];
    for (size_t j = 0; j < p->locality_count; j++) {
      if (p->localities[j]->endpoint_count > 0) return true;
    }
  }
  return false;
}

/* The fault of an entry: NONE, AMBIENT or UNUSABLE. */
static gxds_fault fault_of(const gxds_cluster_entry *e) {
  if (!e) return GXDS_FAULT_NONE;
  if (e->kind == GXDS_ENTRY_ERROR) return GXDS_FAULT_UNUSABLE;
  if (!e->resolution_note || e->resolution_note->code == GXDS_OK) return GXDS_FAULT_NONE;
  bool usable =
      e->kind == GXDS_ENTRY_AGGREGATE ? e->leaf_cluster_count > 0 : has_endpoints(e->endpoints);
  return usable ? GXDS_FAULT_AMBIENT : GXDS_FAULT_UNUSABLE;
}

static bool same_text(const gxds_cluster_entry *a, const gxds_cluster_entry *b) {
  return gxds_str_equal(gxds_cluster_entry_why(a), gxds_cluster_entry_why(b)) &&
         gxds_error_same_text(a->resolution_note, b->resolution_note);
}

static void add_why(gxds_text *out, const gxds_cluster_entry *e) {
  gxds_text_add(out, gxds_cluster_entry_why(e));
  gxds_error_render(e->resolution_note, out);
}

/* The fault that a change is reported as; NONE if it is not reported. */
static gxds_fault fault_of_change(const change *c) {
  gxds_fault was = fault_of(c->before);
  gxds_fault is = fault_of(c->after);
  if (is == GXDS_FAULT_NONE) {
    /* The fault of a removed cluster is not over. But RPCs no longer use that cluster, so nothing
     * is reported. */
    return was != GXDS_FAULT_NONE && c->after ? GXDS_FAULT_OVER : GXDS_FAULT_NONE;
  }
  return is == was && same_text(c->before, c->after) ? GXDS_FAULT_NONE : is;
}

static void add_fault(void *arg, const gxds_cluster_entry *before,
                      const gxds_cluster_entry *after) {
  if (fault_of_change(&(change){before, after}) != GXDS_FAULT_NONE) add_change(arg, before, after);
}

size_t gxds_fault_size(gxds_str text, size_t max) {
  if (text.size <= max) return text.size;
  /* Does not cut a character in two. */
  while (max > 0 && ((unsigned char)text.data[max] & 0xc0) == 0x80) max--;
  return max;
}

gxds_fault gxds_config_describe_faults(const gxds_config *before, const gxds_config *after,
                                       gxds_text *out) {
  static const size_t room = sizeof " and 4294967295 more clusters" - 1;
  const size_t max = GXDS_FAULTS_BYTES_MAX - room;
  changes all = diff(before, after, add_fault);
  gxds_fault worst = GXDS_FAULT_NONE;
  gxds_text text = {0};
  size_t listed = 0;
  for (size_t i = 0; i < all.count; i++) {
    gxds_fault kind = fault_of_change(&all.list[i]);
    if (kind > worst) worst = kind;
    if (listed == GXDS_FAULTY_CLUSTERS_LISTED_MAX || text.size >= max) continue;
    gxds_text_add_z(&text, listed++ ? "; cluster " : "cluster ");
    gxds_text_add_escaped(&text, name_of(&all.list[i]));
    gxds_text_add_z(&text, ": ");
    if (kind == GXDS_FAULT_OVER) {
      gxds_text_add_z(&text, "well again");
    } else {
      add_why(&text, all.list[i].after);
    }
  }
  gxds_text_add(out, gxds_str_of(text.data, gxds_fault_size(gxds_text_str(&text), max)));
  if (all.count > listed) gxds_text_addf(out, " and %zu more clusters", all.count - listed);
  gxds_text_fini(&text);
  gxds_free(all.list);
  return worst;
}
