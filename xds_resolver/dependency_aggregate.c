/* Aggregate clusters (A37, A75): from the graph of resources to lists of leaves.
 *
 * An aggregate adopts its latest resource once everything below it has adopted its own, down to the
 * leaves. Until then it keeps the list of the resource before. So adopted aggregates have no loops:
 * a loop would also be one of the latest resources, and the members of such a loop get an error.
 *
 * While an aggregate waits, every entry that it shows is kept as it is (A74: the configuration
 * before stays in use). Otherwise the clusters in the old list might already have moved their
 * endpoints to the new clusters, and the list would be useless. A cluster has one entry for all its
 * users, so a kept cluster stays as it was for its own routes too. Errors are not kept: a cluster
 * that gets well is used at once, and kept from then on. Waiting ends with the awaited resources:
 * each of them comes, or is known to be missing after a while (A57, A88). An aggregate waits only
 * for such a resource, or for something below that waits. */
#include "resources/cluster.h"
#include "xds_resolver/dependency_internal.h"

/* ---- depth ---- */

/* The height of an aggregate above its deepest leaf; 0 if it is not known (yet), or beyond the
 * limit. */
static int height_of(const gxds_dependency_manager *m, const gxds_cluster *aggregate) {
  int most = 0;
  for (size_t i = 0; i < aggregate->aggregate_count; i++) {
    const gxds_node *child = gxds_node_find(m, aggregate->aggregate[i]);
    if (!child) return 0; /* not even watched, because it is too deep */
    int height = gxds_node_is_latest_aggregate(child) ? child->height : 1;
    if (height == 0) return 0;
    if (height > most) most = height;
  }
  return most < GXDS_AGGREGATE_DEPTH_MAX ? most + 1 : 0;
}

/* A37: an aggregate that is in a loop, above one, or higher than the limit never gets a height.
 * Each pass finds at least the aggregates that are one higher than those of the pass before, so the
 * limit on height also limits the number of passes. */
static void find_heights(gxds_dependency_manager *m) {
  gxds_node *node;
  DL_FOREACH2(m->aggregates, node, next_aggregate) { node->height = 0; }
  for (bool found = true; found;) {
    found = false;
    DL_FOREACH2(m->aggregates, node, next_aggregate) {
      if (node->height > 0 || !gxds_node_is_latest_aggregate(node)) continue;
      node->height = height_of(m, gxds_node_latest(node));
      found = found || node->height > 0;
    }
  }
}

#define TEXT_OF(number) #number
#define EXPANDED_TEXT_OF(number) TEXT_OF(number)
#define DEPTH_MAX_TEXT EXPANDED_TEXT_OF(GXDS_AGGREGATE_DEPTH_MAX)

static void fail_too_deep(gxds_dependency_manager *m, gxds_node *node) {
  gxds_status error = gxds_subject_refusal(
      &node->subject,
      "aggregate cluster graph exceeds max depth (" DEPTH_MAX_TEXT ") or has a loop",
      gxds_str_of(NULL, 0));
  gxds_node_release_sources(m, node);
  gxds_node_set_entry(m, node, gxds_cluster_entry_error(node->subject.name, &error));
  gxds_status_fini(&error);
}

/* ---- leaves ---- */

typedef struct leaf_list {
  gxds_str *items; /* borrowed names */
  size_t count;
  size_t capacity;
} leaf_list;

/* A37: if a cluster appears more than once below an aggregate, its first place counts. */
static void add_leaf(gxds_dependency_manager *m, leaf_list *l, gxds_str name) {
  gxds_node *leaf = gxds_node_find(m, name);
  if (!leaf || leaf->leaf_mark == m->last_mark) return;
  leaf->leaf_mark = m->last_mark;
  if (l->count == l->capacity) {
    l->capacity = l->capacity ? l->capacity * 2 : 16;
    l->items = gxds_realloc(l->items, l->capacity, sizeof *l->items);
  }
  l->items[l->count++] = leaf->subject.name;
}

