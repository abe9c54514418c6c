#include "tools/demo/config.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

const demo_locality demo_localities[DEMO_BACKENDS] = {
    {"green/0/zone-a", "green", 0, "zone-a"}, {"green/0/zone-b", "green", 0, "zone-b"},
    {"green/1/zone-c", "green", 1, "zone-c"}, {"blue/0/zone-a", "blue", 0, "zone-a"},
    {"blue/0/zone-b", "blue", 0, "zone-b"},   {"blue/1/zone-c", "blue", 1, "zone-c"},
};

static bool write_file(const char *dir, const char *name, const gxds_text *text) {
  char path[4096];
  char aside[4096];
  snprintf(path, sizeof path, "%s/%s.yaml", dir, name);
  snprintf(aside, sizeof aside, "%s/.%s.tmp", dir, name);
  FILE *f = fopen(aside, "w");
  bool ok = f && fwrite(text->data, 1, text->size, f) == text->size;
  ok = f && fclose(f) == 0 && ok;
  ok = ok && rename(aside, path) == 0;
  if (!ok) perror(path);
  return ok;
}

static void add_listener_and_route(gxds_text *out, const char *cluster) {
  gxds_text_addf(
      out,
      "'@type': type.googleapis.com/envoy.config.listener.v3.Listener\n"
      "name: " DEMO_TARGET
      "\n"
      "api_listener:\n"
      "  api_listener:\n"
      "    '@type': "
      "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3."
      "HttpConnectionManager\n"
      "    rds: {route_config_name: greeter-routes, config_source: {ads: {}}}\n"
      "    http_filters:\n"
      "    - name: router\n"
      "      typed_config: {'@type': type.googleapis.com/envoy.extensions.filters.http.router.v3."
      "Router}\n"
      "---\n"
      "'@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration\n"
      "name: greeter-routes\n"
      "virtual_hosts:\n"
      "- domains: [" DEMO_TARGET
      "]\n"
      "  routes:\n"
      "  - match: {prefix: ''}\n"
      "    route: {cluster: %s}\n",
      cluster);
}

static void add_cluster(gxds_text *out, const char *name) {
  gxds_text_addf(out,
                 "---\n"
                 "'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\n"
                 "name: %s\n"
                 "type: EDS\n"
                 "eds_cluster_config: {eds_config: {ads: {}}}\n"
                 "lb_policy: ROUND_ROBIN\n"
                 "lrs_server: {self: {}}\n",
                 name);
}

static void add_endpoints(gxds_text *out, const demo_config *config, const int *ports,
                          const char *cluster) {
  gxds_text_addf(out,
                 "'@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment\n"
                 "cluster_name: %s\n"
                 "endpoints:\n",
                 cluster);
  for (int i = 0; i < DEMO_BACKENDS; i++) {
    const demo_locality *l = &demo_localities[i];
    if (strcmp(l->cluster, cluster) != 0) continue;
    gxds_text_addf(out,
                   "- locality: {region: demo, zone: %s}\n"
                   "  priority: %u\n"
                   "  load_balancing_weight: %u\n",
                   l->zone, l->priority, config->weights[i]);
    if (l->priority == 0 && config->priority_0_empty) continue;
    gxds_text_addf(
        out,
        "  lb_endpoints:\n"
        "  - endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: %d}}}\n",
        ports[i]);
  }
}

bool demo_config_write(const demo_config *config, const int *ports, const char *dir) {
  gxds_text services = {0};
  gxds_text endpoints = {0};
  add_listener_and_route(&services, config->cluster);
  add_cluster(&services, "green");
  add_cluster(&services, "blue");
  add_endpoints(&endpoints, config, ports, "green");
  gxds_text_add_z(&endpoints, "---\n");
  add_endpoints(&endpoints, config, ports, "blue");
  bool ok = write_file(dir, "endpoints", &endpoints) && write_file(dir, "services", &services);
  gxds_text_fini(&services);
  gxds_text_fini(&endpoints);
  return ok;
}

static bool serves(const demo_config *config, int i) {
  const demo_locality *l = &demo_localities[i];
  return strcmp(l->cluster, config->cluster) == 0 &&
         l->priority == (config->priority_0_empty ? 1u : 0u);
}

double demo_config_share(const demo_config *config, int i) {
  unsigned sum = 0;
  for (int j = 0; j < DEMO_BACKENDS; j++) {
    if (serves(config, j)) sum += config->weights[j];
  }
  return serves(config, i) ? (double)config->weights[i] / sum : 0;
}
