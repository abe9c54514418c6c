#include "xds_client/metrics.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/metric.h"
#include "xds_client/server_counts.h"

/* Such as "envoy.config.listener.v3.Listener". */
static gxds_str type_name(const gxds_resource_type *type) {
  const char *slash = strrchr(type->type_url, '/');
  return gxds_str_z(slash ? slash + 1 : type->type_url);
}

/* ---- servers ---- */

typedef struct server_family {
  const char *name;
  const char *kind;
  const char *help;
  uint64_t (*value)(const gxds_server_counts *s, size_t type);
  bool by_type;
  bool in_use;             /* only of servers that are in use */
  gxds_metric_merge merge; /* with the value of another client of the target, or of another server
                              with the same URI */
} server_family;

static uint64_t connected(const gxds_server_counts *s, size_t type) {
  (void)type;
  return s->connected;
}

static uint64_t failures(const gxds_server_counts *s, size_t type) {
  (void)type;
  return s->failures;
}

static uint64_t valid(const gxds_server_counts *s, size_t type) { return s->updates[type].valid; }

static uint64_t invalid(const gxds_server_counts *s, size_t type) {
  return s->updates[type].invalid;
}

static const server_family server_families[] = {
    {"grpc_xds_client_connected", "gauge",
     "Whether the client has a working ADS stream to the server, which it uses.", connected, false,
     true, GXDS_METRIC_LEAST},
    {"grpc_xds_client_server_failure_total", "counter",
     "Times that a server went from healthy to unhealthy.", failures, false, false,
     GXDS_METRIC_SUM},
    {"grpc_xds_client_resource_updates_valid_total", "counter",
     "Resources received that were valid, changed or not.", valid, true, false, GXDS_METRIC_SUM},
    {"grpc_xds_client_resource_updates_invalid_total", "counter",
     "Resources received that were invalid.", invalid, true, false, GXDS_METRIC_SUM},
};

typedef struct server_walk {
  const server_family *family;
  gxds_str target;
  gxds_metric_values *out;
} server_walk;

static void add_server(void *arg, const gxds_server_counts *s) {
  const server_walk *w = arg;
  const server_family *f = w->family;
  if (f->in_use && !s->in_use) return;
  for (size_t type = 0; type < (f->by_type ? s->type_count : 1); type++) {
    gxds_text labels = {0};
    gxds_metric_label(&labels, "grpc_target", w->target);
    gxds_text_add_z(&labels, ",");
    gxds_metric_label(&labels, "grpc_xds_server", s->server->uri);
    if (f->by_type) {
      gxds_text_add_z(&labels, ",");
      gxds_metric_label(&labels, "grpc_xds_resource_type", type_name(s->types[type]));
    }
    gxds_metric_values_add(w->out, &labels, f->merge, f->value(s, type));
  }
}

/* ---- resources ---- */

/* A78 and A88. */
static const char *cache_state(gxds_resource_state state, bool cached) {
  switch (state) {
    case GXDS_RESOURCE_REQUESTED:
      return "requested";
    case GXDS_RESOURCE_ACKED:
      return "acked";
    case GXDS_RESOURCE_NACKED:
      return cached ? "nacked_but_cached" : "nacked";
    case GXDS_RESOURCE_DOES_NOT_EXIST:
      return cached ? "does_not_exist_but_cached" : "does_not_exist";
    case GXDS_RESOURCE_RECEIVED_ERROR:
      return cached ? "received_error_but_cached" : "received_error";
    case GXDS_RESOURCE_TIMEOUT:
      return "timeout";
  }
  return "unknown";
}

/* A78: the authority of an xdstp: name; "#old" for an old-style name. */
static gxds_str authority_of(gxds_str name) {
  gxds_str scheme = gxds_str_z("xdstp://");
  if (!gxds_str_starts_with(name, scheme)) return gxds_str_z("#old");
  gxds_str rest = gxds_str_from(name, scheme.size);
  const char *slash = rest.size ? memchr(rest.data, '/', rest.size) : NULL;
  return gxds_str_of(rest.data, slash ? (size_t)(slash - rest.data) : rest.size);
}

typedef struct group {
  const gxds_resource_type *type;
  gxds_str authority; /* owned */
  const char *state;
  uint64_t count;
} group;

typedef struct groups {
  group *items;
  size_t count;
} groups;

static void count_resource(void *arg, const gxds_resource_info *info) {
  groups *g = arg;
  gxds_str authority = authority_of(info->name);
  const char *state = cache_state(info->state, info->resource != NULL);
  for (size_t i = g->count; i-- > 0;) { /* mostly the last group, since resources come sorted */
    group *item = &g->items[i];
    if (item->type != info->type || item->state != state) continue;
    if (!gxds_str_equal(item->authority, authority)) continue;
    item->count++;
    return;
  }
  g->items = gxds_realloc(g->items, g->count + 1, sizeof *g->items);
  g->items[g->count++] = (group){info->type, gxds_str_dup(authority), state, 1};
}

static void add_resources(const gxds_status_source *source, gxds_metric_values *out) {
  groups g = {0};
  gxds_status_source_each(source, count_resource, &g);
  for (size_t i = 0; i < g.count; i++) {
    gxds_text labels = {0};
    gxds_metric_label(&labels, "grpc_target", source->scope);
    gxds_text_add_z(&labels, ",");
    gxds_metric_label(&labels, "grpc_xds_authority", g.items[i].authority);
    gxds_text_add_z(&labels, ",");
    gxds_metric_label(&labels, "grpc_xds_cache_state", gxds_str_z(g.items[i].state));
    gxds_text_add_z(&labels, ",");
    gxds_metric_label(&labels, "grpc_xds_resource_type", type_name(g.items[i].type));
    gxds_metric_values_add(out, &labels, GXDS_METRIC_SUM, g.items[i].count);
    gxds_str_free(&g.items[i].authority);
  }
  gxds_free(g.items);
}

void gxds_metrics_render(const gxds_status_source *sources, size_t count, gxds_text *out) {
  gxds_metric_values values = {0};
  for (size_t i = 0; i < sizeof server_families / sizeof *server_families; i++) {
    const server_family *f = &server_families[i];
    gxds_metric_family(out, f->name, f->kind, f->help);
    for (size_t k = 0; k < count; k++) {
      server_walk w = {f, sources[k].scope, &values};
      gxds_client_each_server(sources[k].client, add_server, &w);
    }
    gxds_metric_values_render(&values, f->name, out);
  }
  static const char resources[] = "grpc_xds_client_resources";
  gxds_metric_family(out, resources, "gauge", "Resources by the state of the cache.");
  for (size_t k = 0; k < count; k++) add_resources(&sources[k], &values);
  gxds_metric_values_render(&values, resources, out);
}