/* Why an aggregate has no leaves. */
static const gxds_error *note_of_none(const gxds_dependency_manager *m, const gxds_node *node,
                                      const gxds_cluster *aggregate) {
  gxds_note note = {{NULL, 0, 0}, NULL, 0, 0};
  gxds_root_add_ambient(m, &note);
  for (size_t i = 0; i < aggregate->aggregate_count; i++) {
    const gxds_node *child = gxds_node_find(m, aggregate->aggregate[i]);
    if (!child || !child->entry) continue;
    bool failed = child->subject.presence == GXDS_FAILED;
    gxds_note_add(&note, "CDS resource", child->subject.name,
                  failed ? child->subject.error : child->entry->resolution_note);
  }
  return gxds_note_take(&note, node->subject.from);
}

/* Makes the entry of an aggregate from the entries of its children. A74: children in error are left
 * out. */
static const gxds_cluster_entry *make_entry(gxds_dependency_manager *m, const gxds_node *node,
                                            const gxds_cluster *aggregate) {
  m->last_mark++;
  leaf_list leaves = {NULL, 0, 0};
  for (size_t i = 0; i < aggregate->aggregate_count; i++) {
    const gxds_node *child = gxds_node_find(m, aggregate->aggregate[i]);
    if (!child || !child->entry) continue;
    if (child->entry->kind == GXDS_ENTRY_ENDPOINTS) add_leaf(m, &leaves, child->entry->name);
    for (size_t j = 0; j < child->entry->leaf_cluster_count; j++) {
      add_leaf(m, &leaves, child->entry->leaf_clusters[j]);
    }
  }
  const gxds_error *note = NULL;
  if (leaves.count == 0) note = note_of_none(m, node, aggregate);
  const gxds_cluster_entry *entry =
      gxds_cluster_entry_aggregate(node->subject.name, aggregate, leaves.items, leaves.count, note);
  gxds_free(leaves.items);
  gxds_error_unref(note);
  return entry;
}

/* ---- aggregates that wait, and the nodes that they keep ---- */

static bool shows_aggregate(const gxds_node *node) {
  return node->entry && node->entry->kind == GXDS_ENTRY_AGGREGATE;
}

static bool is_settled(const gxds_node *child) {
  if (!child) return false;
  if (gxds_node_is_latest_aggregate(child)) return child->settled;
  if (child->kept) return !shows_aggregate(child);
  if (child->subject.presence == GXDS_FAILED) return true;
  if (child->subject.presence == GXDS_REQUESTED) return false;
  /* A leaf whose new endpoints are awaited is settled if its entry is a leaf or an error. */
  return !gxds_node_awaits(child) || (child->entry && !shows_aggregate(child));
}

static bool are_settled(const gxds_dependency_manager *m, const gxds_cluster *aggregate) {
  for (size_t i = 0; i < aggregate->aggregate_count; i++) {
    if (!is_settled(gxds_node_find(m, aggregate->aggregate[i]))) return false;
  }
  return true;
}

/* In order of height, because the children of an aggregate are lower than itself. */
static void find_settled(gxds_dependency_manager *m) {
  gxds_node *node;
  DL_FOREACH2(m->aggregates, node, next_aggregate) { node->settled = false; }
  for (int height = 1; height <= GXDS_AGGREGATE_DEPTH_MAX; height++) {
    DL_FOREACH2(m->aggregates, node, next_aggregate) {
      const gxds_cluster *latest = gxds_node_latest(node);
      if (!gxds_node_is_latest_aggregate(node) || node->height != height) continue;
      bool may_change = !node->kept || node->entry->cluster == latest;
      node->settled = may_change && are_settled(m, latest);
    }
  }
}

static bool is_root(const gxds_node *node) {
  return node->in_published || node->in_candidate || node->held || node->subscriptions > 0;
}

/* A node is wanted if it is reached from the roots over the latest resources. A node that only an
 * old list shows is not wanted: nobody waits for what it awaits. */
