#include "lb_policies/override_host/session_table.h"

#include "base/check.h"
#include "base/memory.h"
#include "lb_policies/endpoint_list/endpoint_list.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* An open hash, at most half full. */
struct gxds_session_table {
  gxds_ref refs;
  const gxds_endpoints *endpoints; /* a reference; NULL: none */
  uint64_t seed;
  size_t mask;
  gxds_session_slot slots[];
};

static uint64_t hash(const gxds_session_table *t, const gxds_address *a) {
  return XXH3_64bits_withSeed(a->ip, sizeof a->ip, t->seed ^ a->port);
}

static const gxds_address *address_of(const gxds_session_slot *s) {
  const gxds_lb_address address = gxds_locality_address(s->locality, s->index);
  return gxds_lb_address_ip(&address, s->address);
}

static bool equal(const gxds_address *a, const gxds_address *b) {
  return a->port == b->port && a->is_ipv6 == b->is_ipv6 && memcmp(a->ip, b->ip, sizeof a->ip) == 0;
}

/* A free one, when it is not there. */
static gxds_session_slot *find(gxds_session_table *t, const gxds_address *a) {
  size_t at = (size_t)hash(t, a) & t->mask;
  while (t->slots[at].locality && !equal(address_of(&t->slots[at]), a)) at = (at + 1) & t->mask;
  return &t->slots[at];
}

gxds_session_slot *gxds_session_table_find(gxds_session_table *t, const gxds_address *address) {
  gxds_session_slot *s = find(t, address);
  return s->locality ? s : NULL;
}

/* Calls fn for each endpoint in one of these states. */
static void each_endpoint(const gxds_endpoints *endpoints, uint8_t health,
                          void (*fn)(void *arg, const gxds_locality *l, uint32_t index),
                          void *arg) {
  for (size_t i = 0; endpoints && i < endpoints->priority_count; i++) {
    const gxds_priority *p = &endpoints->priorities[i];
    for (size_t j = 0; j < p->locality_count; j++) {
      const gxds_locality *both[] = {p->localities[j], p->localities[j]->draining};
      for (size_t k = 0; k < 2 && both[k]; k++) {
        for (uint32_t n = 0; n < both[k]->endpoint_count; n++) {
          if (health & 1u << both[k]->endpoints[n].health) fn(arg, both[k], n);
        }
      }
    }
  }
}

static void count_addresses(void *arg, const gxds_locality *l, uint32_t index) {
  uint32_t more;
  (void)gxds_locality_more(l, index, &more);
  *(size_t *)arg += 1 + more;
}

static void add_addresses(void *arg, const gxds_locality *l, uint32_t index) {
  gxds_session_table *t = arg;
  const gxds_lb_address address = gxds_locality_address(l, index);
  for (uint32_t i = 0; i <= address.more_count; i++) {
    gxds_session_slot *s = find(t, gxds_lb_address_ip(&address, i));
    s->locality = l;
    s->index = index;
    s->address = i;
  }
}

gxds_session_table *gxds_session_table_create(const gxds_endpoints *endpoints, uint8_t health,
                                              uint64_t seed) {
  size_t count = 0;
  each_endpoint(endpoints, health, count_addresses, &count);
  size_t slots = 2;
  while (slots < 2 * count) slots *= 2;
  gxds_session_table *t = gxds_calloc(1, sizeof *t + slots * sizeof *t->slots);
  gxds_ref_init(&t->refs);
  if (endpoints) gxds_resource_ref(&endpoints->base);
  t->endpoints = endpoints;
  t->seed = seed;
  t->mask = slots - 1;
  each_endpoint(endpoints, health, add_addresses, t);
  return t;
}

gxds_session_table *gxds_session_table_ref(gxds_session_table *t) {
  gxds_ref_inc(&t->refs);
  return t;
}

void gxds_session_table_unref(gxds_session_table *t) {
  if (!t || !gxds_ref_dec(&t->refs)) return;
  for (size_t i = 0; i <= t->mask; i++) gxds_held_endpoint_unref(t->slots[i].held);
  if (t->endpoints) gxds_resource_unref(&t->endpoints->base);
  gxds_free(t);
}

void gxds_session_table_put(gxds_session_table *t, gxds_held_endpoint *h) {
  const gxds_lb_address address = gxds_locality_address(h->locality, h->index);
  for (uint32_t i = 0; i <= address.more_count; i++) {
    gxds_session_slot *s = find(t, gxds_lb_address_ip(&address, i));
    GXDS_CHECK(s->locality && !s->held);
    atomic_store_explicit(&s->held, gxds_held_endpoint_ref(h), memory_order_release);
  }
}
