/* Listener and route configuration: makes the candidate root, or fails the channel. */
#include "resources/resources.h"
#include "xds_resolver/dependency_internal.h"
#include "xds_resolver/route_table.h"

/* ---- roots ---- */

static void root_clear(gxds_root *r) {
  if (!r->set) return;
  gxds_resource_unref(&r->listener->base);
  gxds_resource_unref(&r->route_config->base);
  gxds_names_unref(r->names);
  gxds_plugins_unref(r->plugins);
  *r = (gxds_root){.set = false};
}

static bool root_is(const gxds_root *r, const gxds_listener *listener,
                    const gxds_route_config *route_config) {
  return r->set && r->listener == listener && r->route_config == route_config;
}

/* Whether the candidate's routes name other clusters than those of the published root, or there is
 * no published root. */
static bool candidate_names_others(const gxds_dependency_manager *m) {
  return m->candidate.names != m->published.names;
}

static void clear_candidate(gxds_dependency_manager *m) {
  if (!m->candidate.set) return;
  for (size_t i = 0; i < m->candidate.names->count; i++) {
    gxds_node *node = gxds_node_get(m, m->candidate.names->names[i]);
    node->in_candidate = false;
    if (candidate_names_others(m)) gxds_node_changed(m, node);
  }
  root_clear(&m->candidate);
  m->candidate_missing = 0;
}

/* The names of a virtual host's clusters. Shares those of r, if the virtual host did not change, or
 * names the same clusters. */
static const gxds_names *names_of(const gxds_root *r, const gxds_virtual_host *virtual_host) {
  if (r->set && gxds_virtual_host_equal(r->virtual_host, virtual_host)) {
    return gxds_names_ref(r->names);
  }
  const gxds_names *names = gxds_route_cluster_names(virtual_host);
  if (r->set && gxds_names_equal(names, r->names)) {
    gxds_names_unref(names);
    return gxds_names_ref(r->names);
  }
  return names;
}

static const gxds_plugins *plugins_of(const gxds_root *r, const gxds_virtual_host *virtual_host) {
  if (r->set && gxds_virtual_host_equal(r->virtual_host, virtual_host)) {
    return gxds_plugins_ref(r->plugins);
  }
  return gxds_plugins_of(virtual_host);
}

static void set_candidate(gxds_dependency_manager *m, const gxds_listener *listener,
                          const gxds_route_config *route_config,
                          const gxds_virtual_host *virtual_host) {
  gxds_resource_ref(&listener->base);
  gxds_resource_ref(&route_config->base);
  gxds_root next = {.set = true,
                    .listener = listener,
                    .route_config = route_config,
                    .virtual_host = virtual_host,
                    .names = names_of(&m->published, virtual_host),
                    .plugins = plugins_of(&m->published, virtual_host)};
  clear_candidate(m);
  m->candidate = next;
  for (size_t i = 0; i < next.names->count; i++) {
    gxds_node *node = gxds_node_get(m, next.names->names[i]);
    node->in_candidate = true;
    if (!node->entry) m->candidate_missing++;
    if (candidate_names_others(m)) gxds_node_changed(m, node);
  }
}

/* Sets whether the nodes of the published root's clusters are in it. A held node in error is dirty
 * then, because its error counts as a deletion if no route names the cluster. */
static void mark_published(gxds_dependency_manager *m, bool in_published) {
  m->reshaped = true;
  for (size_t i = 0; m->published.set && i < m->published.names->count; i++) {
    gxds_node *node = gxds_node_get(m, m->published.names->names[i]);
    node->in_published = in_published;
    gxds_node_changed(m, node);
    if (node->held && node->subject.presence == GXDS_FAILED) gxds_node_touch(m, node);
  }
}

/* ---- failure ---- */

/* A74: an error of the listener or the routes, which ends the use of the published snapshot. */
static void fail(gxds_dependency_manager *m, gxds_status take_status) {
  clear_candidate(m);
  if (m->published.set) {
    mark_published(m, false);
    root_clear(&m->published);
  }
  gxds_dependency_forget_published(m);
  if (gxds_status_equal(&m->failure, &take_status)) {
    gxds_status_fini(&take_status);
    return;
  }
  gxds_status_fini(&m->failure);
  m->failure = take_status;
  gxds_dependency_add_action(m, GXDS_DEPENDENCY_FAIL)->status = gxds_status_copy(&m->failure);
}

/* ---- words ---- */

void gxds_root_add_ambient(const gxds_dependency_manager *m, gxds_note *note) {
  gxds_note_add(note, "LDS resource", gxds_subject_name(&m->listener), m->listener.ambient);
  const gxds_subject *s = m->route_config;
  if (s) gxds_note_add(note, "RDS resource", gxds_subject_name(s), s->ambient);
}

gxds_str gxds_root_route_source(const gxds_dependency_manager *m) {
  gxds_str rds_name = m->published.listener->rds_name;
  const gxds_subject *s = &m->listener;
  if (rds_name.size) {
    bool is_old =
        m->old_route_config && gxds_str_equal(gxds_subject_name(m->old_route_config), rds_name);
    s = is_old ? m->old_route_config : m->route_config;
  }
  gxds_text text = {NULL, 0, 0};
  gxds_text_addf(&text, "%s resource ", gxds_subject_type(s)->short_name);
  gxds_text_add_escaped(&text, gxds_subject_name(s));
  const gxds_error *origin = gxds_subject_origin(m, s);
  gxds_text_add_origin(&text, origin->server, origin->node_id);
  return gxds_text_take(&text);
}

