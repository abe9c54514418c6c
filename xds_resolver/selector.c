#include "xds_resolver/selector.h"

#include "base/memory.h"

struct gxds_selector {
  const gxds_virtual_host *virtual_host; /* a part of the table's route configuration */
  const gxds_listener *listener;
  const gxds_cluster_set *clusters;
  const gxds_host *host;
  const gxds_route_table *table;
  gxds_str route_source;
  gxds_str nowhere; /* the error of RPCs that no route matches */
  gxds_str inapt;   /* the error of RPCs whose route has an action that a client can't carry out */
};

static gxds_str failure_text(const char *what, gxds_str route_source) {
  gxds_text t = {NULL, 0, 0};
  gxds_text_add_z(&t, what);
  if (route_source.size) gxds_text_addf(&t, ": %.*s", GXDS_STR_ARG(route_source));
  return gxds_text_take(&t);
}

const gxds_selector *gxds_selector_create(const gxds_config *config,
                                          const gxds_cluster_set *clusters, const gxds_host *host) {
  gxds_selector *s = GXDS_NEW(gxds_selector);
  s->virtual_host = config->virtual_host;
  gxds_resource_ref(&config->listener->base);
  s->listener = config->listener;
  s->clusters = gxds_cluster_set_ref(clusters);
  s->host = host;
  s->table = gxds_route_table_create(config->route_config, config->virtual_host, s->listener,
                                     gxds_cluster_set_names(clusters), host);
  s->route_source = gxds_str_dup(config->route_source);
  s->nowhere = failure_text("No matching route found in xDS route config", s->route_source);
  s->inapt = failure_text("Matching route has inappropriate action", s->route_source);
  return s;
}

void gxds_selector_destroy(const gxds_selector *shared) {
  if (!shared) return;
  gxds_selector *s = (gxds_selector *)shared;
  gxds_str_free(&s->route_source);
  gxds_str_free(&s->nowhere);
  gxds_str_free(&s->inapt);
  gxds_route_table_destroy(s->table);
  gxds_cluster_set_unref(s->clusters);
  gxds_resource_unref(&s->listener->base);
  gxds_free(s);
}

/* Whether both listeners have the same settings for all routes. */
static bool same_settings(const gxds_listener *a, const gxds_listener *b) {
  if (a == b) return true;
  return a->max_stream_duration == b->max_stream_duration &&
         gxds_http_filters_equal(a->filters, a->filter_count, b->filters, b->filter_count);
}

bool gxds_selector_fits(const gxds_selector *s, const gxds_config *config,
                        const gxds_cluster_set *clusters) {
  return s->clusters == clusters && same_settings(s->listener, config->listener) &&
         gxds_str_equal(s->route_source, config->route_source) &&
         gxds_virtual_host_equal(s->virtual_host, config->virtual_host);
}

const gxds_method_configs *gxds_selector_method_configs(const gxds_selector *s) {
  return gxds_route_table_method_configs(s->table);
}

const gxds_http_filter *gxds_selector_filters(const gxds_selector *s, size_t *count) {
  *count = s->listener->filter_count;
  return s->listener->filters;
}

/* A31: an RPC gets all the time that its route allows. The host may measure the timeout on another
 * clock, so the difference between the clocks is added. */
static gxds_duration timeout_for_host(const gxds_selector *s, size_t method_config) {
  if (method_config == GXDS_NO_METHOD_CONFIG) return 0;
  gxds_duration timeout =
      gxds_method_configs_timeout(gxds_selector_method_configs(s), method_config);
  if (timeout == 0 || !s->host->clock_distance) return timeout;
  gxds_duration on_its_clock = gxds_time_after(timeout, s->host->clock_distance());
  return on_its_clock == 0 ? GXDS_MILLISECOND : on_its_clock; /* 0 would be no limit */
}

bool gxds_selector_select(const gxds_selector *s, const gxds_route_request *request,
                          gxds_selection *out, gxds_str *error) {
  const gxds_route_result r = gxds_route_table_find(s->table, request);
  if (r.kind != GXDS_ROUTED) {
    *error = r.kind == GXDS_ROUTED_NOWHERE ? s->nowhere : s->inapt;
    return false;
  }
  out->cluster = gxds_cluster_set_hold(s->clusters, r.target->cluster);
  out->has_hash = r.has_hash;
  out->hash = r.hash;
  out->target = r.target;
  out->cookie = r.cookie;
  out->timeout = timeout_for_host(s, r.target->method_config);
  return true;
}
