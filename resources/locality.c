#include "base/check.h"
#include "base/memory.h"
#include "resources/endpoints.h"

static char *append(char *at, gxds_str from, gxds_str *to) {
  if (from.size) memcpy(at, from.data, from.size);
  *to = gxds_str_of(at, from.size);
  return at + from.size + 1; /* each string stays zero-terminated */
}

/* Properties of endpoints besides their addresses. Each list is NULL or has one item for each
 * endpoint, except `more`, which has the additional addresses of all endpoints. */
typedef struct names {
  const gxds_str *hash_keys;
  const gxds_str *hostnames;
  const gxds_str *proxies;
  const gxds_str *metadata;
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

/* A61: puts the additional addresses behind the endpoints, because they need no stricter alignment.
 * Most localities have none. */
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

/* Makes the locality in one allocation: the struct, its lists, its endpoints, its strings. */
static gxds_locality *create(gxds_str region, gxds_str zone, gxds_str sub_zone, uint32_t weight,
                             size_t count, const names *of_endpoints) {
  GXDS_CHECK(count <= GXDS_ENDPOINTS_MAX);
  const gxds_str *hash_keys = of_endpoints->hash_keys;
  const gxds_str *hostnames = of_endpoints->hostnames;
  const gxds_str *proxies = of_endpoints->proxies;
  const gxds_str *metadata = of_endpoints->metadata;
  const size_t lists =
      (size_t)(hash_keys != NULL) + (hostnames != NULL) + (proxies != NULL) + (metadata != NULL);
  size_t lists_size = lists * count * sizeof(gxds_str);
  size_t endpoints_size = count * sizeof(gxds_endpoint);
  size_t strings_size = region.size + zone.size + sub_zone.size + 3 +
                        size_of_all(hash_keys, count) + size_of_all(hostnames, count) +
                        size_of_all(proxies, count) + size_of_all(metadata, count);
  size_t more_size = size_of_more(of_endpoints, count);
  char *memory = gxds_calloc(
      1, sizeof(gxds_locality) + lists_size + endpoints_size + more_size + strings_size);
  gxds_locality *l = (gxds_locality *)memory;
  gxds_str *keys = (gxds_str *)(l + 1);
  gxds_str *hosts = hash_keys ? keys + count : keys;
  gxds_str *proxy_list = hostnames ? hosts + count : hosts;
  gxds_str *labels = proxies ? proxy_list + count : proxy_list;
  char *endpoints = (char *)keys + lists_size;
  gxds_ref_init(&l->refs);
  l->weight = weight;
  l->endpoint_count = (uint32_t)count;
  l->endpoints = (const gxds_endpoint *)endpoints;
  l->hash_keys = hash_keys ? keys : NULL;
  l->hostnames = hostnames ? hosts : NULL;
  l->proxies = proxies ? proxy_list : NULL;
  l->metadata = metadata ? labels : NULL;
  char *strings = append_more(endpoints + endpoints_size, of_endpoints, count, l);
  strings = append(strings, region, &l->region);
  strings = append(strings, zone, &l->zone);
  strings = append(strings, sub_zone, &l->sub_zone);
  strings = append_all(strings, hash_keys, count, keys);
  strings = append_all(strings, hostnames, count, hosts);
  strings = append_all(strings, proxies, count, proxy_list);
  append_all(strings, metadata, count, labels);
  return l;
}

gxds_locality *gxds_locality_create(gxds_str region, gxds_str zone, gxds_str sub_zone,
                                    uint32_t weight, size_t count) {
  const names none = {0};
  return create(region, zone, sub_zone, weight, count, &none);
}

const gxds_locality *gxds_locality_copy(const gxds_locality *l) {
  const names of_endpoints = {.hash_keys = l->hash_keys,
                              .hostnames = l->hostnames,
                              .proxies = l->proxies,
                              .metadata = l->metadata,
                              .more = l->more,
                              .more_ends = l->more_ends};
  gxds_locality *copy =
      create(l->region, l->zone, l->sub_zone, l->weight, l->endpoint_count, &of_endpoints);
  if (l->endpoint_count) {
    memcpy((gxds_endpoint *)copy->endpoints, l->endpoints,
           l->endpoint_count * sizeof *l->endpoints);
  }
  if (l->draining) copy->draining = gxds_locality_copy(l->draining);
  return copy;
}

/* The items of the endpoints at these places; the caller frees the list. NULL if from is NULL. */
static gxds_str *select_names(const gxds_str *from, const uint32_t *places, size_t count) {
  if (!from) return NULL;
  gxds_str *names_there = gxds_calloc(count, sizeof *names_there);
  for (size_t i = 0; i < count; i++) names_there[i] = from[places[i]];
  return names_there;
}

/* A61: the additional addresses of the endpoints at these places; the caller frees the list. Fills
 * ends. NULL if the locality has none. */
static gxds_address *select_more(const gxds_locality *l, const uint32_t *places, size_t count,
                                 uint32_t *ends) {
  if (!l->more) return NULL;
  gxds_address *more =
      gxds_calloc(more_count(l->more_ends, l->endpoint_count), sizeof(gxds_address));
  uint32_t end = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t of_this;
    const gxds_address *from = gxds_locality_more(l, places[i], &of_this);
    if (of_this > 0) memcpy(&more[end], from, of_this * sizeof *more);
    end += of_this;
    ends[i] = end;
  }
  return more;
}

