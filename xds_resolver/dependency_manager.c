#include "xds_resolver/dependency_manager.h"

#include "resources/resources.h"
#include "xds_resolver/dependency_internal.h"

/* ---- actions ---- */

gxds_dependency_action *gxds_dependency_add_action(gxds_dependency_manager *m,
                                                   gxds_dependency_action_kind kind) {
  gxds_dependency_queued *q = GXDS_NEW(gxds_dependency_queued);
  q->action.kind = kind;
  DL_APPEND(m->actions, q);
  return &q->action;
}

static void destroy_action(gxds_dependency_queued *q) {
  if (!q) return;
  gxds_str_free(&q->action.name);
  gxds_config_unref(q->action.config);
  gxds_names_unref(q->action.route_targets);
  gxds_status_fini(&q->action.status);
  gxds_free(q);
}

const gxds_dependency_action *gxds_dependency_manager_next_action(gxds_dependency_manager *m) {
  destroy_action(m->taken);
  m->taken = m->actions;
  if (!m->taken) return NULL;
  DL_DELETE(m->actions, m->taken);
  return &m->taken->action;
}

/* ---- subjects ---- */

const gxds_shared_name *gxds_shared_name_create(gxds_str name) {
  gxds_shared_name *n = gxds_calloc(1, sizeof *n + name.size + 1);
  gxds_ref_init(&n->refs);
  n->size = (uint32_t)name.size;
  if (name.size) memcpy(n->text, name.data, name.size);
  return n;
}

static void name_unref(const gxds_shared_name *n) {
  if (gxds_ref_dec(&n->refs)) gxds_free((gxds_shared_name *)n);
}

const gxds_resource_type *gxds_subject_type(const gxds_subject *s) {
  switch (s->kind) {
    case GXDS_SUBJECT_LISTENER:
      return &gxds_listener_type;
    case GXDS_SUBJECT_ROUTE_CONFIG:
      return &gxds_route_config_type;
    case GXDS_SUBJECT_NODE:
      return &gxds_cluster_type;
    case GXDS_SUBJECT_EDS:
      return &gxds_endpoints_type;
    default:
      return NULL;
  }
}

void gxds_subject_start(gxds_dependency_manager *m, gxds_subject *s, gxds_subject_kind kind,
                        const gxds_shared_name *take_name) {
  s->kind = (uint8_t)kind;
  s->name = take_name;
  gxds_index_add(&m->subjects, &s->by_token, ++m->last_token);
  bool is_dns = kind == GXDS_SUBJECT_DNS;
  gxds_dependency_action *a =
      gxds_dependency_add_action(m, is_dns ? GXDS_DEPENDENCY_DNS_START : GXDS_DEPENDENCY_WATCH);
  a->token = gxds_subject_token(s);
  a->type = gxds_subject_type(s);
  a->name = gxds_str_dup(gxds_subject_name(s));
}

/* Takes its own reference to the one that is not NULL. */
static void set_known(gxds_subject *s, const gxds_resource *resource, const gxds_error *error) {
  const gxds_resource *old_resource = gxds_subject_resource(s);
  const gxds_error *old_error = gxds_subject_error(s);
  s->presence = GXDS_REQUESTED;
  if (resource) {
    s->presence = GXDS_PRESENT;
    s->known.resource = gxds_resource_ref(resource);
  } else if (error) {
    s->presence = GXDS_FAILED;
    s->known.error = gxds_error_ref(error);
  }
  gxds_resource_unref(old_resource);
  gxds_error_unref(old_error);
}

void gxds_subject_fini(gxds_dependency_manager *m, gxds_subject *s) {
  gxds_index_remove(&m->subjects, &s->by_token);
  set_known(s, NULL, NULL);
  gxds_error_assign(&s->ambient, NULL);
  name_unref(s->name);
}

void gxds_subject_stop(gxds_dependency_manager *m, const gxds_subject *s) {
  bool is_dns = s->kind == GXDS_SUBJECT_DNS;
  gxds_dependency_action *a =
      gxds_dependency_add_action(m, is_dns ? GXDS_DEPENDENCY_DNS_STOP : GXDS_DEPENDENCY_UNWATCH);
  a->token = gxds_subject_token(s);
}

