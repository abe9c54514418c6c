#include "base/check.h"
#include "base/memory.h"
#include "resources/endpoints.h"

static char *append(char *at, gxds_str from, gxds_str *to) {
  if (from.size) memcpy(at, from.data, from.size);
  *to = gxds_str_of(at, from.size);
  return at + from.size + 1; /* each stays zero-terminated */
}

/* One allocation: the struct, its endpoints, its strings. */
gxds_locality *gxds_locality_create(gxds_str region, gxds_str zone, gxds_str sub_zone,
                                    uint32_t weight, size_t count) {
  GXDS_CHECK(count <= GXDS_ENDPOINTS_MAX);
  size_t endpoints_size = count * sizeof(gxds_endpoint);
  size_t strings_size = region.size + zone.size + sub_zone.size + 3;
  gxds_locality *l = gxds_calloc(1, sizeof *l + endpoints_size + strings_size);
  gxds_ref_init(&l->refs);
  l->weight = weight;
  l->endpoint_count = (uint32_t)count;
  l->endpoints = (const gxds_endpoint *)(l + 1);
  char *strings = (char *)(l + 1) + endpoints_size;
  strings = append(strings, region, &l->region);
  strings = append(strings, zone, &l->zone);
  append(strings, sub_zone, &l->sub_zone);
  return l;
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

bool gxds_locality_equal(const gxds_locality *a, const gxds_locality *b) {
  if (a == b) return true;
  if (a->weight != b->weight || a->endpoint_count != b->endpoint_count) return false;
  if (gxds_locality_compare_name(a, b) != 0) return false;
  for (uint32_t i = 0; i < a->endpoint_count; i++) {
    if (!endpoint_equal(&a->endpoints[i], &b->endpoints[i])) return false;
  }
  return true;
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
