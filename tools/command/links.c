#include "tools/command/links.h"

#include "base/wire.h"

void gxds_links_follow(gxds_str message, const uint8_t *path, void (*fn)(void *arg, gxds_str value),
                       void *arg) {
  gxds_wire_field f;
  while (gxds_wire_next(&message, &f)) {
    if (f.number != *path || !f.has_size) continue;
    if (path[1] == 0) {
      fn(arg, f.value);
    } else {
      gxds_links_follow(f.value, path + 1, fn, arg);
    }
  }
}

typedef struct links {
  void (*fn)(void *arg, gxds_file_type type, gxds_str name);
  void *arg;
  gxds_file_type type; /* the type of the names that are being followed */
} links;

static void emit(void *arg, gxds_str name) {
  const links *l = arg;
  l->fn(l->arg, l->type, name);
}

static void emit_clusters_of_routes(void *arg, gxds_str route_config) {
  static const uint8_t cluster[] = {2, 3, 2, 1, 0};
  static const uint8_t weighted[] = {2, 3, 2, 3, 1, 1, 0};
  links *l = arg;
  l->type = GXDS_FILE_CLUSTER;
  gxds_links_follow(route_config, cluster, emit, l);
  gxds_links_follow(route_config, weighted, emit, l);
}

static void emit_routes(links *l, gxds_str listener) {
  static const uint8_t rds[] = {19, 1, 2, 3, 2, 0};
  static const uint8_t inline_[] = {19, 1, 2, 4, 0};
  l->type = GXDS_FILE_ROUTE_CONFIG;
  gxds_links_follow(listener, rds, emit, l);
  gxds_links_follow(listener, inline_, emit_clusters_of_routes, l);
}

static void emit_below_cluster(links *l, gxds_str name, gxds_str cluster) {
  static const uint8_t aggregate[] = {38, 2, 2, 1, 0};
  enum { kType = 2, kEdsConfig = 3, kServiceName = 2, kEds = 3 };
  if (gxds_wire_number_at(cluster, kType) == kEds) {
    gxds_str service = gxds_wire_bytes_at(gxds_wire_bytes_at(cluster, kEdsConfig), kServiceName);
    l->fn(l->arg, GXDS_FILE_ENDPOINTS, service.size ? service : name);
  }
  l->type = GXDS_FILE_CLUSTER;
  gxds_links_follow(cluster, aggregate, emit, l);
}

void gxds_links_each(gxds_file_type type, gxds_str name, gxds_str bytes,
                     void (*fn)(void *arg, gxds_file_type type, gxds_str name), void *arg) {
  links l = {fn, arg, type};
  if (type == GXDS_FILE_LISTENER) emit_routes(&l, bytes);
  if (type == GXDS_FILE_ROUTE_CONFIG) emit_clusters_of_routes(&l, bytes);
  if (type == GXDS_FILE_CLUSTER) emit_below_cluster(&l, name, bytes);
}