gxds_subject *gxds_subject_find(const gxds_index *by_name, gxds_subject_kind kind, uint64_t hash,
                                gxds_str name) {
  gxds_index_link *l = gxds_index_find(by_name, hash);
  for (; l; l = gxds_index_find_next(l)) {
    gxds_subject *s = gxds_subject_of_name_link(l);
    if (s->kind == kind && gxds_str_equal(gxds_subject_name(s), name)) return s;
  }
  return NULL;
}

gxds_status gxds_subject_failure(const gxds_subject *s) {
  gxds_str why = gxds_error_text(gxds_subject_error(s));
  gxds_status status =
      gxds_status_make(GXDS_UNAVAILABLE, "%s resource %.*s: %.*s", gxds_subject_type(s)->short_name,
                       GXDS_STR_ARG(gxds_subject_name(s)), GXDS_STR_ARG(why));
  gxds_str_free(&why);
  return status;
}

gxds_status gxds_subject_refusal(const gxds_dependency_manager *m, const gxds_subject *s,
                                 const char *what, gxds_str about) {
  gxds_text why = {NULL, 0, 0};
  gxds_text_addf(&why, "%s resource ", gxds_subject_type(s)->short_name);
  gxds_text_add_escaped(&why, gxds_subject_name(s));
  gxds_text_addf(&why, ": %s", what);
  gxds_text_add_escaped(&why, about);
  const gxds_error *origin = gxds_subject_origin(m, s);
  gxds_text_add_origin(&why, origin->server, origin->node_id);
  return (gxds_status){GXDS_UNAVAILABLE, gxds_text_take(&why)};
}

static gxds_subject *find_subject(gxds_dependency_manager *m, uint64_t token) {
  return (gxds_subject *)gxds_index_find(&m->subjects, token);
}

/* ---- make and end ---- */

/* Returns the index of the new origin. */
static uint32_t add_origin(gxds_dependency_manager *m, gxds_str server, gxds_str node_id) {
  gxds_text no_message = {NULL, 0, 0};
  m->origins = gxds_realloc((void *)m->origins, m->origin_count + 1, sizeof *m->origins);
  m->origins[m->origin_count] = gxds_error_create(GXDS_OK, &no_message, server, node_id);
  return m->origin_count++;
}

gxds_dependency_manager *gxds_dependency_manager_create(
    const gxds_dependency_manager_options *options) {
  gxds_dependency_manager *m = GXDS_NEW(gxds_dependency_manager);
  m->data_plane_authority = gxds_str_dup(options->data_plane_authority);
  add_origin(m, gxds_str_of(NULL, 0), options->node_id);
  if (options->load_store) m->load_store = gxds_load_store_ref(options->load_store);
  gxds_subject_start(m, &m->listener, GXDS_SUBJECT_LISTENER,
                     gxds_shared_name_create(options->listener_name));
  return m;
}

void gxds_dependency_manager_destroy(gxds_dependency_manager *m) {
  gxds_dependency_forget_published(m);
  gxds_name_map_unref(m->map);
  gxds_root_fini(m);
  gxds_nodes_fini(m);
  gxds_subject_fini(m, &m->listener);
  destroy_action(m->taken);
  while (m->actions) {
    gxds_dependency_queued *q = m->actions;
    DL_DELETE(m->actions, q);
    destroy_action(q);
  }
  gxds_status_fini(&m->failure);
  gxds_names_unref(m->held_plugins);
  gxds_plugins_unref(m->plugins);
  gxds_str_free(&m->data_plane_authority);
  for (size_t i = 0; i < m->origin_count; i++) gxds_error_unref(m->origins[i]);
  gxds_free((void *)m->origins);
  gxds_load_store_unref(m->load_store);
  gxds_free(m);
}

/* ---- events ---- */

/* The resource or an error of the subject changed. */
static void subject_changed(gxds_dependency_manager *m, gxds_subject *s) {
  switch (s->kind) {
    case GXDS_SUBJECT_LISTENER:
    case GXDS_SUBJECT_ROUTE_CONFIG:
      break; /* settle() checks these in any case */
    case GXDS_SUBJECT_NODE:
      gxds_node_touch(m, (gxds_node *)s);
      break;
    case GXDS_SUBJECT_EDS:
    case GXDS_SUBJECT_DNS:
      gxds_source_warn(m, (gxds_source *)s);
      gxds_source_touch(m, (gxds_source *)s);
      break;
  }
}

