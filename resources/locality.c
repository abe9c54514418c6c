#include "base/check.h"
#include "base/memory.h"
#include "resources/endpoints.h"
#include "resources/endpoints_internal.h"

static char *append(char *at, gxds_str from, gxds_str *to) {
  if (from.size) memcpy(at, from.data, from.size);
  *to = gxds_str_of(at, from.size);
  return at + from.size + 1; /* the next string begins after the terminating zero */
}

static size_t more_count(const uint32_t *ends, size_t count) {
  return ends && count > 0 ? ends[count - 1] : 0;
}

static char *append_name(char *at, gxds_str region, gxds_str zone, gxds_str sub_zone,
                         gxds_locality *l) {
  at = append(at, region, &l->region);
  at = append(at, zone, &l->zone);
  return append(at, sub_zone, &l->sub_zone);
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
static char *append_more(char *at, const gxds_locality_rare *from, size_t count,
                         gxds_locality_rare *to) {
  const size_t more = more_count(from->more_ends, count);
  if (more == 0) return at;
  uint32_t *ends = (uint32_t *)at;
  gxds_address *addresses = (gxds_address *)(ends + count);
  memcpy(ends, from->more_ends, count * sizeof *ends);
  memcpy(addresses, from->more, more * sizeof *addresses);
  to->more_ends = ends;
  to->more = addresses;
  return (char *)(addresses + more);
}

static size_t size_of_more(const gxds_locality_rare *from, size_t count) {
  const size_t more = more_count(from->more_ends, count);
  return more > 0 ? count * sizeof(uint32_t) + more * sizeof(gxds_address) : 0;
}

static size_t list_count(const gxds_locality_rare *r) {
  return (size_t)(r->hash_keys != NULL) + (r->hostnames != NULL) + (r->proxies != NULL) +
         (r->metadata != NULL);
}

bool gxds_locality_rare_is_used(const gxds_locality_rare *r) {
  return list_count(r) > 0 || r->more || r->draining;
}

/* Takes the memory of a list from *at; NULL if there is no such list. */
static gxds_str *take_list(char **at, const gxds_str *from, size_t count) {
  if (!from) return NULL;
  gxds_str *list = (gxds_str *)*at;
  *at = (char *)(list + count);
  return list;
}

static bool can_be_small(const gxds_locality *l) {
  if (l->is_small) return true;
  uint32_t others = 0;
  for (uint32_t i = 0; i < l->endpoint_count; i++) {
    others |= l->list.full[i].address.is_ipv6 | l->list.full[i].weight >> 8;
  }
  return others == 0;
}

static void set_small(gxds_small_endpoint *out, const gxds_endpoint *e) {
  memcpy(out->ip, e->address.ip, sizeof out->ip);
  out->port = e->address.port;
  out->health = e->health;
  out->weight = (uint8_t)e->weight;
}

/* The endpoints of a locality that is being made begin here. */
static void set_list(gxds_locality *l, const char *at) {
  if (l->is_small) {
    l->list.small = (const gxds_small_endpoint *)at;
  } else {
    l->list.full = (const gxds_endpoint *)at;
  }
}

/* A full locality can be copied to a small one, but not a small one to a full one. */
static void copy_endpoints(gxds_locality *to, const gxds_locality *from) {
  const uint32_t count = from->endpoint_count;
  if (count == 0) return; /* the list may be NULL, which memcpy() must not get */
  if (from->is_small) {
    memcpy((void *)to->list.small, from->list.small, count * sizeof *to->list.small);
  } else if (to->is_small) {
    gxds_small_endpoint *list = (gxds_small_endpoint *)to->list.small;
    for (uint32_t i = 0; i < count; i++) set_small(&list[i], &from->list.full[i]);
  } else {
    memcpy((void *)to->list.full, from->list.full, count * sizeof *to->list.full);
  }
}

/* Makes the locality in one allocation: the struct, the rare part and its lists, the endpoints
 * (zeroed), the strings. from->draining is not copied. */
static gxds_locality *create(gxds_str region, gxds_str zone, gxds_str sub_zone, uint32_t weight,
                             size_t count, bool is_small, const gxds_locality_rare *from) {
  GXDS_CHECK(count <= GXDS_ENDPOINTS_MAX);
  const bool has_rare = gxds_locality_rare_is_used(from);
  const size_t rare_size =
      has_rare ? sizeof *from + list_count(from) * count * sizeof(gxds_str) : 0;
  const size_t endpoints_size =
      count * (is_small ? sizeof(gxds_small_endpoint) : sizeof(gxds_endpoint));
  const size_t strings_size =
      region.size + zone.size + sub_zone.size + 3 + size_of_all(from->hash_keys, count) +
      size_of_all(from->hostnames, count) + size_of_all(from->proxies, count) +
      size_of_all(from->metadata, count);
  gxds_locality *l = gxds_calloc(
      1, sizeof *l + rare_size + endpoints_size + size_of_more(from, count) + strings_size);
  char *at = (char *)(l + 1);
  gxds_ref_init(&l->refs);
  l->is_small = is_small;
  l->weight = weight;
  l->endpoint_count = (uint32_t)count;
  if (!has_rare) {
    set_list(l, at);
    append_name(at + endpoints_size, region, zone, sub_zone, l);
    return l;
  }
  gxds_locality_rare *rare = (gxds_locality_rare *)at;
  at += sizeof *rare;
  gxds_str *hash_keys = take_list(&at, from->hash_keys, count);
  gxds_str *hostnames = take_list(&at, from->hostnames, count);
  gxds_str *proxies = take_list(&at, from->proxies, count);
  gxds_str *metadata = take_list(&at, from->metadata, count);
  *rare = (gxds_locality_rare){
      .hash_keys = hash_keys, .hostnames = hostnames, .proxies = proxies, .metadata = metadata};
  l->rare = rare;
  set_list(l, at);
  at = append_more(at + endpoints_size, from, count, rare);
  at = append_name(at, region, zone, sub_zone, l);
  at = append_all(at, from->hash_keys, count, hash_keys);
  at = append_all(at, from->hostnames, count, hostnames);
  at = append_all(at, from->proxies, count, proxies);
  append_all(at, from->metadata, count, metadata);
  return l;
}

static const gxds_locality_rare no_rare;

static const gxds_locality_rare *rare_of(const gxds_locality *l) {
  return l->rare ? l->rare : &no_rare;
}

gxds_locality *gxds_locality_create(gxds_str region, gxds_str zone, gxds_str sub_zone,
                                    uint32_t weight, size_t count) {
  return create(region, zone, sub_zone, weight, count, false, &no_rare);
}

const gxds_locality *gxds_locality_copy(const gxds_locality *l) {
  gxds_locality *copy = create(l->region, l->zone, l->sub_zone, l->weight, l->endpoint_count,
                               can_be_small(l), rare_of(l));
  copy_endpoints(copy, l);
  const gxds_locality *draining = gxds_locality_draining(l);
  if (draining) ((gxds_locality_rare *)copy->rare)->draining = gxds_locality_copy(draining);
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
  const gxds_locality_rare *rare = rare_of(l);
  if (!rare->more) return NULL;
  gxds_address *more = gxds_calloc(gxds_locality_more_count(l), sizeof(gxds_address));
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

static void select_endpoints(gxds_locality *to, const gxds_locality *from, const uint32_t *places) {
  for (uint32_t i = 0; i < to->endpoint_count; i++) {
    if (from->is_small) {
      ((gxds_small_endpoint *)to->list.small)[i] = from->list.small[places[i]];
    } else {
      ((gxds_endpoint *)to->list.full)[i] = from->list.full[places[i]];
    }
  }
}

const gxds_locality *gxds_locality_select(const gxds_locality *l, const uint32_t *places,
                                          size_t count, uint32_t weight) {
  const gxds_locality_rare *rare = rare_of(l);
  gxds_str *hash_keys = select_names(rare->hash_keys, places, count);
  gxds_str *hostnames = select_names(rare->hostnames, places, count);
  gxds_str *proxies = select_names(rare->proxies, places, count);
  gxds_str *metadata = select_names(rare->metadata, places, count);
  uint32_t *more_ends = rare->more ? gxds_calloc(count, sizeof *more_ends) : NULL;
  gxds_address *more = select_more(l, places, count, more_ends);
  const gxds_locality_rare selected = {.hash_keys = hash_keys,
                                       .hostnames = hostnames,
                                       .proxies = proxies,
                                       .metadata = metadata,
                                       .more = more,
                                       .more_ends = more_ends};
  gxds_locality *some =
      create(l->region, l->zone, l->sub_zone, weight, count, l->is_small, &selected);
  select_endpoints(some, l, places);
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
  gxds_locality_unref(gxds_locality_draining(l));
  gxds_free((gxds_locality *)l);
}

static bool address_equal(const gxds_address *a, const gxds_address *b) {
  return memcmp(a->ip, b->ip, sizeof a->ip) == 0 && a->port == b->port && a->is_ipv6 == b->is_ipv6;
}

static bool endpoint_equal(const gxds_locality *a, uint32_t i, const gxds_locality *b, uint32_t k) {
  const gxds_endpoint of_a = gxds_locality_endpoint(a, i);
  const gxds_endpoint of_b = gxds_locality_endpoint(b, k);
  return address_equal(&of_a.address, &of_b.address) && of_a.health == of_b.health &&
         of_a.weight == of_b.weight;
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

static bool more_equal(const gxds_locality_rare *a, const gxds_locality_rare *b, size_t count) {
  if (!a->more && !b->more) return true;
  if (!a->more || !b->more) return false;
  if (memcmp(a->more_ends, b->more_ends, count * sizeof *a->more_ends) != 0) return false;
  for (size_t i = 0; i < more_count(a->more_ends, count); i++) {
    if (!address_equal(&a->more[i], &b->more[i])) return false;
  }
  return true;
}

static bool lists_equal(const gxds_str *a, const gxds_str *b, uint32_t count) {
  for (uint32_t i = 0; (a || b) && i < count; i++) {
    if (!gxds_str_equal(gxds_locality_item(a, i), gxds_locality_item(b, i))) return false;
  }
  return true;
}

bool gxds_locality_endpoint_equal(const gxds_locality *a, uint32_t i, const gxds_locality *b,
                                  uint32_t k) {
  return endpoint_equal(a, i, b, k) &&
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
    if (!endpoint_equal(a, i, b, i)) return false;
  }
  if (!a->rare && !b->rare) return true;
  const gxds_locality_rare *of_a = rare_of(a);
  const gxds_locality_rare *of_b = rare_of(b);
  return lists_equal(of_a->hash_keys, of_b->hash_keys, a->endpoint_count) &&
         lists_equal(of_a->hostnames, of_b->hostnames, a->endpoint_count) &&
         lists_equal(of_a->proxies, of_b->proxies, a->endpoint_count) &&
         lists_equal(of_a->metadata, of_b->metadata, a->endpoint_count) &&
         more_equal(of_a, of_b, a->endpoint_count);
}

static bool draining_equal(const gxds_locality *a, const gxds_locality *b) {
  if (!a || !b) return a == b;
  return gxds_locality_endpoints_equal(a, b);
}

bool gxds_locality_equal(const gxds_locality *a, const gxds_locality *b) {
  return a == b || (a->weight == b->weight && gxds_locality_compare_name(a, b) == 0 &&
                    gxds_locality_endpoints_equal(a, b) &&
                    draining_equal(gxds_locality_draining(a), gxds_locality_draining(b)));
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
