#include "lrs/load_metrics.h"

#include "base/metric.h"
#include "lrs/load_store_internal.h"
#include "metrics/policy_counts.h"

static const struct family {
  const char *name;
  const char *help;
} families[GXDS_LOAD_KINDS] = {
    [GXDS_LOAD_STARTED] = {"grpc_xds_client_locality_rpcs_started_total",
                           "RPC attempts started on a backend of the locality."},
    [GXDS_LOAD_SUCCEEDED] = {"grpc_xds_client_locality_rpcs_succeeded_total",
                             "RPC attempts on a backend of the locality that ended with OK."},
    [GXDS_LOAD_FAILED] = {"grpc_xds_client_locality_rpcs_failed_total",
                          "RPC attempts on a backend of the locality that ended otherwise."},
};

static void add_locality(const gxds_locality_load *l, gxds_str target, int kind,
                         gxds_metric_values *out) {
  const gxds_load_cluster *c = l->cluster;
  gxds_text locality = {0};
  gxds_metric_locality(l->region, l->zone, l->sub_zone, &locality);
  gxds_text labels = {0};
  gxds_metric_label(&labels, "grpc_target", l->target.size ? l->target : target);
  gxds_text_add_z(&labels, ",");
  gxds_metric_label(&labels, "grpc_lb_backend_service", c->cluster);
  gxds_text_add_z(&labels, ",");
  gxds_metric_label(&labels, "grpc_lb_locality", gxds_text_str(&locality));
  gxds_text_add_z(&labels, ",");
  gxds_metric_label(&labels, "grpc_xds_eds_service", c->eds_service);
  gxds_text_add_z(&labels, ",");
  gxds_metric_label(&labels, "grpc_xds_server", c->server->server.uri);
  gxds_metric_values_add(out, &labels, GXDS_METRIC_SUM,
                         gxds_counters_read(&l->counters, (size_t)kind));
  gxds_text_fini(&locality);
}

static void add_store(const gxds_load_source *source, int kind, gxds_metric_values *out) {
  gxds_load_store *s = source->store;
  pthread_mutex_lock(&s->lock);
  for (const gxds_load_server *server = s->servers; server; server = server->next) {
    const gxds_load_cluster *c;
    DL_FOREACH(server->clusters, c) {
      const gxds_locality_load *l;
      DL_FOREACH(c->localities, l) add_locality(l, source->target, kind, out);
    }
  }
  pthread_mutex_unlock(&s->lock);
}

void gxds_load_metrics_render(const gxds_load_source *sources, size_t count, gxds_text *out) {
  for (int kind = 0; kind < GXDS_LOAD_KINDS; kind++) {
    gxds_metric_values values = {0};
    gxds_metric_family(out, families[kind].name, "counter", families[kind].help);
    for (size_t i = 0; i < count; i++) add_store(&sources[i], kind, &values);
    gxds_metric_values_render(&values, families[kind].name, out);
  }
}
