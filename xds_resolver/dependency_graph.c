/* The wanted clusters (nodes), and the sources of their endpoints. */
#include "resources/resources.h"
#include "xds_resolver/dependency_internal.h"

/* ---- sources ---- */

static gxds_source **sources_of(gxds_dependency_manager *m, const gxds_cluster *cluster) {
  return cluster->kind == GXDS_CLUSTER_EDS ? &m->eds : &m->dns;
}

/* Adds "host:port" (A37). An IPv6 address gets brackets. */
static void add_dns_name(gxds_text *out, const gxds_cluster *cluster) {
  gxds_str host = cluster->dns_host;
  bool bare = host.size > 0 && host.data[0] != '[' && memchr(host.data, ':', host.size);
  gxds_text_addf(out, bare ? "[%.*s]:%u" : "%.*s:%u", GXDS_STR_ARG(host), cluster->dns_port);
}

/* The source of a leaf's endpoints, made if there is none. */
static gxds_source *source_get(gxds_dependency_manager *m, const gxds_cluster *cluster) {
  gxds_text dns_name = {NULL, 0, 0};
  gxds_str name = gxds_cluster_eds_name(cluster);
  if (cluster->kind != GXDS_CLUSTER_EDS) {
    add_dns_name(&dns_name, cluster);
    name = gxds_text_str(&dns_name);
  }
  gxds_source **all = sources_of(m, cluster);
  gxds_source *source = NULL;
  HASH_FIND(by_name, *all, name.data, name.size, source);
  if (!source) {
    source = GXDS_NEW(gxds_source);
    const gxds_resource_type *type =
        cluster->kind == GXDS_CLUSTER_EDS ? &gxds_endpoints_type : NULL;
    gxds_subject_start(m, &source->subject, GXDS_SUBJECT_SOURCE, type, name);
    HASH_ADD_KEYPTR(by_name, *all, source->subject.name.data, source->subject.name.size, source);
    DL_PREPEND(m->idle, source);
  }
  gxds_text_fini(&dns_name);
  return source;
}

static void use_set(gxds_dependency_manager *m, gxds_use *use, gxds_node *node,
                    gxds_source *source) {
  if (use->source == source) return;
  if (use->source) {
    DL_DELETE(use->source->uses, use);
    /* It is stopped once its replacement is published. */
    if (!use->source->uses) DL_PREPEND(m->idle, use->source);
  }
  use->node = node;
  use->source = source;
  if (!source) return;
  if (!source->uses) DL_DELETE(m->idle, source);
  DL_APPEND(source->uses, use);
}

void gxds_node_release_sources(gxds_dependency_manager *m, gxds_node *node) {
  use_set(m, &node->shown, node, NULL);
  use_set(m, &node->awaited, node, NULL);
}

bool gxds_node_awaits(const gxds_node *node) {
  const gxds_source *source = node->awaited.source;
  return source && source->subject.presence == GXDS_REQUESTED;
}

void gxds_source_touch(gxds_dependency_manager *m, gxds_source *source) {
  gxds_use *use;
  DL_FOREACH(source->uses, use) { gxds_node_touch(m, use->node); }
}

static void source_destroy(gxds_source *source) {
  gxds_error_unref(source->warning);
  gxds_subject_fini(&source->subject);
  gxds_free(source);
}

void gxds_sources_drop_idle(gxds_dependency_manager *m) {
  while (m->idle) {
    gxds_source *source = m->idle;
    DL_DELETE(m->idle, source);
    gxds_source **all = source->subject.type ? &m->eds : &m->dns;
    HASH_DELETE(by_name, *all, source);
    gxds_subject_stop(m, &source->subject);
    source_destroy(source);
  }
}

