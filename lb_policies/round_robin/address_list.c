#include "lb_policies/round_robin/address_list.h"

#include <string.h>
#include <uthash.h>
#include <xxhash.h>

#include "base/memory.h"
#include "lb_policies/endpoint_list/endpoint_list.h"

/* The address of an endpoint as text. If the endpoint has several addresses (A61), the text has all
 * of them, in an order that depends only on the set. */
typedef struct gxds_address_key {
  gxds_str text; /* a part of the keys */
  UT_hash_handle hh;
} address_key;

gxds_address gxds_endpoint_identity(gxds_str text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data, text.size);
  gxds_address out = {.is_ipv6 = 1};
  _Static_assert(sizeof hash == sizeof out.ip, "an IPv6 address");
  memcpy(out.ip, &hash, sizeof hash);
  return out;
}

/* The identity of an endpoint: its address (with the link of an IPv6 address), its args, its
 * locality, to which its load belongs, its hostname and its proxy, but not its weight. */
static gxds_address identity_of(const gxds_addresses *from, size_t place, gxds_str key) {
  gxds_text text = {0};
  gxds_text_add(&text, key);
  gxds_text_add_z(&text, " ");
  gxds_addresses_render_detail(from, place, &text);
  const gxds_address identity = gxds_endpoint_identity(gxds_text_str(&text));
  gxds_text_fini(&text);
  return identity;
}

/* The keys of all addresses, one after the other. Sets *ends to an array with the end of each key,
 * which the caller owns. */
static gxds_text render_keys(const gxds_addresses *from, size_t **ends) {
  gxds_text keys = {0};
  *ends = gxds_calloc(from->count, sizeof **ends);
  for (size_t i = 0; i < from->count; i++) {
    const gxds_lb_address address = gxds_addresses_at(from, i);
    if (address.more_count > 0) {
      gxds_lb_address_render_set(&address, &keys);
    } else {
      gxds_addresses_render_key(from, i, &keys);
    }
    (*ends)[i] = keys.size;
  }
  return keys;
}

/* Adds the endpoint, unless its key is in the list already. */
static void add(gxds_address_list *l, size_t place, gxds_str key) {
  address_key *known;
  HASH_FIND(hh, l->by_key, key.data, key.size, known);
  if (known) return;
  address_key *k = &l->keyed[l->count];
  k->text = key;
  HASH_ADD_KEYPTR(hh, l->by_key, k->text.data, k->text.size, k);
  l->places[l->count] = place;
  l->endpoints[l->count].address = identity_of(l->from, place, key);
  const gxds_lb_address address = gxds_addresses_at(l->from, place);
  l->endpoints[l->count].weight = address.weight;
  l->named |= address.hostname.size > 0 || address.proxy.size > 0;
  l->several |= address.more_count > 0;
  l->count++;
}

static void fill(gxds_address_list *l, const gxds_addresses *from) {
  size_t *ends;
  l->from = gxds_addresses_ref(from);
  l->keys = render_keys(from, &ends);
  l->endpoints = gxds_calloc(from->count, sizeof *l->endpoints);
  l->places = gxds_calloc(from->count, sizeof *l->places);
  l->keyed = gxds_calloc(from->count, sizeof *l->keyed);
  for (size_t i = 0; i < from->count; i++) {
    const size_t begin = i > 0 ? ends[i - 1] : 0;
    add(l, i, gxds_str_of(l->keys.data + begin, ends[i] - begin));
  }
  gxds_free(ends);
}

void gxds_address_list_fini(gxds_address_list *l) {
  HASH_CLEAR(hh, l->by_key);
  gxds_free(l->keyed);
  gxds_free(l->places);
  gxds_free(l->endpoints);
  gxds_text_fini(&l->keys);
  gxds_addresses_unref(l->from);
  *l = (gxds_address_list){0};
}

gxds_status gxds_address_list_update(gxds_address_list *l, gxds_endpoints_policy *e,
                                     const gxds_lb_update *update) {
  if (!update->addresses) {
    if (l->count == 0) gxds_policy_publish_failure(e->base, &update->addresses_status);
    return gxds_status_copy(&update->addresses_status);
  }
  const bool by_more = l->named || l->several;
  gxds_address_list_fini(l);
  fill(l, update->addresses);
  if (by_more || l->named || l->several) gxds_endpoints_policy_keep_connections(e);
  const gxds_locality view = {.list.full = l->endpoints, .endpoint_count = l->count};
  gxds_status status = gxds_endpoints_policy_update(e, &view, update);
  if (l->several) gxds_endpoints_policy_reorder(e, l->count);
  return status;
}

gxds_lb_address gxds_address_list_at(const gxds_address_list *l, uint32_t position) {
  return gxds_addresses_at(l->from, l->places[position]);
}

gxds_str gxds_address_list_key_at(const gxds_address_list *l, uint32_t position) {
  return l->keyed[position].text;
}

bool gxds_address_list_has_key(const gxds_address_list *l, gxds_str key) {
  const address_key *known;
  HASH_FIND(hh, l->by_key, key.data, key.size, known);
  return known;
}
