/* Decides which entry each node shows next. This depends only on the resources, on the present
 * entries, and on the roots. Nothing here changes an entry or a watch.
 *
 * An aggregate is READY once all nodes below it, down to the leaves, can show their latest
 * resources. Until then it shows its previous list. So shown lists have no loops: a loop of shown
 * lists would also be a loop of latest lists, and the members of such a loop get an error.
 *
 * While an aggregate waits, every entry that it shows is kept as it is (A74: the previous
 * configuration stays in use). Otherwise the clusters in the old list might already have moved
 * their endpoints to the new clusters, and the list would be useless. A cluster has one entry for
 * all its users, so a kept cluster stays as it was for its own routes too. Errors are not kept. If
 * a cluster in error gets a valid resource, the resource is used at once, and the cluster is kept
 * from then on. An aggregate waits only for a resource, or for an aggregate below it that waits. So
 * waiting ends: each resource comes, or is known to be missing after a while (A57, A88). */
#include "resources/resources.h"
#include "xds_resolver/dependency_internal.h"

/* ---- states ---- */

/* See dependency_settle.c. */
typedef enum node_state {
  FAILED,
  TOO_DEEP,
  READY,
  WAITING,
  KEPT,
} node_state;

static node_state state_of(const gxds_node *node) {
  if (node->is.ready) return READY;
  if (node->is.kept) return KEPT;
  if (node->subject.presence == GXDS_FAILED) return FAILED;
  if (node->subject.presence == GXDS_REQUESTED) return WAITING;
  if (gxds_node_latest_list(node)) return node->is.height > 0 ? WAITING : TOO_DEEP;
  return gxds_node_needs(node)->subject.presence == GXDS_REQUESTED ? WAITING : READY;
}

/* ---- judging: depth ---- */

/* The height of an aggregate above its deepest leaf; 0 if the height is not known (yet), or is
 * above the limit. */
static uint8_t height_of(const gxds_dependency_manager *m, const gxds_cluster *list) {
  uint8_t most = 0;
  for (size_t i = 0; i < list->aggregate_count; i++) {
    const gxds_node *member = gxds_node_find(m, list->aggregate[i]);
    /* Not in the graph, because it is too deep. */
    if (!member || !gxds_node_is_in_graph(member)) return 0;
    uint8_t height = gxds_node_latest_list(member) ? member->is.height : 1;
    if (height == 0) return 0;
    if (height > most) most = height;
  }
  return most < GXDS_AGGREGATE_DEPTH_MAX ? (uint8_t)(most + 1) : 0;
}

/* Moves the nodes with a height to the front, members before the aggregates that name them, and
 * returns their number. A37: an aggregate that is in a loop, above one, or higher than the limit
 * never gets a height. Each pass finds at least the aggregates that are one higher than those of
 * the pass before, so the limit on height also limits the number of passes. */
static size_t find_heights(const gxds_dependency_manager *m, gxds_node_list *listed) {
  size_t found = 0;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = found; i < listed->count; i++) {
      gxds_node *node = listed->items[i];
      const gxds_cluster *latest = gxds_node_latest_list(node);
      if (latest) node->is.height = height_of(m, latest);
      if (node->is.height == 0) continue;
      listed->items[i] = listed->items[found];
      listed->items[found++] = node;
      more = true;
    }
  }
  return found;
}

/* ---- judging: who waits, and what is kept for them ---- */

static bool can_be_shown(const gxds_node *member) {
  node_state state = state_of(member);
  if (state == READY || state == FAILED) return true;
  if (gxds_node_latest_list(member)) return false;
  /* A leaf or an error can be shown, even if the node waits or is kept. */
  return member->entry && !gxds_node_shown_list(member);
}

static bool is_ready(const gxds_dependency_manager *m, const gxds_node *node) {
  const gxds_cluster *latest = gxds_node_latest(node);
  if (node->is.kept && node->entry->cluster != latest) return false;
  for (size_t i = 0; i < latest->aggregate_count; i++) {
    if (!can_be_shown(gxds_node_find(m, latest->aggregate[i]))) return false;
  }
  return true;
}

/* No aggregate waits for a node that only old lists name. A walk over the latest lists does not
 * reach such a node. */
static bool keeps(const gxds_node *node) {
  return node->is.kept ||
         (state_of(node) == WAITING && gxds_node_is_reached(node, GXDS_WALK_LATEST));
}

/* Keeps the members, except those in error. True if one of them was not kept before. */
static bool keep_members(const gxds_dependency_manager *m, const gxds_cluster *list) {
  bool any = false;
  for (size_t i = 0; i < list->aggregate_count; i++) {
    gxds_node *member = gxds_node_find(m, list->aggregate[i]);
    if (member->is.kept || !member->entry || member->entry->kind == GXDS_ENTRY_ERROR) continue;
    any = member->is.kept = true;
  }
  return any;
}

