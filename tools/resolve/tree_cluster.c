#include "tools/resolve/tree_cluster.h"

#include "base/memory.h"
#include "resources/resources.h"

/* A37: deeper aggregates are an error of the configuration, which is shown elsewhere. */
#define AGGREGATES_MAX 20

void gxds_tree_clusters_fini(gxds_tree_clusters *c) { gxds_free(c->shown); }

/* ---- endpoints ---- */

/* A61 */
static void add_more(gxds_view *v, const gxds_locality *l, uint32_t index) {
  uint32_t count;
  const gxds_address *more = gxds_locality_more(l, index, &count);
  if (count == 0) return;
  gxds_text addresses = {0};
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) gxds_text_add_z(&addresses, " ");
    gxds_address_render(&more[i], &addresses);
  }
  gxds_view_text(v, "additional_addresses", gxds_text_str(&addresses));
  gxds_text_fini(&addresses);
}

static void add_endpoint(gxds_view *up, const gxds_locality *l, uint32_t index) {
  const gxds_endpoint e = gxds_locality_endpoint(l, index);
  gxds_text address = {0};
  gxds_address_render(&e.address, &address);
  gxds_view *v = gxds_view_add(up, "endpoint", gxds_text_str(&address));
  gxds_text_fini(&address);
  add_more(v, l, index);
  if (e.weight != 1) gxds_view_attribute(v, "weight", "%u", e.weight);
  if (e.health == GXDS_HEALTH_HEALTHY) gxds_view_attribute(v, "health", "HEALTHY");
  if (e.health == GXDS_HEALTH_DRAINING) gxds_view_attribute(v, "health", "DRAINING");
  gxds_view_text(v, "hash_key", gxds_locality_hash_key(l, index));
  gxds_view_text(v, "hostname", gxds_locality_hostname(l, index));
  gxds_view_text(v, "http_proxy", gxds_locality_proxy(l, index));
  gxds_view_text(v, "metadata", gxds_locality_metadata(l, index));
}

static bool add_locality(gxds_view *up, const gxds_locality *l) {
  gxds_str name = gxds_str_format("%.*s/%.*s/%.*s", GXDS_STR_ARG(l->region), GXDS_STR_ARG(l->zone),
                                  GXDS_STR_ARG(l->sub_zone));
  gxds_view *v = gxds_view_add(up, "locality", name);
  gxds_str_free(&name);
  gxds_view_attribute(v, "weight", "%u", l->weight);
  if (l->endpoint_count == 0) gxds_view_error(v, gxds_str_z("it has no endpoints"));
  for (uint32_t i = 0; i < l->endpoint_count; i++) add_endpoint(v, l, i);
  const gxds_locality *draining = gxds_locality_draining(l);
  for (uint32_t i = 0; draining && i < draining->endpoint_count; i++) {
    add_endpoint(v, draining, i);
  }
  return l->endpoint_count > 0;
}

static bool add_endpoints(gxds_view *v, const gxds_endpoints *e) {
  bool any = false;
  for (size_t i = 0; i < e->drop_count; i++) {
    gxds_view *drop = gxds_view_add(v, "drop", e->drops[i].name);
    gxds_view_attribute(drop, "share", "%g %%", (double)e->drops[i].per_million / 10000);
  }
  for (size_t p = 0; p < e->priority_count; p++) {
    gxds_str number = gxds_str_format("%zu", p);
    gxds_view *priority = gxds_view_add(v, "priority", number);
    gxds_str_free(&number);
    for (size_t i = 0; i < e->priorities[p].locality_count; i++) {
      any |= add_locality(priority, e->priorities[p].localities[i]);
    }
  }
  if (e->drop_all) gxds_view_error(v, gxds_str_z("every RPC is dropped"));
  if (!any) gxds_view_error(v, gxds_str_z("there are no endpoints"));
  return any && !e->drop_all;
}

/* ---- clusters ---- */

static bool add_eds(gxds_tree_clusters *c, gxds_view *up, const gxds_cluster *cluster) {
  gxds_str name = gxds_cluster_eds_name(cluster);
  gxds_view *v = gxds_view_add(up, "endpoints", name);
  const gxds_fetched_resource *eds = gxds_fetched_find(c->fetched, &gxds_endpoints_type, name);
  if (!eds) return false;
  bool usable = eds->resource && add_endpoints(v, (const gxds_endpoints *)eds->resource);
  gxds_tree_add_resource_state(v, eds);
  return usable;
}