void gxds_source_warn(gxds_source *source) {
  gxds_error_assign(&source->warning, NULL);
  const gxds_endpoints *e = (const gxds_endpoints *)source->subject.resource;
  if (!e || !source->subject.type) return;
  gxds_text warning = {NULL, 0, 0};
  if (e->priority_count == 0) gxds_text_add_z(&warning, "contains no localities");
  for (size_t i = 0; i < e->priority_count; i++) {
    for (size_t j = 0; j < e->priorities[i].locality_count; j++) {
      const gxds_locality *l = e->priorities[i].localities[j];
      if (l->endpoint_count > 0) continue;
      gxds_text_add_z(&warning, warning.size ? "; " : "contains empty localities: [");
      gxds_locality_render_name(l, &warning);
    }
  }
  if (warning.size && e->priority_count) gxds_text_add_z(&warning, "]");
  gxds_text escaped = {NULL, 0, 0};
  gxds_text_add_escaped(&escaped, gxds_text_str(&warning));
  if (warning.size) {
    const gxds_error *from = source->subject.from;
    source->warning = gxds_error_create(GXDS_UNAVAILABLE, &escaped, from->server, from->node_id);
  }
  gxds_text_fini(&warning);
  gxds_text_fini(&escaped);
}

/* ---- nodes ---- */

gxds_node *gxds_node_find(const gxds_dependency_manager *m, gxds_str name) {
  gxds_node *node = NULL;
  HASH_FIND(by_name, m->nodes_by_name, name.data, name.size, node);
  return node;
}

gxds_node *gxds_node_get(gxds_dependency_manager *m, gxds_str name) {
  gxds_node *node = gxds_node_find(m, name);
  if (node) return node;
  node = GXDS_NEW(gxds_node);
  gxds_subject_start(m, &node->subject, GXDS_SUBJECT_NODE, &gxds_cluster_type, name);
  HASH_ADD_KEYPTR(by_name, m->nodes_by_name, node->subject.name.data, node->subject.name.size,
                  node);
  DL_APPEND(m->nodes, node);
  return node;
}

void gxds_node_touch(gxds_dependency_manager *m, gxds_node *node) {
  if (node->dirty) return;
  node->dirty = true;
  node->next_dirty = m->dirty;
  m->dirty = node;
}

void gxds_nodes_touch_all(gxds_dependency_manager *m) {
  gxds_node *node;
  DL_FOREACH(m->nodes, node) { gxds_node_touch(m, node); }
}

const gxds_cluster *gxds_node_latest(const gxds_node *node) {
  return node->subject.presence == GXDS_PRESENT ? (const gxds_cluster *)node->subject.resource
                                                : NULL;
}

bool gxds_node_is_latest_aggregate(const gxds_node *node) {
  const gxds_cluster *latest = gxds_node_latest(node);
  return latest && latest->kind == GXDS_CLUSTER_AGGREGATE;
}

static bool entry_is_aggregate(const gxds_cluster_entry *entry) {
  return entry && entry->kind == GXDS_ENTRY_AGGREGATE;
}

void gxds_node_set_entry(gxds_dependency_manager *m, gxds_node *node,
                         const gxds_cluster_entry *take_entry) {
  const gxds_cluster_entry *old = node->entry;
  if (old && gxds_cluster_entry_equal(old, take_entry)) {
    gxds_cluster_entry_unref(take_entry);
    return;
  }
  if (!old && node->in_candidate) m->candidate_missing--;
  if (!old && (node->subscriptions || node->held)) m->map_dirty = true;
  if (node->under_aggregate && (!old || old->kind != take_entry->kind)) m->aggregates_dirty = true;
  if (entry_is_aggregate(take_entry) || entry_is_aggregate(old)) {
    bool other_children = !old || old->cluster != take_entry->cluster;
    if (other_children) m->map_dirty = m->shrunk = m->aggregates_dirty = true;
  }
  node->entry = take_entry;
  gxds_cluster_entry_unref(old);
  if (node->in_map) gxds_dependency_map_put(m, node);
}

/* ---- leaves ---- */

/* A88: everything that is wrong with this cluster's resources, and the server that they come from.
 */
static const gxds_error *make_note(const gxds_dependency_manager *m, const gxds_node *node,
                                   const gxds_source *source) {
  const gxds_subject *s = &source->subject;
  const char *kind = s->type ? "EDS resource" : "DNS name";
  gxds_note note = {{NULL, 0, 0}, NULL, 0, 0};
  gxds_root_add_ambient(m, &note);
  gxds_note_add(&note, "CDS resource", node->subject.name, node->subject.ambient);
  gxds_note_add(&note, kind, s->name, s->error);
  gxds_note_add(&note, kind, s->name, s->ambient);
  gxds_note_add(&note, kind, s->name, source->warning);
  return gxds_note_take(&note, node->subject.from);
}

