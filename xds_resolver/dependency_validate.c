/* The invariants of a settled dependency manager between two events. */
#include "xds_resolver/dependency_internal.h"

static void validate_use(const gxds_use *use, const gxds_node *node) {
  if (!use->source) return;
  GXDS_CHECK(use->node == node);
  const gxds_use *each;
  bool found = false;
  DL_FOREACH(use->source->uses, each) { found = found || each == use; }
  GXDS_CHECK(found);
}

static void validate_node(const gxds_dependency_manager *m, const gxds_node *node) {
  GXDS_CHECK(gxds_node_find(m, gxds_subject_name(&node->subject)) == node);
  GXDS_CHECK(!node->dirty || node->is.kept);
  GXDS_CHECK(node->dirty == node->is_changed);
  GXDS_CHECK(gxds_node_is_reached(node, GXDS_WALK_BOTH));
  bool is_list = gxds_node_shown_list(node) || gxds_node_latest_list(node);
  GXDS_CHECK(is_list == node->is.has_list);
  GXDS_CHECK(gxds_node_is_in_graph(node) == (is_list || node->is.is_member));
  GXDS_CHECK(!node->is.has_list || node->is.renewed);
  GXDS_CHECK(gxds_cluster_map_get(m->map, gxds_subject_name(&node->subject)) ==
             (node->in_map ? node->entry : NULL));
  GXDS_CHECK(node->in_map == (node->entry && gxds_node_is_reached(node, GXDS_WALK_SHOWN)));
  GXDS_CHECK(!node->in_published || (m->published.set && node->entry));
  GXDS_CHECK(!node->in_candidate || m->candidate.set);
  bool shows_endpoints = node->entry && node->entry->kind == GXDS_ENTRY_ENDPOINTS;
  GXDS_CHECK(shows_endpoints == (node->shown.source != NULL));
  GXDS_CHECK(!node->is_leaf);
  GXDS_CHECK(node->subject.presence == GXDS_REQUESTED || node->subject.known.resource);
  if (node->awaited && !node->is.kept) {
    GXDS_CHECK(node->awaited->source->subject.presence == GXDS_REQUESTED);
  }
  if (node->subject.presence == GXDS_FAILED && !node->is.kept) {
    GXDS_CHECK(node->entry && node->entry->kind == GXDS_ENTRY_ERROR);
  }
  validate_use(&node->shown, node);
  if (node->awaited) validate_use(node->awaited, node);
}

static size_t validate_sources(const gxds_dependency_manager *m) {
  size_t count = 0;
  gxds_index_link *l = NULL;
  while ((l = gxds_index_next(&m->sources, l))) {
    const gxds_source *source = (const gxds_source *)gxds_subject_of_name_link(l);
    GXDS_CHECK(source->uses);
    count++;
  }
  return count;
}

void gxds_dependency_manager_validate(const gxds_dependency_manager *m) {
  size_t nodes = 0;
  size_t missing = 0;
  size_t mapped = 0;
  size_t in_graph = 0;
  const gxds_node *node;
  DL_FOREACH(m->nodes, node) {
    validate_node(m, node);
    nodes++;
    if (node->in_candidate && !node->entry) missing++;
    if (node->in_map) mapped++;
    if (gxds_node_is_in_graph(node)) in_graph++;
  }
  GXDS_CHECK(missing == m->candidate_missing);
  GXDS_CHECK(mapped == gxds_name_map_count(m->map));
  GXDS_CHECK(in_graph == m->graph.count);
  GXDS_CHECK(!m->candidate.set || missing > 0);
  GXDS_CHECK(!m->published.set || gxds_status_is_ok(&m->failure));
  GXDS_CHECK(m->published.set == (m->config != NULL));
  GXDS_CHECK(!m->idle && !m->reshaped);
  GXDS_CHECK(nodes == m->nodes_by_name.count);
  size_t watched = 1 + nodes + validate_sources(m);
  if (m->route_config) watched++;
  if (m->old_route_config) watched++;
  GXDS_CHECK(watched == gxds_dependency_manager_watch_count(m));
}