static bool add_dns(gxds_view *up, const gxds_cluster *cluster, const gxds_cluster_entry *entry) {
  gxds_str name =
      gxds_str_format("%.*s:%u", GXDS_STR_ARG(gxds_cluster_dns_host(cluster)), cluster->dns_port);
  gxds_view *v = gxds_view_add(up, "dns", name);
  gxds_str_free(&name);
  if (!entry || entry->kind != GXDS_ENTRY_ENDPOINTS) return false;
  if (entry->endpoints) return add_endpoints(v, entry->endpoints);
  gxds_str note = gxds_error_text(entry->resolution_note);
  gxds_view_error(v, note);
  gxds_str_free(&note);
  return false;
}

static bool add_aggregate(gxds_tree_clusters *c, gxds_view *up, const gxds_cluster *cluster) {
  bool usable = false;
  if (c->depth == AGGREGATES_MAX) return false;
  c->depth++;
  for (size_t i = 0; i < cluster->aggregate_count; i++) {
    gxds_view *v = gxds_view_add(up, "cluster", cluster->aggregate[i]);
    usable |= gxds_tree_add_cluster(c, v, cluster->aggregate[i]);
  }
  c->depth--;
  return usable;
}

static void add_lrs_metrics(gxds_view *v, const gxds_lrs_metrics *m) {
  gxds_text names = {0};
  if (m->cpu_utilization) gxds_text_add_z(&names, "cpu_utilization ");
  if (m->mem_utilization) gxds_text_add_z(&names, "mem_utilization ");
  if (m->application_utilization) gxds_text_add_z(&names, "application_utilization ");
  if (m->all_named) gxds_text_add_z(&names, "named_metrics.* ");
  for (size_t i = 0; i < m->named_count; i++) {
    gxds_text_addf(&names, "named_metrics.%.*s ", GXDS_STR_ARG(m->named[i]));
  }
  gxds_view_attribute(v, "reported_metrics", "%.*s", (int)names.size - 1, names.data);
  gxds_text_fini(&names);
}

static void add_keys(const gxds_subset_keys *keys, gxds_text *out) {
  gxds_text_add_z(out, "[");
  for (size_t i = 0; i < keys->count; i++) {
    gxds_text_addf(out, "%s%.*s", i ? "," : "", GXDS_STR_ARG(keys->keys[i]));
  }
  gxds_text_add_z(out, "]");
}

/* Adds the keys of the subsets, and where RPCs without a subset go: "["version"] else
 * ANY_ENDPOINT". */
static void add_subsets(gxds_view *v, const gxds_lb_subsets *s) {
  static const char *const fallbacks[] = {
      [GXDS_SUBSET_FALLBACK_NONE] = "NO_FALLBACK",
      [GXDS_SUBSET_FALLBACK_ANY] = "ANY_ENDPOINT",
      [GXDS_SUBSET_FALLBACK_DEFAULT] = "DEFAULT_SUBSET",
      [GXDS_SUBSET_FALLBACK_KEYS] = "KEYS_SUBSET",
      [GXDS_SUBSET_FALLBACK_CLUSTER] = "",
  };
  for (size_t i = 0; i < s->selector_count; i++) {
    const gxds_subset_selector *selector = &s->selectors[i];
    gxds_text text = {0};
    add_keys(&selector->keys, &text);
    if (selector->fallback != GXDS_SUBSET_FALLBACK_CLUSTER) {
      gxds_text_addf(&text, " else %s", fallbacks[selector->fallback]);
    }
    if (selector->fallback_keys.count) add_keys(&selector->fallback_keys, &text);
    gxds_view_text(v, "subsets_by", gxds_text_str(&text));
    gxds_text_fini(&text);
  }
  gxds_view_attribute(v, "subset_fallback", "%s", fallbacks[s->fallback]);
  gxds_view_text(v, "default_subset", s->default_subset);
}

/* A55. Shown only if it is not the default, since most channels have no sessions. */
static void add_session_health(gxds_view *v, uint8_t set) {
  if (set == (1u << GXDS_HEALTH_UNKNOWN | 1u << GXDS_HEALTH_HEALTHY)) return;
  gxds_text text = {0};
  if (set & 1u << GXDS_HEALTH_UNKNOWN) gxds_text_add_z(&text, "UNKNOWN ");
  if (set & 1u << GXDS_HEALTH_HEALTHY) gxds_text_add_z(&text, "HEALTHY ");
  if (set & 1u << GXDS_HEALTH_DRAINING) gxds_text_add_z(&text, "DRAINING ");
  if (text.size == 0) gxds_text_add_z(&text, "none ");
  gxds_view_attribute(v, "override_host_status", "%.*s", (int)text.size - 1, text.data);
  gxds_text_fini(&text);
}