const gxds_locality *gxds_locality_select(const gxds_locality *l, const uint32_t *places,
                                          size_t count, uint32_t weight) {
  gxds_str *hash_keys = select_names(l->hash_keys, places, count);
  gxds_str *hostnames = select_names(l->hostnames, places, count);
  gxds_str *proxies = select_names(l->proxies, places, count);
  gxds_str *metadata = select_names(l->metadata, places, count);
  uint32_t *more_ends = l->more ? gxds_calloc(count, sizeof *more_ends) : NULL;
  gxds_address *more = select_more(l, places, count, more_ends);
  const names of_endpoints = {.hash_keys = hash_keys,
                              .hostnames = hostnames,
                              .proxies = proxies,
                              .metadata = metadata,
                              .more = more,
                              .more_ends = more_ends};
  gxds_locality *some = create(l->region, l->zone, l->sub_zone, weight, count, &of_endpoints);
  for (size_t i = 0; i < count; i++) {
    ((gxds_endpoint *)some->endpoints)[i] = l->endpoints[places[i]];
  }
  gxds_free(hash_keys);
  gxds_free(hostnames);
  gxds_free(proxies);
  gxds_free(metadata);
  gxds_free(more);
  gxds_free(more_ends);
  return some;
}

const gxds_locality *gxds_locality_ref(const gxds_locality *l) {
  gxds_ref_inc(&l->refs);
  return l;
}

void gxds_locality_unref(const gxds_locality *l) {
  if (!l || !gxds_ref_dec(&l->refs)) return;
  gxds_locality_unref(l->draining);
  gxds_free((gxds_locality *)l);
}

static bool address_equal(const gxds_address *a, const gxds_address *b) {
  return memcmp(a->ip, b->ip, sizeof a->ip) == 0 && a->port == b->port && a->is_ipv6 == b->is_ipv6;
}

static bool endpoint_equal(const gxds_endpoint *a, const gxds_endpoint *b) {
  return address_equal(&a->address, &b->address) && a->health == b->health &&
         a->weight == b->weight;
}

static bool more_equal_at(const gxds_locality *a, uint32_t i, const gxds_locality *b, uint32_t k) {
  uint32_t count;
  uint32_t other_count;
  const gxds_address *more = gxds_locality_more(a, i, &count);
  const gxds_address *other = gxds_locality_more(b, k, &other_count);
  if (count != other_count) return false;
  for (uint32_t at = 0; at < count; at++) {
    if (!address_equal(&more[at], &other[at])) return false;
  }
  return true;
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

bool gxds_locality_endpoint_equal(const gxds_locality *a, uint32_t i, const gxds_locality *b,
                                  uint32_t k) {
  return endpoint_equal(&a->endpoints[i], &b->endpoints[k]) &&
         gxds_str_equal(gxds_locality_hash_key(a, i), gxds_locality_hash_key(b, k)) &&
         gxds_str_equal(gxds_locality_hostname(a, i), gxds_locality_hostname(b, k)) &&
         gxds_str_equal(gxds_locality_proxy(a, i), gxds_locality_proxy(b, k)) &&
         gxds_str_equal(gxds_locality_metadata(a, i), gxds_locality_metadata(b, k)) &&
         more_equal_at(a, i, b, k);
}

gxds_locality_stretch gxds_locality_changed(const gxds_locality *before,
                                            const gxds_locality *after) {
  gxds_locality_stretch s = {0};
  if (before == after) return s;
  s.end_before = before ? before->endpoint_count : 0;
  s.end_after = after ? after->endpoint_count : 0;
  while (s.start < s.end_before && s.start < s.end_after &&
         gxds_locality_endpoint_equal(before, s.start, after, s.start)) {
    s.start++;
  }
  while (s.start < s.end_before && s.start < s.end_after &&
         gxds_locality_endpoint_equal(before, s.end_before - 1, after, s.end_after - 1)) {
    s.end_before--;
    s.end_after--;
  }
  return s;
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
  for (uint32_t i = 0; (a->proxies || b->proxies) && i < a->endpoint_count; i++) {
    if (!gxds_str_equal(gxds_locality_proxy(a, i), gxds_locality_proxy(b, i))) return false;
  }
  for (uint32_t i = 0; (a->metadata || b->metadata) && i < a->endpoint_count; i++) {
    if (!gxds_str_equal(gxds_locality_metadata(a, i), gxds_locality_metadata(b, i))) return false;
  }
  return more_equal(a, b);
}

static bool draining_equal(const gxds_locality *a, const gxds_locality *b) {
  if (!a || !b) return a == b;
  return gxds_locality_endpoints_equal(a, b);
}

bool gxds_locality_equal(const gxds_locality *a, const gxds_locality *b) {
  return a == b ||
         (a->weight == b->weight && gxds_locality_compare_name(a, b) == 0 &&
          gxds_locality_endpoints_equal(a, b) && draining_equal(a->draining, b->draining));
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