/* An aggregate that names a kept node may have to wait for that node; then everything that the
 * aggregate shows is kept too, and so on. Each round keeps more nodes, so this ends. The cause is
 * always an awaited resource, so all this ends when the resource comes. with_height: how many nodes
 * have a height; these come first, members before the aggregates that name them. */
static void find_kept(const gxds_dependency_manager *m, const gxds_node_list *listed,
                      size_t with_height) {
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < with_height; i++) {
      listed->items[i]->is.ready = is_ready(m, listed->items[i]);
    }
    for (size_t i = 0; i < listed->count; i++) {
      const gxds_cluster *shown = gxds_node_shown_list(listed->items[i]);
      if (shown && keeps(listed->items[i]) && keep_members(m, shown)) more = true;
    }
  }
}

/* Finds out which nodes are in the graph now, starting from the previous graph. */
static void renew_graph(gxds_dependency_manager *m) {
  gxds_node_list before = m->graph;
  for (size_t i = 0; i < before.count; i++) {
    before.items[i]->is = (gxds_judgement){.kept = false};
  }
  m->graph = gxds_nodes_walk(m, &before, GXDS_WALK_BOTH);
  for (size_t i = 0; i < before.count; i++) {
    if (!gxds_node_is_in_graph(before.items[i])) gxds_node_changed(m, before.items[i]);
  }
  gxds_free(before.items);
}

gxds_node_list gxds_nodes_judge(gxds_dependency_manager *m) {
  renew_graph(m);
  gxds_node_list listed = {NULL, 0, 0};
  bool differ = false; /* some node shows something other than its latest list */
  for (size_t i = 0; i < m->graph.count; i++) {
    gxds_node *node = m->graph.items[i];
    const gxds_cluster *shown = gxds_node_shown_list(node);
    const gxds_cluster *latest = gxds_node_latest_list(node);
    node->is.has_list = shown || latest;
    if (node->is.has_list) gxds_node_list_add(&listed, node);
    if (shown != latest) differ = true;
  }
  size_t with_height = find_heights(m, &listed);
  /* If every aggregate shows its latest list, all members of these lists could be shown before. So
   * no aggregate that shows a list waits, and the walk over latest lists is not needed. */
  if (differ) gxds_free(gxds_nodes_walk(m, &m->graph, GXDS_WALK_LATEST).items);
  find_kept(m, &listed, with_height);
  return listed;
}

/* ---- entries of leaves and errors ---- */

/* A88: everything that is wrong with this cluster's resources, and the server that they come from.
 */
static const gxds_error *leaf_note(const gxds_dependency_manager *m, const gxds_node *node,
                                   const gxds_source *source) {
  const gxds_subject *s = &source->subject;
  const char *kind = s->kind == GXDS_SUBJECT_EDS ? "EDS resource" : "DNS name";
  const gxds_str name = gxds_subject_name(s);
  gxds_note note = {{NULL, 0, 0}, NULL, 0, 0};
  gxds_root_add_ambient(m, &note);
  gxds_note_add(&note, "CDS resource", gxds_subject_name(&node->subject), node->subject.ambient);
  gxds_note_add(&note, kind, name, gxds_subject_error(s));
  gxds_note_add(&note, kind, name, s->ambient);
  gxds_note_add(&note, kind, name, source->warning);
  return gxds_note_take(&note, gxds_subject_origin(m, &node->subject));
}

static const gxds_cluster_entry *leaf_entry(const gxds_dependency_manager *m, const gxds_node *node,
                                            const gxds_cluster *cluster,
                                            const gxds_source *source) {
  const gxds_error *note = leaf_note(m, node, source);
  const gxds_cluster_entry *entry = gxds_cluster_entry_endpoints(
      gxds_subject_name(&node->subject), cluster,
      (const gxds_endpoints *)gxds_subject_resource(&source->subject), note);
  gxds_error_unref(note);
  return entry;
}

static const gxds_cluster_entry *failed_entry(const gxds_node *node) {
  gxds_status error = gxds_subject_failure(&node->subject);
  /* A31: the cluster counts as deleted if only RPCs that hold it still need it. */
  bool deleted = node->held && !node->in_published && node->subscriptions == 0;
  const gxds_str name = gxds_subject_name(&node->subject);
  const gxds_cluster_entry *entry =
      deleted ? gxds_cluster_entry_deleted(name, &error) : gxds_cluster_entry_error(name, &error);
  gxds_status_fini(&error);
  return entry;
}

