/* The first byte names the resource type, the rest is the resource. Each is decoded twice: the
 * second time on top of the first, which must give the same answer and share all localities. */
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"
#include "resources/resources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const gxds_resource *previous_of(void *arg, gxds_str name) {
  (void)name;
  return arg;
}

static void check_endpoints(const gxds_endpoints *e, const gxds_endpoints *before) {
  for (size_t i = 0; i < e->priority_count; i++) {
    const gxds_priority *p = &e->priorities[i];
    GXDS_CHECK(p->locality_count > 0);
    uint64_t weights = 0;
    for (size_t j = 0; j < p->locality_count; j++) {
      const gxds_locality *l = p->localities[j];
      GXDS_CHECK(l->weight > 0);
      GXDS_CHECK(j == 0 || gxds_locality_compare_name(p->localities[j - 1], l) < 0);
      if (before) GXDS_CHECK(gxds_locality_equal(before->priorities[i].localities[j], l));
      for (uint32_t k = 0; k < l->endpoint_count; k++) GXDS_CHECK(l->endpoints[k].weight > 0);
      weights += l->weight;
    }
    GXDS_CHECK(weights <= UINT32_MAX);
  }
  for (size_t i = 0; i < e->drop_count; i++) {
    GXDS_CHECK(e->drops[i].name.size > 0 && e->drops[i].per_million <= 1000000);
  }
}

static void check_routes(const gxds_route_config *rc) {
  for (size_t i = 0; i < rc->virtual_host_count; i++) {
    const gxds_virtual_host *host = &rc->virtual_hosts[i];
    GXDS_CHECK(host->domain_count > 0 && host->route_count > 0);
    GXDS_CHECK(gxds_route_config_find_virtual_host(rc, host->domains[0]));
    for (size_t j = 0; j < host->route_count; j++) {
      const gxds_route *r = &host->routes[j];
      uint64_t weights = 0;
      for (size_t k = 0; k < r->cluster_count; k++) {
        GXDS_CHECK(r->clusters[k].weight > 0 && r->clusters[k].name.size > 0);
        weights += r->clusters[k].weight;
      }
      GXDS_CHECK(weights == r->total_weight);
      GXDS_CHECK((r->action == GXDS_ROUTE_CLUSTERS) == (r->cluster_count > 0));
    }
  }
}

static void check_resource(const gxds_resource *resource, const gxds_resource *before) {
  if (resource->type == &gxds_endpoints_type) {
    check_endpoints((const gxds_endpoints *)resource, (const gxds_endpoints *)before);
  } else if (resource->type == &gxds_route_config_type) {
    check_routes((const gxds_route_config *)resource);
  } else if (resource->type == &gxds_listener_type) {
    const gxds_listener *l = (const gxds_listener *)resource;
    bool api = l->kind == GXDS_LISTENER_API;
    GXDS_CHECK(api == ((l->rds_name.size > 0) != (l->route_config != NULL)));
    GXDS_CHECK(!api || l->filter_count > 0);
    if (l->route_config) check_routes(l->route_config);
  } else {
    const gxds_cluster *c = (const gxds_cluster *)resource;
    GXDS_CHECK(c->lb_policy_json.size > 0);
    GXDS_CHECK((c->kind == GXDS_CLUSTER_AGGREGATE) == (c->aggregate_count > 0));
    GXDS_CHECK((c->kind == GXDS_CLUSTER_LOGICAL_DNS) == (c->dns_host.size > 0));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const gxds_resource_type *type = gxds_resource_types[data[0] % GXDS_RESOURCE_TYPE_COUNT];
  gxds_str bytes = gxds_str_of((const char *)data + 1, size - 1);
  gxds_decode_context context = {.previous = previous_of};
  gxds_decoded first = {0};
  gxds_status first_status = type->decode(&context, bytes, &first);
  context.previous_arg = (void *)first.resource;
  gxds_decoded second = {0};
  gxds_status second_status = type->decode(&context, bytes, &second);
  GXDS_CHECK(gxds_status_equal(&first_status, &second_status));
  GXDS_CHECK(gxds_status_is_ok(&first_status) == (first.resource != NULL));
  GXDS_CHECK(gxds_str_equal(first.name, second.name));
  if (first.resource) {
    check_resource(first.resource, NULL);
    check_resource(second.resource, first.resource);
  }
  gxds_resource_unref(first.resource);
  gxds_resource_unref(second.resource);
  gxds_str_free(&first.name);
  gxds_str_free(&second.name);
  gxds_status_fini(&first_status);
  gxds_status_fini(&second_status);
  return 0;
}
