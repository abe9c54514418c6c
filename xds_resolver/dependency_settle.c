/* How the dependency manager settles: it makes a snapshot from the events since the last time.
 *
 * Constants
 *
 *   GXDS_AGGREGATE_DEPTH_MAX  16: the most clusters on a path from a root to a leaf (A37)
 *
 * States of a node, and what it shows in each. The states are not stored: they follow from what is
 * known of the resources, and from the judgement in step 3.
 *
 *   FAILED    There is no CDS resource, or it must not be used. Shows an error.
 *   TOO_DEEP  The latest resource is an aggregate of too many levels, or in or above a loop. Shows
 *             an error.
 *   READY     All that the latest resource needs is there, or known to be missing. Shows the latest
 *             resource.
 *   WAITING   The node awaits its CDS resource, its endpoints, or something that a member of its
 *             list awaits. Shows what it showed before. A leaf that awaits other endpoints follows
 *             its old ones, and an aggregate follows which members of its old list are in error.
 *   KEPT      An aggregate that is WAITING or kept shows this node, so it shows what it showed
 *             before. Its resources are not looked at until it leaves this state. But an aggregate
 *             that shows its latest list already may be READY, though it is kept.
 *
 * A node is dirty if its entry may be out of date: something about it was reported since it was
 * last evaluated, or it was kept then.
 *
 * The graph is the roots with a list, and all nodes that lists lead to from there. All other nodes
 * are roots on their own. A change of one concerns no other node. A node is changed if it is dirty,
 * if it may be a root for other reasons than before, or if it left the graph.
 *
 * The manager is reshaped if a change concerns more than one node: the snapshot has other roots, a
 * node of the graph became a root or is no longer one, a list has other members, a member became a
 * leaf, an aggregate or an error, or its error is another one. Only then does the time depend on
 * the size of the graph and on the number of roots. So a dynamic subscription costs the same among
 * any number of clusters.
 *
 * Steps
 *
 *   1. gxds_root_update() (dependency_root.c): compares the listener and the route
 *      configuration with the roots. Makes a candidate, or fails.
 *   2. watch_endpoints(): dirty nodes watch the endpoints that their latest resources need.
 *
 *   Then, once, and again as long as the manager is reshaped:
 *
 *   3. gxds_nodes_judge() (dependency_evaluate.c), if the manager is reshaped: walks over the
 *      graph again, and watches members that are new. Finds out which nodes are TOO_DEEP, which
 *      aggregates are READY, and which nodes are KEPT for those that are WAITING.
 *   4. renew(): evaluates dirty nodes, and if step 3 ran, all aggregates. A node whose evaluation
 *      differs from what it shows, shows the result.
 *   5. gxds_root_promote() (dependency_root.c): makes the candidate the published root, if all its
 *      clusters show something.
 *
 *   After that:
 *
 *   6. gxds_dependency_publish() (dependency_publish.c): makes a snapshot of all entries,
 *      and publishes it if it differs from the last one.
 *   7. drop(): ends the watches that are not needed any more. Only changed nodes can have become
 *      unneeded.
 *
 * The repetition ends. The roots change at most once, in step 5. With the same roots, a round shows
 * only latest lists, which the walk went over already, so the next walk reaches the same nodes or
 * fewer. If it reaches the same, all evaluations have the same result as before. */
#include "xds_resolver/dependency_internal.h"

/* ---- step 2: watch endpoints ---- */

static void watch_endpoints(gxds_dependency_manager *m) {
  for (size_t i = 0; i < m->changed.count; i++) {
    gxds_node *node = m->changed.items[i];
    if (!node->dirty) continue;
    gxds_node_use_sources(m, node);
    bool is_list = gxds_node_latest_list(node);
    if (is_list || node->is.has_list || node->is.kept) m->reshaped = true;
    if (is_list && !gxds_node_is_in_graph(node)) gxds_node_list_add(&m->graph, node);
  }
}

/* ---- step 4: evaluate, and show what differs ---- */

static void renew_node(gxds_dependency_manager *m, gxds_node *node) {
  const gxds_cluster_entry *entry = gxds_node_evaluate(m, node);
  if (entry) gxds_node_show(m, node, entry);
}

static void renew_dirty(gxds_dependency_manager *m) {
  for (size_t i = 0; i < m->changed.count; i++) {
    gxds_node *node = m->changed.items[i];
    if (!node->dirty || node->is.kept) continue;
    node->dirty = false;
    /* Step 7 drops nodes that are not reached. */
    bool reached = gxds_node_is_reached(node, GXDS_WALK_BOTH);
    if (reached && !node->is.has_list) renew_node(m, node);
  }
}

static bool members_are_renewed(const gxds_dependency_manager *m, const gxds_node *node) {
  const gxds_cluster *list = gxds_node_next_list(node);
  for (size_t i = 0; list && i < list->aggregate_count; i++) {
    const gxds_node *member = gxds_node_find(m, list->aggregate[i]);
    if (member->is.has_list && !member->is.renewed) return false;
  }
  return true;
}

/* Renews members before the aggregates that show them. These lists have no loops, so each round
 * renews at least one node, until all are renewed. */
static void renew_listed(gxds_dependency_manager *m, const gxds_node_list *listed) {
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < listed->count; i++) {
      gxds_node *node = listed->items[i];
      if (node->is.renewed || !members_are_renewed(m, node)) continue;
      node->is.renewed = more = true;
      renew_node(m, node);
    }
  }
}

/* Step 4 of settling. listed: the nodes of the graph that have a list; empty if step 3 did not
 * run. */
static void renew(gxds_dependency_manager *m, const gxds_node_list *listed) {
  renew_dirty(m);
  renew_listed(m, listed);
}

/* ---- step 7: drop ---- */

static void drop(gxds_dependency_manager *m) {
  gxds_nodes_drop_unreached(m);
  gxds_root_drop_old(m);
  gxds_sources_drop_idle(m);
}

/* ---- all steps ---- */

void gxds_dependency_manager_settle(gxds_dependency_manager *m) {
  gxds_root_update(m);
  watch_endpoints(m);
  bool ever_reshaped = false;
  do {
    gxds_node_list listed = {NULL, 0, 0};
    if (m->reshaped) {
      ever_reshaped = true;
      m->reshaped = false;
      listed = gxds_nodes_judge(m);
    }
    renew(m, &listed);
    gxds_free(listed.items);
    gxds_root_promote(m);
  } while (m->reshaped);
  gxds_dependency_publish(m, ever_reshaped);
  drop(m);
}