#define TEXT_OF(number) #number
#define EXPANDED_TEXT_OF(number) TEXT_OF(number)
#define DEPTH_MAX_TEXT EXPANDED_TEXT_OF(GXDS_AGGREGATE_DEPTH_MAX)

static const gxds_cluster_entry *too_deep_entry(const gxds_dependency_manager *m,
                                                const gxds_node *node) {
  gxds_status error = gxds_subject_refusal(
      m, &node->subject,
      "aggregate cluster graph exceeds max depth (" DEPTH_MAX_TEXT ") or has a loop",
      gxds_str_of(NULL, 0));
  const gxds_cluster_entry *entry =
      gxds_cluster_entry_error(gxds_subject_name(&node->subject), &error);
  gxds_status_fini(&error);
  return entry;
}

/* ---- entries of aggregates ---- */

/* A37: if a cluster appears more than once below an aggregate, its first place counts. */
static void add_leaf(gxds_node_list *leaves, gxds_node *leaf) {
  if (!leaf || leaf->is_leaf) return;
  leaf->is_leaf = true;
  gxds_node_list_add(leaves, leaf);
}

/* The names of the nodes, borrowed. The caller frees the array. */
static gxds_str *take_names(gxds_node_list *leaves) {
  gxds_str *names = gxds_calloc(leaves->count, sizeof *names);
  for (size_t i = 0; i < leaves->count; i++) {
    leaves->items[i]->is_leaf = false;
    names[i] = gxds_subject_name(&leaves->items[i]->subject);
  }
  gxds_free(leaves->items);
  return names;
}

/* The note that says why an aggregate has no leaves. */
static const gxds_error *note_of_none(const gxds_dependency_manager *m, const gxds_node *node,
                                      const gxds_cluster *list) {
  gxds_note note = {{NULL, 0, 0}, NULL, 0, 0};
  gxds_root_add_ambient(m, &note);
  for (size_t i = 0; i < list->aggregate_count; i++) {
    const gxds_node *member = gxds_node_find(m, list->aggregate[i]);
    if (!member->entry) continue;
    const gxds_error *why = gxds_subject_error(&member->subject);
    gxds_note_add(&note, "CDS resource", gxds_subject_name(&member->subject),
                  why ? why : member->entry->resolution_note);
  }
  return gxds_note_take(&note, gxds_subject_origin(m, &node->subject));
}

/* Makes the entry of an aggregate from what its members show. A74: members in error are left out.
 */
static const gxds_cluster_entry *aggregate_entry(const gxds_dependency_manager *m,
                                                 const gxds_node *node, const gxds_cluster *list) {
  gxds_node_list leaves = {NULL, 0, 0};
  for (size_t i = 0; i < list->aggregate_count; i++) {
    gxds_node *member = gxds_node_find(m, list->aggregate[i]);
    const gxds_cluster_entry *shown = member->entry;
    if (!shown) continue;
    if (shown->kind == GXDS_ENTRY_ENDPOINTS) add_leaf(&leaves, member);
    for (size_t j = 0; j < shown->leaf_cluster_count; j++) {
      add_leaf(&leaves, gxds_node_find(m, shown->leaf_clusters[j]));
    }
  }
  const gxds_error *note = leaves.count == 0 ? note_of_none(m, node, list) : NULL;
  gxds_str *names = take_names(&leaves);
  const gxds_cluster_entry *entry = gxds_cluster_entry_aggregate(gxds_subject_name(&node->subject),
                                                                 list, names, leaves.count, note);
  gxds_free(names);
  gxds_error_unref(note);
  return entry;
}

/* ---- evaluating ---- */

const gxds_cluster *gxds_node_next_list(const gxds_node *node) {
  switch (state_of(node)) {
    case FAILED:
    case TOO_DEEP:
      break;
    case READY:
      return gxds_node_latest_list(node);
    case WAITING:
    case KEPT:
      return gxds_node_shown_list(node);
  }
  return NULL;
}

const gxds_cluster_entry *gxds_node_evaluate(const gxds_dependency_manager *m,
                                             const gxds_node *node) {
  const gxds_cluster *list = gxds_node_next_list(node);
  if (list) return aggregate_entry(m, node, list);
  switch (state_of(node)) {
    case FAILED:
      return failed_entry(node);
    case TOO_DEEP:
      return too_deep_entry(m, node);
    case READY:
      return leaf_entry(m, node, gxds_node_latest(node), gxds_node_needs(node));
    case WAITING: {
      bool follows = node->awaited && node->shown.source;
      return follows ? leaf_entry(m, node, node->entry->cluster, node->shown.source) : NULL;
    }
    case KEPT:
      break;
  }
  return NULL;
}
