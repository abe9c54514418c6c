/* The first byte selects the resource type, and the rest is the resource. Each is decoded twice.
 * The second time the first result is the previous resource, which must give the same result and
 * share all localities and virtual hosts. Endpoints are decoded more often, with a previous
 * resource that lacks one locality, or has one bit changed. The result must always equal the first.
 * All generated JSON must be valid. */
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/wire.h"
#include "resources/resources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { kBitsChanged = 8 };

static const gxds_resource *previous_of(void *arg, gxds_str name) {
  (void)name;
  return arg;
}

static bool exists(gxds_str name) {
  (void)name;
  return true;
}

/* The parser refuses a NUL in a name, which JSON allows. */
static void check_json(gxds_str text) {
  if (text.size && memmem(text.data, text.size, "\\u0000", 6)) return;
  json_t *json = json_loadb(text.data, text.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
  GXDS_CHECK(json != NULL);
  json_decref(json);
}

static bool more_equal(const gxds_locality *a, const gxds_locality *b, uint32_t index) {
  uint32_t count;
  uint32_t other_count;
  const gxds_address *more = gxds_locality_more(a, index, &count);
  const gxds_address *other = gxds_locality_more(b, index, &other_count);
  if (count != other_count) return false;
  for (uint32_t i = 0; i < count; i++) {
    if (more[i].port != other[i].port || memcmp(more[i].ip, other[i].ip, sizeof more->ip) != 0) {
      return false;
    }
  }
  return true;
}

/* Compares hash keys, hostnames, proxies, metadata and additional addresses without
 * gxds_locality_equal(), by which the decoder chooses what to share. */
static bool localities_equal(const gxds_locality *a, const gxds_locality *b) {
  if (!gxds_locality_equal(a, b)) return false;
  const gxds_locality *draining = gxds_locality_draining(a);
  if (draining && !localities_equal(draining, gxds_locality_draining(b))) return false;
  for (uint32_t i = 0; i < a->endpoint_count; i++) {
    if (!gxds_str_equal(gxds_locality_hash_key(a, i), gxds_locality_hash_key(b, i)) ||
        !gxds_str_equal(gxds_locality_hostname(a, i), gxds_locality_hostname(b, i)) ||
        !gxds_str_equal(gxds_locality_proxy(a, i), gxds_locality_proxy(b, i)) ||
        !gxds_str_equal(gxds_locality_metadata(a, i), gxds_locality_metadata(b, i)) ||
        !more_equal(a, b, i)) {
      return false;
    }
  }
  return true;
}

/* Checks that the members of the metadata are in order and together give the text. Empty: no
 * metadata. */
static void check_metadata(gxds_str text) {
  if (text.size == 0) return;
  check_json(text);
  GXDS_CHECK(gxds_metadata_matches(text, text, false));
  gxds_str last = {NULL, 0};
  gxds_str name;
  gxds_str value;
  size_t size = 1;
  for (gxds_str rest = text; gxds_metadata_next(&rest, &name, &value); last = name) {
    GXDS_CHECK(last.size == 0 || gxds_str_compare(last, name) < 0);
    GXDS_CHECK(value.size > 0);
    size += name.size + value.size + 2;
    gxds_str item;
    for (gxds_str items = value; gxds_metadata_next_item(&items, &item);) check_json(item);
  }
  GXDS_CHECK(size == text.size);
}

/* Whether both have the same contents. */
static bool endpoints_equal(const gxds_endpoints *a, const gxds_endpoints *b) {
  if (a->drop_all != b->drop_all || a->drop_count != b->drop_count ||
      a->priority_count != b->priority_count) {
    return false;
  }
  for (size_t i = 0; i < a->drop_count; i++) {
    if (!gxds_str_equal(a->drops[i].name, b->drops[i].name) ||
        a->drops[i].per_million != b->drops[i].per_million) {
      return false;
    }
  }
  for (size_t i = 0; i < a->priority_count; i++) {
    const gxds_priority *p = &a->priorities[i];
    const gxds_priority *q = &b->priorities[i];
    if (p->locality_count != q->locality_count) return false;
    for (size_t j = 0; j < p->locality_count; j++) {
      if (!localities_equal(p->localities[j], q->localities[j])) return false;
    }
  }
  return true;
}

/* before: the previous resource, decoded from the same bytes; or NULL. */
static void check_endpoints(const gxds_endpoints *e, const gxds_endpoints *before) {
  GXDS_CHECK(!before || endpoints_equal(e, before));
  for (size_t i = 0; i < e->priority_count; i++) {
    const gxds_priority *p = &e->priorities[i];
    GXDS_CHECK(p->locality_count > 0);
    uint64_t weights = 0;
    for (size_t j = 0; j < p->locality_count; j++) {
      const gxds_locality *l = p->localities[j];
      GXDS_CHECK(l->weight > 0);
      GXDS_CHECK(j == 0 || gxds_locality_compare_name(p->localities[j - 1], l) < 0);
      GXDS_CHECK(!before || l == before->priorities[i].localities[j]);
      for (uint32_t k = 0; k < l->endpoint_count; k++) {
        const gxds_str hostname = gxds_locality_hostname(l, k);
        GXDS_CHECK(gxds_locality_endpoint(l, k).weight > 0);
        GXDS_CHECK(hostname.size == 0 || gxds_authority_is_valid(hostname));
        check_metadata(gxds_locality_metadata(l, k));
      }
      weights += l->weight;
    }
    GXDS_CHECK(weights <= UINT32_MAX);
  }
  for (size_t i = 0; i < e->drop_count; i++) {
    GXDS_CHECK(e->drops[i].name.size > 0 && e->drops[i].per_million <= 1000000);
  }
}

static void check_overrides(const gxds_http_filter_overrides *o) {
  for (size_t i = 0; i < o->count; i++) {
    GXDS_CHECK(o->items[i].kind == GXDS_HTTP_FILTER_FAULT ||
               o->items[i].kind == GXDS_HTTP_FILTER_STATEFUL_SESSION);
    GXDS_CHECK(gxds_http_filter_overrides_find(o, o->items[i].name) == &o->items[i]);
    check_json(o->items[i].config_json);
  }
}

static void check_retry_policy(const gxds_retry_policy *p) {
  GXDS_CHECK(p->codes != 0 && p->num_retries > 0);
  GXDS_CHECK(p->base_interval >= GXDS_MILLISECOND && p->max_interval >= p->base_interval);
  gxds_text json = {0};
  gxds_retry_policy_render_json(p, &json);
  check_json(gxds_text_str(&json));
  gxds_text_fini(&json);
}

static void check_host_rewrite(const gxds_host_rewrite *r) {
  if (!r) return;
  GXDS_CHECK((r->kind == GXDS_HOST_REWRITE_LITERAL) == (r->literal.size > 0));
  GXDS_CHECK(r->literal.size == 0 || gxds_authority_is_valid(r->literal));
}

static void check_match(const gxds_metadata_match *m) {
  if (!m) return;
  GXDS_CHECK(m->text.size > 0 && m->hash == gxds_metadata_hash(m->text));
  check_metadata(m->text);
}

static void check_route(const gxds_route *r) {
  uint64_t weights = 0;
  for (size_t k = 0; k < r->cluster_count; k++) {
    GXDS_CHECK(r->clusters[k].weight > 0 && r->clusters[k].name.size > 0);
    check_overrides(&r->clusters[k].rare->filter_overrides);
    check_host_rewrite(r->clusters[k].rare->host_rewrite);
    check_match(r->clusters[k].rare->metadata_match);
    weights += r->clusters[k].weight;
  }
  GXDS_CHECK(weights == r->total_weight);
  GXDS_CHECK((r->action == GXDS_ROUTE_CLUSTERS) == (r->cluster_count > 0));
  GXDS_CHECK((r->action == GXDS_ROUTE_PLUGIN) == (r->rare->plugin != NULL));
  if (r->rare->plugin) GXDS_CHECK(r->rare->plugin->name.size > 0);
  if (r->rare->plugin) check_json(r->rare->plugin->lb_json);
  if (r->retry_policy) check_retry_policy(r->retry_policy);
  check_overrides(&r->rare->filter_overrides);
  check_host_rewrite(r->rare->host_rewrite);
  check_match(r->rare->metadata_match);
}

static void check_routes(const gxds_route_config *rc) {
  for (size_t i = 0; i < rc->virtual_host_count; i++) {
    const gxds_virtual_host *host = &rc->virtual_hosts[i];
    GXDS_CHECK(host->domain_count > 0);
    GXDS_CHECK(gxds_route_config_find_virtual_host(rc, host->domains[0]));
    check_overrides(&host->filter_overrides);
    for (size_t j = 0; j < host->route_count; j++) check_route(&host->routes[j]);
  }
}

static void check_listener(const gxds_listener *l, const gxds_listener *before) {
  bool api = l->kind == GXDS_LISTENER_API;
  GXDS_CHECK(api == ((l->rds_name.size > 0) != (l->route_config != NULL)));
  GXDS_CHECK(!api || l->filter_count > 0);
  for (size_t i = 0; i < l->filter_count; i++) {
    if (l->filters[i].kind == GXDS_HTTP_FILTER_FAULT) check_json(l->filters[i].config_json);
  }
  if (l->route_config) check_routes(l->route_config);
  if (before) GXDS_CHECK(l->route_config == before->route_config);
}

static void check_subsets(const gxds_lb_subsets *s) {
  GXDS_CHECK(s->selector_count > 0);
  check_metadata(s->default_subset);
  for (size_t i = 0; i < s->selector_count; i++) {
    const gxds_subset_selector *selector = &s->selectors[i];
    const bool by_keys = selector->fallback == GXDS_SUBSET_FALLBACK_KEYS;
    GXDS_CHECK(by_keys == (selector->fallback_keys.count > 0));
    GXDS_CHECK(!by_keys || selector->fallback_keys.count < selector->keys.count);
  }
}

static void check_cluster(const gxds_cluster *c) {
  GXDS_CHECK((c->kind == GXDS_CLUSTER_AGGREGATE) == (c->aggregate_count > 0));
  GXDS_CHECK((c->kind == GXDS_CLUSTER_LOGICAL_DNS) == (gxds_cluster_dns_host(c).size > 0));
  GXDS_CHECK((c->kind == GXDS_CLUSTER_AGGREGATE) == (c->lb_policy_json.size == 0));
  if (c->kind == GXDS_CLUSTER_AGGREGATE) return;
  check_json(c->lb_policy_json);
  if (gxds_cluster_subsets(c)) check_subsets(gxds_cluster_subsets(c));
  if (gxds_cluster_tls(c)) GXDS_CHECK(gxds_cluster_tls(c)->sni.size <= GXDS_SNI_BYTES_MAX);
  if (gxds_cluster_tls(c))
    GXDS_CHECK((gxds_cluster_tls(c)->ca.instance_name.size > 0) !=
               gxds_cluster_tls(c)->system_roots);
}

static void check_resource(const gxds_resource *resource, const gxds_resource *before) {
  if (resource->type == &gxds_endpoints_type) {
    check_endpoints((const gxds_endpoints *)resource, (const gxds_endpoints *)before);
  } else if (resource->type == &gxds_route_config_type) {
    check_routes((const gxds_route_config *)resource);
    GXDS_CHECK(!before || resource == before);
  } else if (resource->type == &gxds_listener_type) {
    check_listener((const gxds_listener *)resource, (const gxds_listener *)before);
  } else {
    check_cluster((const gxds_cluster *)resource);
  }
}

/* The message without its first locality, in `out`, which has the size of bytes. */
static gxds_str without_first_locality(gxds_str bytes, char *out) {
  size_t size = 0;
  bool left_out = false;
  for (gxds_wire_field f; gxds_wire_next(&bytes, &f);) {
    if (!left_out && f.number == 2 && f.has_size) {
      left_out = true;
      continue;
    }
    memcpy(out + size, f.whole.data, f.whole.size);
    size += f.whole.size;
  }
  return gxds_str_of(out, size);
}

/* The message with one bit changed, in `out`, which has the size of bytes. */
static gxds_str with_bit_changed(gxds_str bytes, size_t number, char *out) {
  if (bytes.size) memcpy(out, bytes.data, bytes.size);
  if (bytes.size) out[number / 8 % bytes.size] ^= (char)(1 << number % 8);
  return gxds_str_of(out, bytes.size);
}

/* A previous resource from other bytes must not change the result. */
static void check_known(gxds_decode_context context, gxds_str bytes, gxds_str other,
                        const gxds_decoded *alone, const gxds_status *alone_status) {
  context.previous_arg = NULL;
  gxds_decoded before = {0};
  gxds_status before_status = gxds_endpoints_type.decode(&context, other, &before);
  context.previous_arg = (void *)before.resource;
  gxds_decoded again = {0};
  gxds_status status = gxds_endpoints_type.decode(&context, bytes, &again);
  GXDS_CHECK(gxds_status_equal(&status, alone_status));
  GXDS_CHECK(gxds_str_equal(again.name, alone->name));
  GXDS_CHECK((again.resource != NULL) == (alone->resource != NULL));
  GXDS_CHECK(!again.resource || endpoints_equal((const gxds_endpoints *)again.resource,
                                                (const gxds_endpoints *)alone->resource));
  gxds_resource_unref(before.resource);
  gxds_resource_unref(again.resource);
  gxds_decoded_fini(&before);
  gxds_decoded_fini(&again);
  gxds_status_fini(&before_status);
  gxds_status_fini(&status);
}

static void check_all_known(const gxds_decode_context *context, gxds_str bytes,
                            const gxds_decoded *alone, const gxds_status *alone_status) {
  char *memory = gxds_calloc(1, bytes.size + 1);
  check_known(*context, bytes, without_first_locality(bytes, memory), alone, alone_status);
  size_t bit = 0; /* chosen by the bytes */
  for (size_t i = 0; i < bytes.size; i++) bit = bit * 31 + (unsigned char)bytes.data[i];
  for (int i = 0; i < kBitsChanged; i++, bit = bit * 31 + 7) {
    check_known(*context, bytes, with_bit_changed(bytes, bit, memory), alone, alone_status);
  }
  gxds_free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const gxds_resource_type *type = gxds_resource_types[data[0] % GXDS_RESOURCE_TYPE_COUNT];
  gxds_str bytes = gxds_str_of((const char *)data + 1, size - 1);
  const gxds_bootstrap_certificate_provider provider = {.instance_name = {"p", 1}};
  const gxds_bootstrap bootstrap = {
      .refs = {1}, .certificate_providers = &provider, .certificate_provider_count = 1};
  const gxds_host host = {.lb_policy_exists = exists};
  const gxds_bootstrap_server server = {
      .trusted_xds_server = true, .endpoint_weights = size % 2 == 1, .lb_subsets = size % 4 < 2};
  gxds_decode_context context = {
      .bootstrap = &bootstrap, .server = &server, .host = &host, .previous = previous_of};
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
  if (type == &gxds_endpoints_type) check_all_known(&context, bytes, &first, &first_status);
  gxds_resource_unref(first.resource);
  gxds_resource_unref(second.resource);
  gxds_decoded_fini(&first);
  gxds_decoded_fini(&second);
  gxds_status_fini(&first_status);
  gxds_status_fini(&second_status);
  return 0;
}