static const gxds_cluster_entry *leaf_entry(const gxds_dependency_manager *m, const gxds_node *node,
                                            const gxds_cluster *cluster,
                                            const gxds_source *source) {
  const gxds_error *note = make_note(m, node, source);
  const gxds_cluster_entry *entry = gxds_cluster_entry_endpoints(
      node->subject.name, cluster, (const gxds_endpoints *)source->subject.resource, note);
  gxds_error_unref(note);
  return entry;
}

/* The latest resource is a leaf: renews the entry, if the endpoints are known. */
static void renew_leaf(gxds_dependency_manager *m, gxds_node *node, const gxds_cluster *latest) {
  if (gxds_node_awaits(node)) return;
  gxds_source *source = source_get(m, latest);
  /* The new use is set before the old one ends, because both may be of the same source. */
  use_set(m, &node->shown, node, source);
  use_set(m, &node->awaited, node, NULL);
  gxds_node_set_entry(m, node, leaf_entry(m, node, latest, source));
}

/* The latest resource waits for its endpoints: renews the entry with the resource that it has. */
static void renew_shown(gxds_dependency_manager *m, gxds_node *node) {
  if (!node->shown.source || !node->entry || node->entry->kind != GXDS_ENTRY_ENDPOINTS) return;
  if (node->shown.source->subject.presence == GXDS_REQUESTED) return;
  gxds_node_set_entry(m, node, leaf_entry(m, node, node->entry->cluster, node->shown.source));
}

static void enlist_aggregate(gxds_dependency_manager *m, gxds_node *node) {
  bool is = gxds_node_is_latest_aggregate(node) || entry_is_aggregate(node->entry);
  if (is == node->is_aggregate) return;
  node->is_aggregate = is;
  if (is) {
    DL_APPEND2(m->aggregates, node, prev_aggregate, next_aggregate);
  } else {
    DL_DELETE2(m->aggregates, node, prev_aggregate, next_aggregate);
  }
}

/* Uses the source that the latest resource needs. The entry keeps its own source. */
static void refresh(gxds_dependency_manager *m, gxds_node *node) {
  const gxds_cluster *latest = gxds_node_latest(node);
  if (latest && latest->kind != GXDS_CLUSTER_AGGREGATE) {
    gxds_source *source = source_get(m, latest);
    use_set(m, &node->awaited, node, source == node->shown.source ? NULL : source);
  } else {
    use_set(m, &node->awaited, node, NULL);
  }
  bool was_aggregate = node->is_aggregate;
  enlist_aggregate(m, node);
  if (node->subject.renewed && (was_aggregate || node->is_aggregate)) {
    m->grown = m->shrunk = m->aggregates_dirty = true;
  }
  node->subject.renewed = false;
}

static void make_due(gxds_dependency_manager *m, gxds_node *node) {
  if (node->due) return;
  node->due = true;
  node->next_due = m->due;
  m->due = node;
}

void gxds_nodes_refresh(gxds_dependency_manager *m) {
  while (m->dirty) {
    gxds_node *node = m->dirty;
    m->dirty = node->next_dirty;
    node->dirty = false;
    refresh(m, node);
    make_due(m, node);
  }
}

/* Renews the entry of a leaf, or of a cluster in error. An aggregate gets its entry when it adopts
 * its resource. */
static void renew(gxds_dependency_manager *m, gxds_node *node) {
  const gxds_cluster *latest = gxds_node_latest(node);
  if (node->subject.presence == GXDS_FAILED) {
    gxds_status error = gxds_subject_failure(&node->subject);
    gxds_node_release_sources(m, node);
    /* A31: the cluster counts as deleted if only RPCs that hold it still need it. */
    bool deleted = node->held && !node->in_published && node->subscriptions == 0;
    gxds_node_set_entry(m, node,
                        deleted ? gxds_cluster_entry_deleted(node->subject.name, &error)
                                : gxds_cluster_entry_error(node->subject.name, &error));
    gxds_status_fini(&error);
  } else if (latest && latest->kind != GXDS_CLUSTER_AGGREGATE) {
    renew_leaf(m, node, latest);
    if (node->awaited.source) renew_shown(m, node);
  }
  enlist_aggregate(m, node);
}

