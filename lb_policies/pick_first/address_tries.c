#include "lb_policies/pick_first/address_tries.h"

#include "base/memory.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/happy_eyeballs/interleave.h"
#include "resources/endpoints.h"

static uint32_t count_addresses(const gxds_addresses *from) {
  uint32_t count = 0;
  for (size_t i = 0; i < from->count; i++) count += 1 + gxds_addresses_at(from, i).more_count;
  return count;
}

/* Returns the endpoint with only one of its addresses. If it has several, native is left out,
 * because native is the host's form of all of them together. */
static gxds_lb_address single(const gxds_lb_address *endpoint, uint32_t index) {
  gxds_lb_address out = *endpoint;
  if (endpoint->more_count == 0) return out;
  out.ip = *gxds_lb_address_ip(endpoint, index);
  out.native = NULL;
  out.more = NULL;
  out.more_count = 0;
  out.list = NULL;
  return out;
}

/* The family of a native address is known from its text: an IPv6 address has brackets. */
static bool is_ipv6(const gxds_lb_address *address) {
  if (address->has_ip) return address->ip.is_ipv6;
  gxds_text text = {0};
  gxds_lb_address_render(address, &text);
  const bool out = text.size > 0 && text.data[0] == '[';
  gxds_text_fini(&text);
  return out;
}

static gxds_str render(const gxds_address_tries *t) {
  gxds_text text = {0};
  for (uint32_t i = 0; i < t->count; i++) {
    gxds_lb_address_render(&t->list[i], &text);
    gxds_text_add_z(&text, "\n");
  }
  for (size_t i = 0; i < t->from->count; i++) {
    gxds_addresses_render_key(t->from, i, &text);
    gxds_text_add_z(&text, " ");
    gxds_addresses_render_detail(t->from, i, &text);
    gxds_text_add_z(&text, "\n");
  }
  return gxds_text_take(&text);
}

gxds_address_tries gxds_address_tries_of(const gxds_addresses *from) {
  gxds_address_tries t = {.from = gxds_addresses_ref(from), .count = count_addresses(from)};
  gxds_lb_address *flat = gxds_calloc(t.count, sizeof *flat);
  bool *families = gxds_calloc(t.count, sizeof *families);
  uint32_t *order = gxds_calloc(t.count, sizeof *order);
  uint32_t at = 0;
  for (size_t i = 0; i < from->count; i++) {
    const gxds_lb_address endpoint = gxds_addresses_at(from, i);
    for (uint32_t k = 0; k <= endpoint.more_count; k++) flat[at++] = single(&endpoint, k);
  }
  for (uint32_t i = 0; i < t.count; i++) families[i] = is_ipv6(&flat[i]);
  gxds_interleave(families, t.count, order);
  t.list = gxds_calloc(t.count, sizeof *t.list);
  for (uint32_t i = 0; i < t.count; i++) t.list[i] = flat[order[i]];
  gxds_free(order);
  gxds_free(families);
  gxds_free(flat);
  t.text = render(&t);
  return t;
}

void gxds_address_tries_fini(gxds_address_tries *t) {
  gxds_addresses_unref(t->from);
  gxds_free(t->list);
  gxds_str_free(&t->text);
  *t = (gxds_address_tries){0};
}
