/* The wanted clusters (nodes), the sources of their endpoints, and how they are connected. */
#include "resources/resources.h"
#include "xds_resolver/dependency_internal.h"

/* ---- sources ---- */

/* Adds "host:port" (A37). An IPv6 address gets brackets. */
static void add_dns_name(gxds_text *out, const gxds_cluster *cluster) {
  gxds_str host = gxds_cluster_dns_host(cluster);
  bool bare = host.size > 0 && host.data[0] != '[' && memchr(host.data, ':', host.size);
  gxds_text_addf(out, bare ? "[%.*s]:%u" : "%.*s:%u", GXDS_STR_ARG(host), cluster->dns_port);
}

/* A shared copy of the name: the node's own name object, if that name is equal. The caller owns the
 * returned reference. */
static const gxds_shared_name *shared_name(const gxds_node *node, gxds_str name) {
  if (!gxds_str_equal(name, gxds_subject_name(&node->subject))) {
    return gxds_shared_name_create(name);
  }
  gxds_ref_inc(&node->subject.name->refs);
  return node->subject.name;
}

static void list_as_idle(gxds_dependency_manager *m, gxds_source *source) {
  if (source->subject.is_listed) return;
  source->subject.is_listed = true;
  LL_PREPEND(m->idle, source);
}

static gxds_source *take_idle(gxds_dependency_manager *m) {
  gxds_source *first = m->idle;
  LL_DELETE(m->idle, first);
  first->subject.is_listed = false;
  return first;
}

/* The source of a leaf's endpoints, made if there is none. */
static gxds_source *source_get(gxds_dependency_manager *m, const gxds_node *node,
                               const gxds_cluster *leaf) {
  gxds_subject_kind kind = leaf->kind == GXDS_CLUSTER_EDS ? GXDS_SUBJECT_EDS : GXDS_SUBJECT_DNS;
  gxds_text dns_name = {NULL, 0, 0};
  gxds_str name = gxds_cluster_eds_name(leaf);
  if (kind == GXDS_SUBJECT_DNS) {
    add_dns_name(&dns_name, leaf);
    name = gxds_text_str(&dns_name);
  }
  uint64_t hash = gxds_index_hash(name);
  gxds_source *source = (gxds_source *)gxds_subject_find(&m->sources, kind, hash, name);
  if (!source) {
    source = GXDS_NEW(gxds_source);
    gxds_subject_start(m, &source->subject, kind, shared_name(node, name));
    gxds_index_add(&m->sources, &source->subject.by_name, hash);
    list_as_idle(m, source);
  }
  gxds_text_fini(&dns_name);
  return source;
}

static void use_set(gxds_dependency_manager *m, gxds_use *use, gxds_node *node,
                    gxds_source *source) {
  if (use->source == source) return;
  if (use->source) {
    DL_DELETE(use->source->uses, use);
    /* An unused source is stopped only when its replacement is published. */
    if (!use->source->uses) list_as_idle(m, use->source);
  }
  use->node = node;
  use->source = source;
  if (!source) return;
  DL_APPEND(source->uses, use);
}

static void set_awaited(gxds_dependency_manager *m, gxds_node *node, gxds_source *source) {
  if (source && !node->awaited) node->awaited = GXDS_NEW(gxds_use);
  if (node->awaited) use_set(m, node->awaited, node, source);
  if (!source) {
    gxds_free(node->awaited);
    node->awaited = NULL;
  }
}

void gxds_source_touch(gxds_dependency_manager *m, gxds_source *source) {
  gxds_use *use;
  DL_FOREACH(source->uses, use) { gxds_node_touch(m, use->node); }
}

static void source_destroy(gxds_dependency_manager *m, gxds_source *idle) {
  gxds_index_remove(&m->sources, &idle->subject.by_name);
  gxds_error_unref(idle->warning);
  gxds_subject_fini(m, &idle->subject);
  gxds_free(idle);
}

void gxds_sources_drop_idle(gxds_dependency_manager *m) {
  while (m->idle) {
    gxds_source *source = take_idle(m);
    if (source->uses) continue;
    gxds_subject_stop(m, &source->subject);
    source_destroy(m, source);
  }
}

static void reresolve(gxds_dependency_manager *m, const gxds_use *use) {
  bool is_first = use && use->source && use->source->uses == use; /* visits each source only once */
  if (!is_first || use->source->subject.kind != GXDS_SUBJECT_DNS) return;
  gxds_dependency_action *a = gxds_dependency_add_action(m, GXDS_DEPENDENCY_DNS_RERESOLVE);
  a->token = gxds_subject_token(&use->source->subject);
}

void gxds_sources_reresolve(gxds_dependency_manager *m) {
  const gxds_node *node;
  DL_FOREACH(m->nodes, node) {
    reresolve(m, &node->shown);
    reresolve(m, node->awaited);
  }
}

