/* Aggregate clusters (A37, A75): from the graph of resources to lists of leaves.
 *
 * An aggregate adopts its latest resource when everything below it has adopted its own, down to the
 * leaves, and keeps the list of the one before until then. So what is adopted has no loop: it would
 * be one of the latest resources too, and the members of those get an error.
 *
 * While it waits, all that it shows is kept as it is (A74: the configuration before stays in use):
 * the old list would be of no use if its clusters had moved their endpoints to the new ones
 * already. An entry is one for all, so a cluster that is kept is so for its own routes too. An
 * error is not kept: what gets well is used at once, and kept then. That ends with what is awaited:
 * each such resource comes, or is known to be missing after a while (A57, A88). Nobody waits but
 * for that, or below somebody who does. */
#include "resources/cluster.h"
#include "xds_resolver/dependency_internal.h"

/* ---- depth ---- */

/* The height of an aggregate above its deepest leaf; 0: not known (yet), or beyond the limit. */
static int height_of(const gxds_dependency_manager *m, const gxds_cluster *aggregate) {
  int most = 0;
  for (size_t i = 0; i < aggregate->aggregate_count; i++) {
    const gxds_node *child = gxds_node_find(m, aggregate->aggregate[i]);
    if (!child) return 0; /* not even asked for: too deep */
    int height = gxds_node_is_latest_aggregate(child) ? child->height : 1;
    if (height == 0) return 0;
    if (height > most) most = height;
  }
  return most < GXDS_AGGREGATE_DEPTH_MAX ? most + 1 : 0;
}

/* A37: who is in a loop, above one, or higher than the limit never gets a height. Each pass finds
 * at least those that are one higher than the last, so the limit is also one on the passes. */
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

/* A37: where a cluster appears more than once below one aggregate, its first place counts. */
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

/* Why nothing is below an aggregate. */
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

/* The entry of an aggregate, from its children's. A74: those in error are left out. */
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

/* ---- who waits, and what is kept for them ---- */

static bool shows_aggregate(const gxds_node *node) {
  return node->entry && node->entry->kind == GXDS_ENTRY_AGGREGATE;
}

static bool is_settled(const gxds_node *child) {
  if (!child) return false;
  if (gxds_node_is_latest_aggregate(child)) return child->settled;
  if (child->kept) return !shows_aggregate(child);
  if (child->subject.presence == GXDS_FAILED) return true;
  if (child->subject.presence == GXDS_REQUESTED) return false;
  /* Of a leaf it is enough that what is shown is one, or an error. */
  return !gxds_node_awaits(child) || (child->entry && !shows_aggregate(child));
}

static bool are_settled(const gxds_dependency_manager *m, const gxds_cluster *aggregate) {
  for (size_t i = 0; i < aggregate->aggregate_count; i++) {
    if (!is_settled(gxds_node_find(m, aggregate->aggregate[i]))) return false;
  }
  return true;
}

/* From those of the least height up: what they name is lower. */
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

/* What is reached from the roots over the latest resources. What only an old list shows is wanted
 * no more: nobody waits for what it awaits. */
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

/* Whether there is anybody who was not kept so far. */
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

/* Who names one that is kept may have to wait for it, and what it shows is kept in turn. That
 * begins with what is awaited from outside, so it ends with it. */
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

/* Who still waits keeps its list of children; errors among them may be over. Children come before
 * parents only by repetition: what is adopted has no loop, so this ends. */
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

/* Those of one height; what they name is lower, and was done before. */
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
  find_kept(m);                /* those, too, that got well just now */
  m->aggregates_dirty = false; /* entries that changed on the way were looked at */
}
