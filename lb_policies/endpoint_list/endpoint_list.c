#include "lb_policies/endpoint_list/endpoint_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/search.h"

typedef struct part {
  const gxds_locality *locality; /* a reference */
  size_t end;                    /* the index after its last endpoint, in the whole list */
} part;

typedef struct endpoint_list {
  gxds_addresses base;
  bool with_proxies;
  size_t count;
  part parts[]; /* no part is empty */
} endpoint_list;

static void destroy_list(gxds_addresses *a) {
  endpoint_list *l = (endpoint_list *)a;
  for (size_t i = 0; i < l->count; i++) gxds_locality_unref(l->parts[i].locality);
  gxds_free(l);
}

/* The locality of the endpoint at index. Sets *offset to the endpoint's index in its locality. */
static const gxds_locality *find(const gxds_addresses *a, size_t index, uint32_t *offset) {
  const endpoint_list *l = (const endpoint_list *)a;
  const size_t at = GXDS_LOWER_BOUND(i, 0, l->count - 1, l->parts[i].end <= index);
  *offset = (uint32_t)(index - (at > 0 ? l->parts[at - 1].end : 0));
  return l->parts[at].locality;
}

static void list_at(const gxds_addresses *a, size_t index, gxds_lb_address *out) {
  uint32_t offset;
  const gxds_locality *locality = find(a, index, &offset);
  *out = gxds_locality_address_for(locality, offset, ((const endpoint_list *)a)->with_proxies);
}

static void render_list_key(const gxds_addresses *a, size_t index, gxds_text *out) {
  uint32_t offset;
  const gxds_locality *locality = find(a, index, &offset);
  const gxds_endpoint e = gxds_locality_endpoint(locality, offset);
  gxds_address_render(&e.address, out);
}

static void render_list_detail(const gxds_addresses *a, size_t index, gxds_text *out) {
  gxds_lb_address address;
  list_at(a, index, &address);
  gxds_locality_render_name(address.locality, out);
  gxds_lb_address_render_names(&address, out);
}

static const gxds_addresses *create_list(const gxds_locality *const *localities, size_t count,
                                         bool with_proxies) {
  static const gxds_addresses_ops ops = {destroy_list, list_at, render_list_key, render_list_detail,
                                         NULL};
  endpoint_list *l = gxds_calloc(1, sizeof *l + count * sizeof *l->parts);
  gxds_ref_init(&l->base.refs);
  l->base.ops = &ops;
  l->with_proxies = with_proxies;
  for (size_t i = 0; i < count; i++) {
    if (localities[i]->endpoint_count == 0) continue;
    l->base.count += localities[i]->endpoint_count;
    l->parts[l->count].locality = gxds_locality_ref(localities[i]);
    l->parts[l->count++].end = l->base.count;
  }
  return &l->base;
}

gxds_lb_address gxds_locality_address(const gxds_locality *locality, uint32_t index) {
  const gxds_endpoint e = gxds_locality_endpoint(locality, index);
  uint32_t more_count;
  const gxds_address *more = gxds_locality_more(locality, index, &more_count);
  return (gxds_lb_address){.ip = e.address,
                           .has_ip = true,
                           .more = more,
                           .more_count = more_count,
                           .weight = e.weight,
                           .hash_key = gxds_locality_hash_key(locality, index),
                           .hostname = gxds_locality_hostname(locality, index),
                           .proxy = gxds_locality_proxy(locality, index),
                           .locality = locality};
}

gxds_lb_address gxds_locality_address_for(const gxds_locality *locality, uint32_t index,
                                          bool with_proxies) {
  gxds_lb_address address = gxds_locality_address(locality, index);
  if (!with_proxies) address.proxy = gxds_str_of(NULL, 0);
  return address;
}

void gxds_lb_address_render(const gxds_lb_address *address, gxds_text *out) {
  if (address->has_ip) {
    gxds_address_render(&address->ip, out);
  } else {
    gxds_addresses_render_key(address->list, address->index, out);
  }
}