void gxds_source_warn(const gxds_dependency_manager *m, gxds_source *source) {
  gxds_error_assign(&source->warning, NULL);
  const gxds_endpoints *e = (const gxds_endpoints *)gxds_subject_resource(&source->subject);
  if (!e || source->subject.kind == GXDS_SUBJECT_DNS) return;
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
    const gxds_error *from = gxds_subject_origin(m, &source->subject);
    source->warning = gxds_error_create(GXDS_UNAVAILABLE, &escaped, from->server, from->node_id);
  }
  gxds_text_fini(&warning);
  gxds_text_fini(&escaped);
}

/* ---- nodes ---- */

gxds_node *gxds_node_find(const gxds_dependency_manager *m, gxds_str name) {
  return (gxds_node *)gxds_subject_find(&m->nodes_by_name, GXDS_SUBJECT_NODE, gxds_index_hash(name),
                                        name);
}

gxds_node *gxds_node_get(gxds_dependency_manager *m, gxds_str name) {
  gxds_node *node = gxds_node_find(m, name);
  if (node) return node;
  node = GXDS_NEW(gxds_node);
  gxds_subject_start(m, &node->subject, GXDS_SUBJECT_NODE, gxds_shared_name_create(name));
  gxds_index_add(&m->nodes_by_name, &node->subject.by_name, gxds_index_hash(name));
  DL_APPEND(m->nodes, node);
  return node;
}

static void mark_changed(gxds_dependency_manager *m, gxds_node *node) {
  if (node->is_changed) return;
  node->is_changed = true;
  gxds_node_list_add(&m->changed, node);
}

void gxds_node_touch(gxds_dependency_manager *m, gxds_node *node) {
  node->dirty = true;
  mark_changed(m, node);
}

void gxds_node_changed(gxds_dependency_manager *m, gxds_node *node) {
  if (gxds_node_is_in_graph(node)) m->reshaped = true;
  mark_changed(m, node);
}

void gxds_nodes_touch_all(gxds_dependency_manager *m) {
  gxds_node *node;
  DL_FOREACH(m->nodes, node) { gxds_node_touch(m, node); }
}

const gxds_cluster *gxds_node_latest(const gxds_node *node) {
  return (const gxds_cluster *)gxds_subject_resource(&node->subject);
}

const gxds_cluster *gxds_node_latest_list(const gxds_node *node) {
  const gxds_cluster *latest = gxds_node_latest(node);
  return latest && latest->kind == GXDS_CLUSTER_AGGREGATE ? latest : NULL;
}

static bool is_aggregate(const gxds_cluster_entry *entry) {
  return entry && entry->kind == GXDS_ENTRY_AGGREGATE;
}

const gxds_cluster *gxds_node_shown_list(const gxds_node *node) {
  return is_aggregate(node->entry) ? node->entry->cluster : NULL;
}

/* ---- what a node uses and shows ---- */

static const gxds_cluster *latest_leaf(const gxds_node *node) {
  const gxds_cluster *latest = gxds_node_latest(node);
  return latest && latest->kind != GXDS_CLUSTER_AGGREGATE ? latest : NULL;
}

gxds_source *gxds_node_needs(const gxds_node *node) {
  if (!latest_leaf(node)) return NULL;
  return node->awaited ? node->awaited->source : node->shown.source;
}

/* needed is the source that the latest resource needs. */
static void use_sources(gxds_dependency_manager *m, gxds_node *node, gxds_source *needed) {
  gxds_source *shown = NULL;
  if (node->entry && node->entry->kind == GXDS_ENTRY_ENDPOINTS) {
    shown = node->entry->cluster == gxds_node_latest(node) ? needed : node->shown.source;
  }
  /* `shown` comes first, because the source that was awaited may be shown now. */
  use_set(m, &node->shown, node, shown);
  set_awaited(m, node, needed == shown ? NULL : needed);
}

void gxds_node_use_sources(gxds_dependency_manager *m, gxds_node *node) {
  const gxds_cluster *leaf = latest_leaf(node);
  if (leaf && node->entry && node->entry->cluster == leaf) {
    use_sources(m, node, node->shown.source); /* uses the same source again, without a search */
  } else {
    use_sources(m, node, leaf ? source_get(m, node, leaf) : NULL);
  }
}

/* Whether other nodes, or the roots of the snapshot, depend on what differs between the two
 * entries. */
static bool reshapes(const gxds_node *node, const gxds_cluster_entry *before,
                     const gxds_cluster_entry *after) {
  bool list = is_aggregate(before) || is_aggregate(after);
  if (before && before->kind == after->kind && !(list && before->cluster != after->cluster)) {
    /* An aggregate without leaves repeats the errors of its members. */
    return node->is.is_member && after->kind == GXDS_ENTRY_ERROR;
  }
  if (list || node->is.is_member) return true;
  return !before && node->held; /* a held node becomes a root of the snapshot with its first
                                   entry */
}

