#include "base/check.h"
#include "base/memory.h"
#include "resources/endpoints.h"

static char *append(char *at, gxds_str from, gxds_str *to) {
  if (from.size) memcpy(at, from.data, from.size);
  *to = gxds_str_of(at, from.size);
  return at + from.size + 1; /* each stays zero-terminated */
}

/* One allocation: the struct, its endpoints, its strings. hash_keys: NULL or one for each endpoint.
 */
static gxds_locality *create(gxds_str region, gxds_str zone, gxds_str sub_zone, uint32_t weight,
                             size_t count, const gxds_str *hash_keys) {
  GXDS_CHECK(count <= GXDS_ENDPOINTS_MAX);
  size_t keys_size = hash_keys ? count * sizeof(gxds_str) : 0;
  size_t endpoints_size = count * sizeof(gxds_endpoint);
  size_t strings_size = region.size + zone.size + sub_zone.size + 3;
  for (size_t i = 0; hash_keys && i < count; i++) strings_size += hash_keys[i].size + 1;
  char *memory = gxds_calloc(1, sizeof(gxds_locality) + keys_size + endpoints_size + strings_size);
  gxds_locality *l = (gxds_locality *)memory;
  gxds_str *keys = (gxds_str *)(l + 1);
  char *endpoints = (char *)keys + keys_size;
  char *strings = endpoints + endpoints_size;
  gxds_ref_init(&l->refs);
  l->weight = weight;
  l->endpoint_count = (uint32_t)count;
  l->endpoints = (const gxds_endpoint *)endpoints;
  l->hash_keys = hash_keys ? keys : NULL;
  strings = append(strings, region, &l->region);
  strings = append(strings, zone, &l->zone);
  strings = append(strings, sub_zone, &l->sub_zone);
  for (size_t i = 0; hash_keys && i < count; i++) strings = append(strings, hash_keys[i], &keys[i]);
  return l;
}

gxds_locality *gxds_locality_create(gxds_str region, gxds_str zone, gxds_str sub_zone,
                                    uint32_t weight, size_t count) {
  return create(region, zone, sub_zone, weight, count, NULL);
}

const gxds_locality *gxds_locality_copy(const gxds_locality *l) {
  gxds_locality *copy =
      create(l->region, l->zone, l->sub_zone, l->weight, l->endpoint_count, l->hash_keys);
  if (l->endpoint_count) {
    memcpy((gxds_endpoint *)copy->endpoints, l->endpoints,
           l->endpoint_count * sizeof *l->endpoints);
  }
  return copy;
}

const gxds_locality *gxds_locality_ref(const gxds_locality *l) {
  gxds_ref_inc(&l->refs);
  return l;
}

void gxds_locality_unref(const gxds_locality *l) {
  if (l && gxds_ref_dec(&l->refs)) gxds_free((gxds_locality *)l);
}

static bool endpoint_equal(const gxds_endpoint *a, const gxds_endpoint *b) {
  return memcmp(a->address.ip, b->address.ip, sizeof a->address.ip) == 0 &&
         a->address.port == b->address.port && a->address.is_ipv6 == b->address.is_ipv6 &&
         a->health == b->health && a->weight == b->weight;
}

bool gxds_locality_endpoints_equal(const gxds_locality *a, const gxds_locality *b) {
  if (a->endpoint_count != b->endpoint_count) return false;
  for (uint32_t i = 0; i < a->endpoint_count; i++) {
    if (!endpoint_equal(&a->endpoints[i], &b->endpoints[i])) return false;
  }
  for (uint32_t i = 0; (a->hash_keys || b->hash_keys) && i < a->endpoint_count; i++) {
    if (!gxds_str_equal(gxds_locality_hash_key(a, i), gxds_locality_hash_key(b, i))) return false;
  }
  return true;
}

bool gxds_locality_equal(const gxds_locality *a, const gxds_locality *b) {
  return a == b || (a->weight == b->weight && gxds_locality_compare_name(a, b) == 0 &&
                    gxds_locality_endpoints_equal(a, b));
}

int gxds_locality_compare_name(const gxds_locality *a, const gxds_locality *b) {
  int order = gxds_str_compare(a->region, b->region);
  if (order == 0) order = gxds_str_compare(a->zone, b->zone);
  if (order == 0) order = gxds_str_compare(a->sub_zone, b->sub_zone);
  return order;
}

void gxds_locality_render_name(const gxds_locality *l, gxds_text *out) {
  gxds_text_addf(out, "{region=\"%.*s\", zone=\"%.*s\", sub_zone=\"%.*s\"}",
                 GXDS_STR_ARG(l->region), GXDS_STR_ARG(l->zone), GXDS_STR_ARG(l->sub_zone));
}