void gxds_nodes_renew(gxds_dependency_manager *m) {
  gxds_node *node = m->due;
  m->due = NULL;
  while (node) {
    gxds_node *next = node->next_due;
    node->due = false;
    if (node->kept) {
      make_due(m, node);
    } else {
      renew(m, node);
    }
    node = next;
  }
}

/* ---- what is wanted ---- */

typedef struct walk {
  gxds_node **queue; /* every node once, the nearest to a root first */
  size_t count;
  size_t capacity;
} walk;

static void walk_add(gxds_dependency_manager *m, walk *w, gxds_node *node) {
  if (node->mark == m->last_mark) return;
  node->mark = m->last_mark;
  if (w->count == w->capacity) {
    w->capacity = w->capacity ? w->capacity * 2 : 64;
    w->queue = gxds_realloc(w->queue, w->capacity, sizeof(gxds_node *));
  }
  w->queue[w->count++] = node;
}

static void walk_children(gxds_dependency_manager *m, walk *w, const gxds_cluster *aggregate) {
  for (size_t i = 0; i < aggregate->aggregate_count; i++) {
    gxds_node *child = gxds_node_get(m, aggregate->aggregate[i]);
    child->under_aggregate = true;
    walk_add(m, w, child);
  }
}

void gxds_nodes_walk(gxds_dependency_manager *m) {
  m->last_mark++;
  walk w = {NULL, 0, 0};
  gxds_node *root;
  DL_FOREACH(m->nodes, root) {
    root->under_aggregate = false;
    if (root->in_published || root->in_candidate || root->held || root->subscriptions) {
      walk_add(m, &w, root);
    }
  }
  int depth = 1; /* of the nodes from `done` up to `level_end` */
  size_t level_end = w.count;
  for (size_t done = 0; done < w.count; done++) {
    if (done == level_end) {
      depth++;
      level_end = w.count;
    }
    const gxds_node *node = w.queue[done];
    const gxds_cluster *latest = gxds_node_latest(node);
    if (entry_is_aggregate(node->entry)) {
      walk_children(m, &w, node->entry->cluster);
      if (latest == node->entry->cluster) continue;
    }
    /* A37: an aggregate at this depth fails anyway, so its children are not watched. */
    if (depth < GXDS_AGGREGATE_DEPTH_MAX && gxds_node_is_latest_aggregate(node)) {
      walk_children(m, &w, latest);
    }
  }
  gxds_free(w.queue);
}

static void node_destroy(gxds_node *node) {
  gxds_cluster_entry_unref(node->entry);
  gxds_subject_fini(&node->subject);
  gxds_free(node);
}

static void drop_unmarked_due(gxds_dependency_manager *m) {
  gxds_node **at = &m->due;
  while (*at) {
    gxds_node *node = *at;
    if (node->mark == m->last_mark) {
      at = &node->next_due;
    } else {
      node->due = false;
      *at = node->next_due;
    }
  }
}

void gxds_nodes_drop_unmarked(gxds_dependency_manager *m) {
  m->shrunk = false;
  drop_unmarked_due(m);
  gxds_node *node;
  gxds_node *next;
  DL_FOREACH_SAFE(m->nodes, node, next) {
    if (node->mark == m->last_mark) continue;
    GXDS_CHECK(!node->in_map && !node->dirty);
    gxds_node_release_sources(m, node);
    if (node->is_aggregate) {
      m->aggregates_dirty = true; /* other nodes may have been kept because of it */
      DL_DELETE2(m->aggregates, node, prev_aggregate, next_aggregate);
    }
    DL_DELETE(m->nodes, node);
    HASH_DELETE(by_name, m->nodes_by_name, node);
    gxds_subject_stop(m, &node->subject);
    node_destroy(node);
  }
}

void gxds_nodes_fini(gxds_dependency_manager *m) {
  HASH_CLEAR(by_name, m->nodes_by_name);
  gxds_node *node;
  gxds_node *next;
  DL_FOREACH_SAFE(m->nodes, node, next) { node_destroy(node); }
  gxds_source **all[] = {&m->eds, &m->dns};
  for (size_t i = 0; i < 2; i++) {
    gxds_source *source = *all[i];
    gxds_source *after = NULL;
    HASH_CLEAR(by_name, *all[i]);
    for (; source; source = after) {
      after = source->by_name.next;
      source_destroy(source);
    }
  }
}
