#include <string.h>

#include "base/memory.h"
#include "xds_resolver/cluster_map.h"

/* The name is stored in the same allocation, behind the struct. */
static gxds_cluster_entry *entry_create(gxds_str name, gxds_cluster_entry_kind kind,
                                        const gxds_error *note) {
  gxds_cluster_entry *e = gxds_calloc(1, sizeof *e + name.size + 1);
  char *text = (char *)(e + 1);
  gxds_ref_init(&e->refs);
  e->kind = kind;
  if (name.size) memcpy(text, name.data, name.size);
  e->name = gxds_str_of(text, name.size);
  if (note) e->resolution_note = gxds_error_ref(note);
  return e;
}

static const gxds_cluster *cluster_ref(const gxds_cluster *cluster) {
  gxds_resource_ref(&cluster->base);
  return cluster;
}

static gxds_cluster_entry *error_create(gxds_str name, const gxds_status *error) {
  GXDS_CHECK(!gxds_status_is_ok(error));
  gxds_cluster_entry *e = entry_create(name, GXDS_ENTRY_ERROR, NULL);
  gxds_status *copy = GXDS_NEW(gxds_status);
  *copy = gxds_status_copy(error);
  e->error = copy;
  return e;
}

const gxds_cluster_entry *gxds_cluster_entry_error(gxds_str name, const gxds_status *error) {
  return error_create(name, error);
}

const gxds_cluster_entry *gxds_cluster_entry_deleted(gxds_str name, const gxds_status *error) {
  gxds_cluster_entry *e = error_create(name, error);
  e->deleted = true;
  return e;
}

const gxds_cluster_entry *gxds_cluster_entry_endpoints(gxds_str name, const gxds_cluster *cluster,
                                                       const gxds_endpoints *endpoints,
                                                       const gxds_error *resolution_note) {
  gxds_cluster_entry *e = entry_create(name, GXDS_ENTRY_ENDPOINTS, resolution_note);
  e->cluster = cluster_ref(cluster);
  if (endpoints) {
    gxds_resource_ref(&endpoints->base);
    e->endpoints = endpoints;
  }
  return e;
}

const gxds_cluster_entry *gxds_cluster_entry_aggregate(gxds_str name, const gxds_cluster *cluster,
                                                       const gxds_str *leaf_clusters, size_t count,
                                                       const gxds_error *resolution_note) {
  gxds_cluster_entry *e = entry_create(name, GXDS_ENTRY_AGGREGATE, resolution_note);
  e->cluster = cluster_ref(cluster);
  e->leaf_clusters = gxds_strs_dup(leaf_clusters, count);
  e->leaf_cluster_count = (uint32_t)count;
  return e;
}

const gxds_cluster_entry *gxds_cluster_entry_ref(const gxds_cluster_entry *e) {
  gxds_ref_inc(&e->refs);
  return e;
}

void gxds_cluster_entry_destroy(const gxds_cluster_entry *last) {
  gxds_cluster_entry *e = (gxds_cluster_entry *)last;
  if (e->error) gxds_status_fini((gxds_status *)e->error);
  gxds_free((gxds_status *)e->error);
  gxds_error_unref(e->resolution_note);
  if (e->cluster) gxds_resource_unref(&e->cluster->base);
  if (e->endpoints) gxds_resource_unref(&e->endpoints->base);
  for (size_t i = 0; i < e->leaf_cluster_count; i++)
    gxds_str_free((gxds_str *)&e->leaf_clusters[i]);
  gxds_free((gxds_str *)e->leaf_clusters);
  gxds_free(e);
}

void gxds_cluster_entry_unref(const gxds_cluster_entry *e) {
  if (e && gxds_ref_dec(&e->refs)) gxds_cluster_entry_destroy(e);
}

const gxds_priority *gxds_cluster_entry_priority(const gxds_cluster_entry *e, size_t number) {
  if (!e->endpoints || number >= e->endpoints->priority_count) return NULL;
  return &e->endpoints->priorities[number];
}

bool gxds_cluster_entry_equal(const gxds_cluster_entry *a, const gxds_cluster_entry *b) {
  if (a == b) return true;
  if (a->kind != b->kind || !gxds_str_equal(a->name, b->name)) return false;
  if (a->cluster != b->cluster || a->endpoints != b->endpoints) return false;
  if (a->deleted != b->deleted) return false;
  if (a->error && !gxds_status_equal(a->error, b->error)) return false;
  if (!gxds_error_equal(a->resolution_note, b->resolution_note)) return false;
  return gxds_cluster_entry_same_leaves(a, b);
}

bool gxds_cluster_entry_same_leaves(const gxds_cluster_entry *a, const gxds_cluster_entry *b) {
  return gxds_strs_equal(a->leaf_clusters, a->leaf_cluster_count, b->leaf_clusters,
                         b->leaf_cluster_count);
}

void gxds_cluster_entry_add_note(const gxds_cluster_entry *e, gxds_text *message) {
  gxds_str note = gxds_error_text(e->resolution_note);
  /* Does not repeat the note. One of the program's policies may have added it, because outside of
   * xDS a policy must do so. */
  if (note.size > 0 && !strstr(message->data, note.data)) {
    const bool only_origin = e->resolution_note->message.size == 0;
    gxds_text_add_z(message, only_origin ? " " : ": ");
    gxds_text_add(message, note);
  }
  gxds_str_free(&note);
}

void gxds_cluster_entry_explain(const gxds_cluster_entry *e, gxds_text *message) {
  gxds_text_add_z(message, " (cluster ");
  gxds_text_add_escaped(message, e->name);
  gxds_text_add_z(message, ")");
  gxds_cluster_entry_add_note(e, message);
}
