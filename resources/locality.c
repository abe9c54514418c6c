#include "base/check.h"
#include "base/memory.h"
#include "resources/endpoints.h"

static char *append(char *at, gxds_str from, gxds_str *to) {
  if (from.size) memcpy(at, from.data, from.size);
  *to = gxds_str_of(at, from.size);
  return at + from.size + 1; /* each stays zero-terminated */
}

/* What endpoints have beside their addresses: NULL, or one for each endpoint. */
typedef struct names {
  const gxds_str *hash_keys;
  const gxds_str *hostnames;
  const gxds_address *more;
  const uint32_t *more_ends;
} names;

static size_t more_count(const uint32_t *ends, size_t count) {
  return ends && count > 0 ? ends[count - 1] : 0;
}

static size_t size_of_all(const gxds_str *list, size_t count) {
  size_t size = 0;
  for (size_t i = 0; list && i < count; i++) size += list[i].size + 1;
  return size;
}

static char *append_all(char *at, const gxds_str *from, size_t count, gxds_str *to) {
  for (size_t i = 0; from && i < count; i++) at = append(at, from[i], &to[i]);
  return at;
}

/* A61: behind the endpoints, as it is aligned no better. Most localities have none. */
static char *append_more(char *at, const names *from, size_t count, gxds_locality *l) {
  const size_t more = more_count(from->more_ends, count);
  if (more == 0) return at;
  uint32_t *ends = (uint32_t *)at;
  gxds_address *addresses = (gxds_address *)(ends + count);
  memcpy(ends, from->more_ends, count * sizeof *ends);
  memcpy(addresses, from->more, more * sizeof *addresses);
  l->more_ends = ends;
  l->more = addresses;
  return (char *)(addresses + more);
}

static size_t size_of_more(const names *from, size_t count) {
  const size_t more = more_count(from->more_ends, count);
  return more > 0 ? count * sizeof(uint32_t) + more * sizeof(gxds_address) : 0;
}

/* One allocation: the struct, its endpoints, its strings. */
static gxds_locality *create(gxds_str region, gxds_str zone, gxds_str sub_zone, uint32_t weight,
                             size_t count, const names *of_endpoints) {
  GXDS_CHECK(count <= GXDS_ENDPOINTS_MAX);
  const gxds_str *hash_keys = of_endpoints->hash_keys;
  const gxds_str *hostnames = of_endpoints->hostnames;
  size_t lists_size = ((hash_keys ? count : 0) + (hostnames ? count : 0)) * sizeof(gxds_str);
  size_t endpoints_size = count * sizeof(gxds_endpoint);
  size_t strings_size = region.size + zone.size + sub_zone.size + 3 +
                        size_of_all(hash_keys, count) + size_of_all(hostnames, count);
  size_t more_size = size_of_more(of_endpoints, count);
  char *memory = gxds_calloc(
      1, sizeof(gxds_locality) + lists_size + endpoints_size + more_size + strings_size);
  gxds_locality *l = (gxds_locality *)memory;
  gxds_str *keys = (gxds_str *)(l + 1);
  gxds_str *hosts = hash_keys ? keys + count : keys;
  char *endpoints = (char *)keys + lists_size;
  gxds_ref_init(&l->refs);
  l->weight = weight;
  l->endpoint_count = (uint32_t)count;
  l->endpoints = (const gxds_endpoint *)endpoints;
  l->hash_keys = hash_keys ? keys : NULL;
  l->hostnames = hostnames ? hosts : NULL;
  char *strings = append_more(endpoints + endpoints_size, of_endpoints, count, l);
  strings = append(strings, region, &l->region);
  strings = append(strings, zone, &l->zone);
  strings = append(strings, sub_zone, &l->sub_zone);
  strings = append_all(strings, hash_keys, count, keys);
  append_all(strings, hostnames, count, hosts);
  return l;
}

gxds_locality *gxds_locality_create(gxds_str region, gxds_str zone, gxds_str sub_zone,
                                    uint32_t weight, size_t count) {
  const names none = {NULL, NULL, NULL, NULL};
  return create(region, zone, sub_zone, weight, count, &none);
}

const gxds_locality *gxds_locality_copy(const gxds_locality *l) {
  const names of_endpoints = {l->hash_keys, l->hostnames, l->more, l->more_ends};
  gxds_locality *copy =
      create(l->region, l->zone, l->sub_zone, l->weight, l->endpoint_count, &of_endpoints);
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

static bool address_equal(const gxds_address *a, const gxds_address *b) {
  return memcmp(a->ip, b->ip, sizeof a->ip) == 0 && a->port == b->port && a->is_ipv6 == b->is_ipv6;
}

static bool endpoint_equal(const gxds_endpoint *a, const gxds_endpoint *b) {
  return address_equal(&a->address, &b->address) && a->health == b->health &&
         a->weight == b->weight;
}

static bool more_equal(const gxds_locality *a, const gxds_locality *b) {
  if (!a->more && !b->more) return true;
  if (!a->more || !b->more) return false;
  const size_t count = a->endpoint_count;
  if (memcmp(a->more_ends, b->more_ends, count * sizeof *a->more_ends) != 0) return false;
  for (size_t i = 0; i < more_count(a->more_ends, count); i++) {
    if (!address_equal(&a->more[i], &b->more[i])) return false;
  }
  return true;
}

bool gxds_locality_endpoints_equal(const gxds_locality *a, const gxds_locality *b) {
  if (a->endpoint_count != b->endpoint_count) return false;
  for (uint32_t i = 0; i < a->endpoint_count; i++) {
    if (!endpoint_equal(&a->endpoints[i], &b->endpoints[i])) return false;
  }
  for (uint32_t i = 0; (a->hash_keys || b->hash_keys) && i < a->endpoint_count; i++) {
    if (!gxds_str_equal(gxds_locality_hash_key(a, i), gxds_locality_hash_key(b, i))) return false;
  }
  for (uint32_t i = 0; (a->hostnames || b->hostnames) && i < a->endpoint_count; i++) {
    if (!gxds_str_equal(gxds_locality_hostname(a, i), gxds_locality_hostname(b, i))) return false;
  }
  return more_equal(a, b);
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