void gxds_lb_address_render_names(const gxds_lb_address *address, gxds_text *out) {
  if (address->hostname.size) gxds_text_addf(out, " %.*s", GXDS_STR_ARG(address->hostname));
  if (address->proxy.size) gxds_text_addf(out, " proxy=%.*s", GXDS_STR_ARG(address->proxy));
}

static int compare_ips(const void *a, const void *b) {
  const gxds_address *x = a;
  const gxds_address *y = b;
  if (x->is_ipv6 != y->is_ipv6) return x->is_ipv6 < y->is_ipv6 ? -1 : 1;
  const int order = memcmp(x->ip, y->ip, sizeof x->ip);
  return order ? order : (x->port > y->port) - (x->port < y->port);
}

void gxds_lb_address_render_set(const gxds_lb_address *address, gxds_text *out) {
  if (address->more_count == 0) {
    gxds_lb_address_render(address, out);
    return;
  }
  const uint32_t count = address->more_count + 1;
  gxds_address *ips = gxds_calloc(count, sizeof *ips);
  for (uint32_t i = 0; i < count; i++) ips[i] = *gxds_lb_address_ip(address, i);
  qsort(ips, count, sizeof *ips, compare_ips);
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) gxds_text_add_z(out, ",");
    gxds_address_render(&ips[i], out);
  }
  gxds_free(ips);
}

bool gxds_args_want_proxies(const gxds_args *args) {
  int wanted;
  return gxds_args_get_int(args, GXDS_HTTP_CONNECT_ARG, &wanted);
}

static const gxds_addresses *priority_list(const gxds_priority *priority, bool with_proxies) {
  return priority ? create_list(priority->localities, priority->locality_count, with_proxies)
                  : create_list(NULL, 0, with_proxies);
}

const gxds_addresses *gxds_locality_addresses(const gxds_locality *locality) {
  return create_list(&locality, 1, true);
}

const gxds_addresses *gxds_priority_addresses(const gxds_priority *priority) {
  return priority_list(priority, true);
}

const gxds_addresses *gxds_locality_addresses_for(const gxds_locality *locality,
                                                  const gxds_args *args) {
  return create_list(&locality, 1, gxds_args_want_proxies(args));
}

const gxds_addresses *gxds_priority_addresses_for(const gxds_priority *priority,
                                                  const gxds_args *args) {
  return priority_list(priority, gxds_args_want_proxies(args));
}

/* Some addresses of another list, in any order. */
typedef struct selection {
  gxds_addresses base;
  const gxds_addresses *from; /* a reference */
  size_t *places;             /* the indexes in from; owned */
} selection;

static void destroy_selection(gxds_addresses *a) {
  selection *s = (selection *)a;
  gxds_addresses_unref(s->from);
  gxds_free(s->places);
  gxds_free(s);
}

static void selection_at(const gxds_addresses *a, size_t index, gxds_lb_address *out) {
  const selection *s = (const selection *)a;
  *out = gxds_addresses_at(s->from, s->places[index]);
}

static void render_selection_key(const gxds_addresses *a, size_t index, gxds_text *out) {
  const selection *s = (const selection *)a;
  gxds_addresses_render_key(s->from, s->places[index], out);
}

static void render_selection_detail(const gxds_addresses *a, size_t index, gxds_text *out) {
  const selection *s = (const selection *)a;
  gxds_addresses_render_detail(s->from, s->places[index], out);
}

const gxds_addresses *gxds_addresses_select(const gxds_addresses *from, size_t *take_places,
                                            size_t count) {
  static const gxds_addresses_ops ops = {destroy_selection, selection_at, render_selection_key,
                                         render_selection_detail, NULL};
  selection *s = GXDS_NEW(selection);
  gxds_ref_init(&s->base.refs);
  s->base.ops = &ops;
  s->base.count = count;
  s->from = gxds_addresses_ref(from);
  s->places = take_places;
  return &s->base;
}