/* A29, A82, A101 */
static void add_tls(gxds_view *v, const gxds_tls *tls) {
  gxds_view_attribute(v, "tls", "on");
  if (tls->system_roots) gxds_view_attribute(v, "trusts", "the machine's root certificates");
  if (tls->auto_host_sni) gxds_view_attribute(v, "sni", "the endpoint's hostname");
  gxds_view_text(v, tls->auto_host_sni ? "else_sni" : "sni", tls->sni);
  if (tls->auto_sni_san_validation) gxds_view_attribute(v, "san", "the sni");
}

static void add_options(gxds_view *v, const gxds_cluster *cluster) {
  gxds_view_text(v, "policy", cluster->lb_policy_json);
  if (cluster->max_concurrent_requests != GXDS_CLUSTER_MAX_REQUESTS_DEFAULT) {
    gxds_view_attribute(v, "max_requests", "%u", cluster->max_concurrent_requests);
  }
  if (gxds_cluster_outlier_detection(cluster)) gxds_view_attribute(v, "outlier_detection", "on");
  if (gxds_cluster_subsets(cluster)) add_subsets(v, gxds_cluster_subsets(cluster));
  add_session_health(v, cluster->session_health);
  if (cluster->http_connect) gxds_view_attribute(v, "http_connect", "on");
  if (gxds_cluster_tls(cluster)) add_tls(v, gxds_cluster_tls(cluster));
  if (cluster->lrs_server && gxds_bootstrap_server_is_grpc(cluster->lrs_server)) {
    gxds_view_attribute(v, "load_reports", "to %.*s", GXDS_STR_ARG(cluster->lrs_server->uri));
    if (gxds_cluster_lrs_metrics(cluster)) add_lrs_metrics(v, gxds_cluster_lrs_metrics(cluster));
  }
}

static bool add_resource(gxds_tree_clusters *c, gxds_view *v, gxds_str name,
                         const gxds_cluster *cluster) {
  static const char *const kinds[] = {[GXDS_CLUSTER_EDS] = "EDS",
                                      [GXDS_CLUSTER_LOGICAL_DNS] = "LOGICAL_DNS",
                                      [GXDS_CLUSTER_AGGREGATE] = "AGGREGATE"};
  gxds_view_attribute(v, "type", "%s", kinds[cluster->kind]);
  add_options(v, cluster);
  const gxds_config *config = c->fetched->config;
  const gxds_cluster_entry *entry = config ? gxds_config_cluster(config, name) : NULL;
  bool usable = false;
  switch (cluster->kind) {
    case GXDS_CLUSTER_EDS:
      usable = add_eds(c, v, cluster);
      break;
    case GXDS_CLUSTER_LOGICAL_DNS:
      usable = add_dns(v, cluster, entry);
      break;
    case GXDS_CLUSTER_AGGREGATE:
      usable = add_aggregate(c, v, cluster);
      break;
  }
  if (!entry || entry->kind != GXDS_ENTRY_ERROR) return usable;
  gxds_view_error(v, gxds_cluster_entry_why(entry));
  return false;
}

bool gxds_tree_add_cluster(gxds_tree_clusters *c, gxds_view *v, gxds_str name) {
  for (size_t i = 0; i < c->shown_count; i++) {
    if (!gxds_str_equal(c->shown[i].name, name)) continue;
    gxds_view_attribute(v, "shown", "above");
    return c->shown[i].usable;
  }
  size_t place = c->shown_count++;
  c->shown = gxds_realloc(c->shown, c->shown_count, sizeof *c->shown);
  c->shown[place] = (struct gxds_tree_shown){name, false};
  const gxds_fetched_resource *cds = gxds_fetched_find(c->fetched, &gxds_cluster_type, name);
  if (!cds) return false;
  gxds_tree_add_resource_state(v, cds);
  if (!cds->resource) return false;
  bool usable = add_resource(c, v, name, (const gxds_cluster *)cds->resource);
  c->shown[place].usable = usable;
  return usable;
}