static void find_wanted(gxds_dependency_manager *m) {
  gxds_node **queue = gxds_calloc(HASH_CNT(by_name, m->nodes_by_name), sizeof(gxds_node *));
  size_t count = 0;
  gxds_node *node;
  DL_FOREACH(m->nodes, node) {
    node->wanted = is_root(node);
    if (node->wanted) queue[count++] = node;
  }
  for (size_t done = 0; done < count; done++) {
    if (!gxds_node_is_latest_aggregate(queue[done])) continue;
    const gxds_cluster *latest = gxds_node_latest(queue[done]);
    for (size_t i = 0; i < latest->aggregate_count; i++) {
      gxds_node *child = gxds_node_find(m, latest->aggregate[i]);
      if (!child || child->wanted) continue;
      child->wanted = true;
      queue[count++] = child;
    }
  }
  gxds_free(queue);
}

static bool waits(const gxds_node *node) {
  if (!node->wanted || !shows_aggregate(node)) return false;
  if (gxds_node_is_latest_aggregate(node)) return node->height > 0 && !node->settled;
  return gxds_node_awaits(node);
}

/* Keeps all nodes below an aggregate, except those in error. True if one of them was not kept
 * before. */
static bool keep_shown(gxds_dependency_manager *m, const gxds_cluster *aggregate) {
  bool any = false;
  for (size_t i = 0; i < aggregate->aggregate_count; i++) {
    gxds_node *child = gxds_node_find(m, aggregate->aggregate[i]);
    if (!child || child->kept || !child->entry || child->entry->kind == GXDS_ENTRY_ERROR) continue;
    any = child->kept = true;
    if (shows_aggregate(child)) keep_shown(m, child->entry->cluster);
  }
  return any;
}

/* An aggregate that names a kept node may have to wait for that node; then everything that the
 * aggregate shows is kept too, and so on. All of this begins with an awaited resource, so it ends
 * when the resource comes. */
static void find_kept(gxds_dependency_manager *m) {
  gxds_node *node;
  DL_FOREACH(m->nodes, node) { node->kept = false; }
  for (bool more = true; more;) {
    more = false;
    find_settled(m);
    DL_FOREACH2(m->aggregates, node, next_aggregate) {
      if (waits(node) && keep_shown(m, node->entry->cluster)) more = true;
    }
  }
}

/* ---- adoption ---- */

static void adopt(gxds_dependency_manager *m, gxds_node *node) {
  gxds_node_set_entry(m, node, make_entry(m, node, gxds_node_latest(node)));
  gxds_node_release_sources(m, node);
}

/* An aggregate that still waits keeps its list of children, but errors among these may be over.
 * Only repetition brings changes of children to their parents. It ends, because adopted aggregates
 * have no loops. */
static void renew_waiting(gxds_dependency_manager *m) {
  for (bool changed = true; changed;) {
    changed = false;
    gxds_node *node;
    DL_FOREACH2(m->aggregates, node, next_aggregate) {
      if (node->settled || !shows_aggregate(node)) continue;
      const gxds_cluster_entry *before = node->entry;
      gxds_node_set_entry(m, node, make_entry(m, node, node->entry->cluster));
      changed = changed || node->entry != before;
    }
  }
}

/* Adopts the aggregates of one height. Their children are lower, and were adopted before. */
static void adopt_height(gxds_dependency_manager *m, int height) {
  gxds_node *node;
  DL_FOREACH2(m->aggregates, node, next_aggregate) {
    if (node->settled && node->height == height) adopt(m, node);
  }
}

void gxds_aggregates_resolve(gxds_dependency_manager *m) {
  find_heights(m);
  find_wanted(m);
  find_kept(m);
  gxds_nodes_renew(m);
  gxds_node *node;
  DL_FOREACH2(m->aggregates, node, next_aggregate) {
    bool too_deep = gxds_node_is_latest_aggregate(node) && node->height == 0;
    if (too_deep && !node->kept) fail_too_deep(m, node);
  }
  for (int height = 1; height <= GXDS_AGGREGATE_DEPTH_MAX; height++) adopt_height(m, height);
  renew_waiting(m);
  find_kept(m);                /* now also nodes whose error just ended */
  m->aggregates_dirty = false; /* entries that changed meanwhile were taken into account */
}