static bool is_root_subject(const gxds_subject *s) {
  return s->kind == GXDS_SUBJECT_LISTENER || s->kind == GXDS_SUBJECT_ROUTE_CONFIG;
}

/* The index of the manager's origin for that server. */
static uint32_t origin_of(gxds_dependency_manager *m, gxds_str server) {
  for (uint32_t i = 0; i < m->origin_count; i++) {
    if (gxds_str_equal(m->origins[i]->server, server)) return i;
  }
  return add_origin(m, server, m->origins[0]->node_id);
}

void gxds_dependency_manager_on_source(gxds_dependency_manager *m, uint64_t token,
                                       gxds_str server) {
  gxds_subject *s = find_subject(m, token);
  if (s) s->origin = origin_of(m, server);
}

void gxds_dependency_manager_on_resource(gxds_dependency_manager *m, uint64_t token,
                                         const gxds_resource *resource, const gxds_error *error) {
  gxds_subject *s = find_subject(m, token);
  if (!s) return;
  /* A resource as well as an error ends the ambient error (A88). */
  bool ambient = s->ambient != NULL;
  gxds_error_assign(&s->ambient, NULL);
  set_known(s, resource, error);
  if (ambient && is_root_subject(s)) gxds_nodes_touch_all(m);
  subject_changed(m, s);
}

void gxds_dependency_manager_on_ambient_error(gxds_dependency_manager *m, uint64_t token,
                                              const gxds_error *error) {
  gxds_subject *s = find_subject(m, token);
  if (!s || s->ambient == error) return;
  gxds_error_assign(&s->ambient, error);
  if (is_root_subject(s)) {
    gxds_nodes_touch_all(m);
  } else {
    subject_changed(m, s);
  }
}

void gxds_dependency_manager_on_dns(gxds_dependency_manager *m, uint64_t token,
                                    const gxds_endpoints *endpoints, const gxds_status *status) {
  const gxds_subject *s = find_subject(m, token);
  if (!s) return;
  if (endpoints) {
    gxds_dependency_manager_on_resource(m, token, &endpoints->base, NULL);
    return;
  }
  gxds_str nobody = {NULL, 0};
  const gxds_error *error =
      gxds_error_renew(s->ambient, gxds_error_of_status(status, nobody, nobody));
  if (s->presence == GXDS_PRESENT) {
    gxds_dependency_manager_on_ambient_error(m, token, error);
  } else {
    gxds_dependency_manager_on_resource(m, token, NULL, error);
  }
  gxds_error_unref(error);
}

/* The reasons for which a node is a root decide whether an error counts as a deletion. */
static void reasons_changed(gxds_dependency_manager *m, gxds_node *node) {
  gxds_node_changed(m, node);
  gxds_node_touch(m, node);
}

void gxds_dependency_manager_subscribe(gxds_dependency_manager *m, gxds_str cluster) {
  gxds_node *node = gxds_node_get(m, cluster);
  if (node->subscriptions++ > 0) return;
  reasons_changed(m, node);
}

void gxds_dependency_manager_unsubscribe(gxds_dependency_manager *m, gxds_str cluster) {
  gxds_node *node = gxds_node_find(m, cluster);
  if (!node || node->subscriptions == 0 || --node->subscriptions > 0) return;
  reasons_changed(m, node);
}

void gxds_dependency_manager_hold(gxds_dependency_manager *m, gxds_str target, bool held) {
  bool is_plugin = held ? gxds_plugins_find(m->plugins, target) != NULL
                        : gxds_dependency_plugin_is_held(m, target);
  if (is_plugin) {
    gxds_dependency_hold_plugin(m, target, held);
    return;
  }
  gxds_node *node = held ? gxds_node_get(m, target) : gxds_node_find(m, target);
  if (!node || node->held == held) return;
  node->held = held;
  /* While a route of the published root names the cluster, a hold changes nothing. */
  if (node->in_published) return;
  m->reshaped = true;
  reasons_changed(m, node);
}

void gxds_dependency_manager_reresolve(gxds_dependency_manager *m) { gxds_sources_reresolve(m); }

size_t gxds_dependency_manager_watch_count(const gxds_dependency_manager *m) {
  return m->subjects.count;
}