void gxds_node_show(gxds_dependency_manager *m, gxds_node *node,
                    const gxds_cluster_entry *take_entry) {
  const gxds_cluster_entry *before = node->entry;
  if (before && gxds_cluster_entry_equal(before, take_entry)) {
    gxds_cluster_entry_unref(take_entry);
    return;
  }
  if (!before && node->in_candidate) m->candidate_missing--;
  if (reshapes(node, before, take_entry)) m->reshaped = true;
  gxds_source *needed = gxds_node_needs(node);
  node->entry = take_entry;
  gxds_cluster_entry_unref(before);
  if (node->in_map) gxds_dependency_map_put(m, node);
  use_sources(m, node, needed);
}

/* ---- walks ---- */

void gxds_node_list_add(gxds_node_list *list, gxds_node *node) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? list->capacity * 2 : 64;
    list->items = gxds_realloc(list->items, list->capacity, sizeof(gxds_node *));
  }
  list->items[list->count++] = node;
}

static bool is_root(const gxds_node *node, gxds_walk_kind kind) {
  return node->in_published || node->held || node->subscriptions > 0 ||
         (node->in_candidate && kind != GXDS_WALK_SHOWN);
}

bool gxds_node_is_reached(const gxds_node *node, gxds_walk_kind kind) {
  return is_root(node, kind) || (node->is.walked & gxds_walk_bit(kind));
}

static void reach(gxds_node_list *reached, gxds_node *node, gxds_walk_kind kind) {
  if (node->is.walked & gxds_walk_bit(kind)) return;
  node->is.walked |= gxds_walk_bit(kind);
  gxds_node_list_add(reached, node);
}

static void reach_members(gxds_dependency_manager *m, gxds_node_list *reached,
                          const gxds_cluster *list, gxds_walk_kind kind) {
  for (size_t i = 0; i < list->aggregate_count; i++) {
    gxds_node *member = gxds_node_get(m, list->aggregate[i]);
    member->is.is_member = true;
    reach(reached, member, kind);
  }
}

gxds_node_list gxds_nodes_walk(gxds_dependency_manager *m, const gxds_node_list *from,
                               gxds_walk_kind kind) {
  gxds_node_list reached = {NULL, 0, 0};
  for (size_t i = 0; i < from->count; i++) {
    gxds_node *node = from->items[i];
    bool has_list = gxds_node_shown_list(node) || gxds_node_latest_list(node);
    if (has_list && is_root(node, kind)) reach(&reached, node, kind);
  }
  int depth = 1; /* the depth of the nodes from `done` up to `level_end` */
  size_t level_end = reached.count;
  for (size_t done = 0; done < reached.count; done++) {
    if (done == level_end) {
      depth++;
      level_end = reached.count;
    }
    const gxds_node *node = reached.items[done];
    const gxds_cluster *shown = kind != GXDS_WALK_LATEST ? gxds_node_shown_list(node) : NULL;
    const gxds_cluster *latest = kind != GXDS_WALK_SHOWN ? gxds_node_latest_list(node) : NULL;
    if (shown) reach_members(m, &reached, shown, kind);
    /* A37: an aggregate at the greatest depth fails in any case, so its members are not watched. */
    if (latest && latest != shown && depth < GXDS_AGGREGATE_DEPTH_MAX) {
      reach_members(m, &reached, latest, kind);
    }
  }
  return reached;
}

/* ---- the end of nodes ---- */

static void node_destroy(gxds_dependency_manager *m, gxds_node *node) {
  use_set(m, &node->shown, node, NULL);
  set_awaited(m, node, NULL);
  DL_DELETE(m->nodes, node);
  gxds_index_remove(&m->nodes_by_name, &node->subject.by_name);
  gxds_subject_fini(m, &node->subject);
  gxds_cluster_entry_unref(node->entry);
  gxds_free(node);
}

void gxds_nodes_drop_unreached(gxds_dependency_manager *m) {
  gxds_node_list changed = m->changed;
  m->changed = (gxds_node_list){NULL, 0, 0};
  for (size_t i = 0; i < changed.count; i++) {
    gxds_node *node = changed.items[i];
    node->is_changed = false;
    if (!gxds_node_is_reached(node, GXDS_WALK_BOTH)) {
      GXDS_CHECK(!node->in_map && !node->dirty);
      gxds_subject_stop(m, &node->subject);
      node_destroy(m, node);
    } else if (node->dirty) {
      mark_changed(m, node); /* the node is kept */
    }
  }
  gxds_free(changed.items);
}

void gxds_nodes_fini(gxds_dependency_manager *m) {
  while (m->nodes) node_destroy(m, m->nodes);
  while (m->idle) source_destroy(m, take_idle(m));
  gxds_free(m->graph.items);
  gxds_free(m->changed.items);
}
