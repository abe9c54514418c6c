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

void gxds_subject_start(gxds_dependency_manager *m, gxds_subject *s, gxds_subject_kind kind,
                        const gxds_resource_type *type, gxds_str name) {
  s->kind = (uint8_t)kind;
  s->type = type;
  s->from = m->origins[0];
  s->name = gxds_str_dup(name);
  s->token = ++m->last_token;
  HASH_ADD(by_token, m->subjects, token, sizeof s->token, s);
  gxds_dependency_action *a =
      gxds_dependency_add_action(m, type ? GXDS_DEPENDENCY_WATCH : GXDS_DEPENDENCY_DNS_START);
  a->token = s->token;
  a->type = type;
  a->name = gxds_str_dup(name);
}

static void set_resource(gxds_subject *s, gxds_presence presence, const gxds_resource *resource) {
  const gxds_resource *old = s->resource;
  s->presence = (uint8_t)presence;
  s->resource = resource ? gxds_resource_ref(resource) : NULL;
  gxds_resource_unref(old);
  gxds_error_assign(&s->error, NULL);
}

void gxds_subject_fini(gxds_subject *s) {
  set_resource(s, GXDS_REQUESTED, NULL);
  gxds_error_assign(&s->ambient, NULL);
  gxds_str_free(&s->name);
  s->token = 0;
}

void gxds_subject_stop(gxds_dependency_manager *m, gxds_subject *s) {
  gxds_dependency_action *a =
      gxds_dependency_add_action(m, s->type ? GXDS_DEPENDENCY_UNWATCH : GXDS_DEPENDENCY_DNS_STOP);
  a->token = s->token;
  HASH_DELETE(by_token, m->subjects, s);
  gxds_subject_fini(s);
}

gxds_status gxds_subject_failure(const gxds_subject *s) {
  gxds_str why = gxds_error_text(s->error);
  gxds_status status =
      gxds_status_make(GXDS_UNAVAILABLE, "%s resource %.*s: %.*s", s->type->short_name,
                       GXDS_STR_ARG(s->name), GXDS_STR_ARG(why));
  gxds_str_free(&why);
  return status;
}

gxds_status gxds_subject_refusal(const gxds_subject *s, const char *what, gxds_str about) {
  gxds_text why = {NULL, 0, 0};
  gxds_text_addf(&why, "%s resource ", s->type->short_name);
  gxds_text_add_escaped(&why, s->name);
  gxds_text_addf(&why, ": %s", what);
  gxds_text_add_escaped(&why, about);
  gxds_text_add_origin(&why, s->from->server, s->from->node_id);
  return (gxds_status){GXDS_UNAVAILABLE, gxds_text_take(&why)};
}

static gxds_subject *find_subject(gxds_dependency_manager *m, uint64_t token) {
  gxds_subject *s = NULL;
  HASH_FIND(by_token, m->subjects, &token, sizeof token, s);
  return s;
}

/* ---- make and end ---- */

static const gxds_error *add_origin(gxds_dependency_manager *m, gxds_str server, gxds_str node_id) {
  gxds_text no_message = {NULL, 0, 0};
  m->origins = gxds_realloc((void *)m->origins, m->origin_count + 1, sizeof *m->origins);
  m->origins[m->origin_count] = gxds_error_create(GXDS_OK, &no_message, server, node_id);
  return m->origins[m->origin_count++];
}

gxds_dependency_manager *gxds_dependency_manager_create(
    const gxds_dependency_manager_options *options) {
  gxds_dependency_manager *m = GXDS_NEW(gxds_dependency_manager);
  m->data_plane_authority = gxds_str_dup(options->data_plane_authority);
  add_origin(m, gxds_str_of(NULL, 0), options->node_id);
  if (options->load_store) m->load_store = gxds_load_store_ref(options->load_store);
  gxds_subject_start(m, &m->listener, GXDS_SUBJECT_LISTENER, &gxds_listener_type,
                     options->listener_name);
  return m;
}

void gxds_dependency_manager_destroy(gxds_dependency_manager *m) {
  gxds_dependency_forget_published(m);
  gxds_name_map_unref(m->map);
  HASH_CLEAR(by_token, m->subjects); /* before the listed subjects are freed */
  gxds_root_fini(m);
  gxds_nodes_fini(m);
  gxds_subject_fini(&m->listener);
  destroy_action(m->taken);
  while (m->actions) {
    gxds_dependency_queued *q = m->actions;
    DL_DELETE(m->actions, q);
    destroy_action(q);
  }
  gxds_status_fini(&m->failure);
  gxds_names_unref(m->held_plugins);
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
      break; /* settle() looks at them anyway */
    case GXDS_SUBJECT_NODE:
      gxds_node_touch(m, (gxds_node *)s);
      break;
    case GXDS_SUBJECT_SOURCE:
      gxds_source_warn((gxds_source *)s);
      gxds_source_touch(m, (gxds_source *)s);
      break;
  }
}

static bool is_root_subject(const gxds_subject *s) {
  return s->kind == GXDS_SUBJECT_LISTENER || s->kind == GXDS_SUBJECT_ROUTE_CONFIG;
}

/* The manager's origin for that server. Borrowed. */
static const gxds_error *origin_of(gxds_dependency_manager *m, gxds_str server) {
  for (size_t i = 0; i < m->origin_count; i++) {
    if (gxds_str_equal(m->origins[i]->server, server)) return m->origins[i];
  }
  return add_origin(m, server, m->origins[0]->node_id);
}

void gxds_dependency_manager_on_source(gxds_dependency_manager *m, uint64_t token,
                                       gxds_str server) {
  gxds_subject *s = find_subject(m, token);
  if (s) s->from = origin_of(m, server);
}

void gxds_dependency_manager_on_resource(gxds_dependency_manager *m, uint64_t token,
                                         const gxds_resource *resource, const gxds_error *error) {
  gxds_subject *s = find_subject(m, token);
  if (!s) return;
  /* A resource as well as an error ends the ambient error (A88). */
  bool ambient = s->ambient != NULL;
  gxds_error_assign(&s->ambient, NULL);
  set_resource(s, resource ? GXDS_PRESENT : GXDS_FAILED, resource);
  if (!resource) s->error = gxds_error_ref(error);
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

/* Whether an error entry is a deleted one depends on the reasons of the node. */
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
  bool is_plugin = held ? m->config && gxds_plugins_find(m->config->plugins, target)
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

void gxds_dependency_manager_reresolve(gxds_dependency_manager *m) {
  for (gxds_source *s = m->dns; s; s = s->by_name.next) {
    gxds_dependency_add_action(m, GXDS_DEPENDENCY_DNS_RERESOLVE)->token = s->subject.token;
  }
}

size_t gxds_dependency_manager_watch_count(const gxds_dependency_manager *m) {
  return HASH_CNT(by_token, m->subjects);
}
