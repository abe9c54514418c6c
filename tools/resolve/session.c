#include "tools/resolve/session.h"

#include <string.h>

#include "xds_resolver/session.h"

/* An endpoint that a cookie names. */
typedef struct found {
  const gxds_locality *locality; /* NULL: the cluster does not have the endpoint */
  uint32_t index;
} found;

/* Values of one name are joined by commas. */
static void join_cookies(const gxds_rpc *rpc, gxds_text *out) {
  for (size_t i = 0; i < rpc->header_count; i++) {
    if (!gxds_str_equal(rpc->headers[i].name, gxds_str_z("cookie"))) continue;
    if (out->size > 0) gxds_text_add_z(out, ",");
    gxds_text_add(out, rpc->headers[i].value);
  }
}

static const gxds_session_cookie *cookie_of(const gxds_listener *listener,
                                            const gxds_virtual_host *host, const gxds_route *route,
                                            size_t cluster) {
  const gxds_http_filter_overrides *const overrides[] = {
      &route->clusters[cluster].rare->filter_overrides, &route->rare->filter_overrides,
      &host->filter_overrides};
  return gxds_http_filters_cookie(listener->filters, listener->filter_count, overrides, 3);
}

static bool has_address(const gxds_locality *l, uint32_t index, const gxds_address *address) {
  const gxds_endpoint e = gxds_locality_endpoint(l, index);
  uint32_t count;
  const gxds_address *more = gxds_locality_more(l, index, &count);
  for (uint32_t i = 0; i <= count; i++) {
    const gxds_address *a = i == 0 ? &e.address : &more[i - 1];
    if (a->port == address->port && a->is_ipv6 == address->is_ipv6 &&
        memcmp(a->ip, address->ip, sizeof a->ip) == 0) {
      return true;
    }
  }
  return false;
}

static found find_in(const gxds_locality *l, const gxds_address *address) {
  for (uint32_t i = 0; l && i < l->endpoint_count; i++) {
    if (has_address(l, i, address)) return (found){l, i};
  }
  return (found){NULL, 0};
}

static found find(const gxds_endpoints *endpoints, const gxds_address *address) {
  found f = {NULL, 0};
  for (size_t p = 0; endpoints && p < endpoints->priority_count; p++) {
    const gxds_priority *all = &endpoints->priorities[p];
    for (size_t i = 0; i < all->locality_count && !f.locality; i++) {
      f = find_in(all->localities[i], address);
      if (!f.locality) f = find_in(gxds_locality_draining(all->localities[i]), address);
    }
  }
  return f;
}

/* Finds the first endpoint of the cluster that the cookie names. *any is set if the cookie names
 * any address; any may be NULL. */
static found find_any(const gxds_endpoints *endpoints, gxds_str addresses, bool *any) {
  found f = {NULL, 0};
  while (addresses.size > 0 && !f.locality) {
    const char *comma = memchr(addresses.data, ',', addresses.size);
    const size_t size = comma ? (size_t)(comma - addresses.data) : addresses.size;
    gxds_address address;
    if (gxds_address_read(gxds_str_of(addresses.data, size), &address)) {
      f = find(endpoints, &address);
      if (any) *any = true;
    }
    const size_t taken = comma ? size + 1 : size;
    addresses = gxds_str_from(addresses, taken);
  }
  return f;
}

/* Adds whether the endpoint would be used. entry is a cluster with endpoints. False if the cluster
 * does not have the endpoint. */
static bool add_use(const gxds_cluster_entry *entry, gxds_str addresses, gxds_text *out) {
  static const char *const states[] = {[GXDS_HEALTH_UNKNOWN] = "UNKNOWN",
                                       [GXDS_HEALTH_HEALTHY] = "HEALTHY",
                                       [GXDS_HEALTH_DRAINING] = "DRAINING"};
  const found f = find_any(entry->endpoints, addresses, NULL);
  if (!f.locality) return false;
  const uint8_t health = gxds_locality_endpoint(f.locality, f.index).health;
  if (entry->cluster->session_health & 1u << health) {
    gxds_text_add_z(out, "would be used, if it can be reached");
  } else {
    gxds_text_addf(out,
                   "would not be used: it is in state %s, which is not in override_host_status",
                   states[health]);
  }
  return true;
}

static void add_use_in(const gxds_config *config, gxds_str cluster, gxds_str addresses,
                       gxds_text *out) {
  const gxds_cluster_entry *entry = config ? gxds_config_cluster(config, cluster) : NULL;
  if (entry && entry->kind == GXDS_ENTRY_ENDPOINTS && add_use(entry, addresses, out)) return;
  for (size_t i = 0; entry && i < entry->leaf_cluster_count; i++) {
    const gxds_str leaf = entry->leaf_clusters[i];
    const gxds_cluster_entry *below = gxds_config_cluster(config, leaf);
    if (!below || below->kind != GXDS_ENTRY_ENDPOINTS) continue;
    if (!find_any(below->endpoints, addresses, NULL).locality) continue;
    gxds_text_addf(out, "is of the cluster %.*s: while RPCs go there, it ", GXDS_STR_ARG(leaf));
    add_use(below, addresses, out);
    return;
  }
  gxds_text_add_z(out, "would not be used: the cluster has no such endpoint");
}

void gxds_explain_session(const gxds_listener *listener, const gxds_virtual_host *host,
                          const gxds_route *route, size_t cluster, const gxds_rpc *rpc,
                          const gxds_config *config, gxds_text *out) {
  const gxds_session_cookie *cookie = cookie_of(listener, host, route, cluster);
  if (!cookie || !gxds_session_cookie_is_for(cookie, rpc->path)) return;
  gxds_text cookies = {0};
  join_cookies(rpc, &cookies);
  gxds_session_text session;
  gxds_session_text_read(&session, cookie->name, gxds_text_str(&cookies));
  gxds_text_fini(&cookies);
  const gxds_str addresses = gxds_str_of(session.text, session.addresses);
  bool any = false;
  find_any(NULL, addresses, &any);
  if (!any) return;
  gxds_text_add_escaped(out, addresses);
  gxds_text_add_z(out, " ");
  for (size_t i = 0; i < route->cluster_count; i++) {
    const gxds_str name = route->clusters[i].name;
    if (!gxds_session_text_is_of(&session, name)) continue;
    if (gxds_str_equal(name, route->clusters[cluster].name)) break;
    gxds_text_addf(out, "is of the cluster %.*s, where the session stays", GXDS_STR_ARG(name));
    return;
  }
  add_use_in(config, route->clusters[cluster].name, addresses, out);
}