/* ---- the route configuration's watch ---- */

static void stop_route_config(gxds_dependency_manager *m, gxds_subject **s) {
  if (!*s) return;
  gxds_subject_stop(m, *s);
  gxds_subject_fini(m, *s);
  gxds_free(*s);
  *s = NULL;
}

/* Watches the route configuration of that name (none if it is empty), and ends the watch of any
 * other. But the published root's route configuration is watched until the root is replaced. */
static void want_route_config(gxds_dependency_manager *m, gxds_str name) {
  bool is_watched =
      m->route_config ? gxds_str_equal(gxds_subject_name(m->route_config), name) : name.size == 0;
  if (is_watched) return;
  gxds_subject *before = m->route_config;
  m->route_config = NULL;
  if (name.size && m->old_route_config &&
      gxds_str_equal(gxds_subject_name(m->old_route_config), name)) {
    m->route_config = m->old_route_config; /* the old route configuration is needed again */
    m->old_route_config = NULL;
  }
  if (before) {
    bool in_use = m->published.set &&
                  gxds_str_equal(m->published.listener->rds_name, gxds_subject_name(before));
    if (in_use) {
      m->old_route_config = before;
    } else {
      stop_route_config(m, &before);
    }
  }
  if (name.size && !m->route_config) {
    m->route_config = GXDS_NEW(gxds_subject);
    gxds_subject_start(m, m->route_config, GXDS_SUBJECT_ROUTE_CONFIG,
                       gxds_shared_name_create(name));
  }
  gxds_nodes_touch_all(m); /* the notes of nodes have its ambient error */
}

void gxds_root_drop_old(gxds_dependency_manager *m) {
  if (!m->old_route_config) return;
  bool in_use = m->published.set && gxds_str_equal(m->published.listener->rds_name,
                                                   gxds_subject_name(m->old_route_config));
  if (!in_use) stop_route_config(m, &m->old_route_config);
}

/* ---- events ---- */

static void use_route_config(gxds_dependency_manager *m, const gxds_listener *listener,
                             const gxds_route_config *route_config, const gxds_subject *source) {
  if (root_is(&m->published, listener, route_config)) {
    clear_candidate(m);
    return;
  }
  if (root_is(&m->candidate, listener, route_config)) return;
  const gxds_virtual_host *virtual_host =
      gxds_route_config_find_virtual_host(route_config, m->data_plane_authority);
  if (virtual_host) {
    set_candidate(m, listener, route_config, virtual_host);
  } else {
    fail(m, gxds_subject_refusal(m, source, "no virtual host for ", m->data_plane_authority));
  }
}

void gxds_root_update(gxds_dependency_manager *m) {
  if (m->listener.presence == GXDS_REQUESTED) return;
  if (m->listener.presence == GXDS_FAILED) {
    want_route_config(m, gxds_str_of(NULL, 0));
    fail(m, gxds_subject_failure(&m->listener));
    return;
  }
  const gxds_listener *listener = (const gxds_listener *)gxds_subject_resource(&m->listener);
  if (listener->kind != GXDS_LISTENER_API) {
    want_route_config(m, gxds_str_of(NULL, 0));
    fail(m, gxds_subject_refusal(m, &m->listener, "not an API listener", gxds_str_of(NULL, 0)));
    return;
  }
  want_route_config(m, listener->rds_name);
  if (listener->route_config) {
    use_route_config(m, listener, listener->route_config, &m->listener);
    return;
  }
  switch (m->route_config->presence) {
    case GXDS_REQUESTED:
      clear_candidate(m); /* the candidate's listener is out of date */
      break;
    case GXDS_FAILED:
      fail(m, gxds_subject_failure(m->route_config));
      break;
    case GXDS_PRESENT:
      use_route_config(m, listener,
                       (const gxds_route_config *)gxds_subject_resource(m->route_config),
                       m->route_config);
      break;
  }
}

void gxds_root_promote(gxds_dependency_manager *m) {
  if (!m->candidate.set || m->candidate_missing > 0) return;
  for (size_t i = 0; i < m->candidate.names->count; i++) {
    gxds_node_get(m, m->candidate.names->names[i])->in_candidate = false;
  }
  bool others = candidate_names_others(m);
  if (others) mark_published(m, false);
  root_clear(&m->published);
  m->published = m->candidate;
  m->candidate = (gxds_root){.set = false};
  if (others) mark_published(m, true);
}

void gxds_root_fini(gxds_dependency_manager *m) {
  root_clear(&m->published);
  root_clear(&m->candidate);
  gxds_subject *both[] = {m->route_config, m->old_route_config};
  for (size_t i = 0; i < 2; i++) {
    if (!both[i]) continue;
    gxds_subject_fini(m, both[i]);
    gxds_free(both[i]);
  }
}
