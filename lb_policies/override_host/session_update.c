#include "lb_policies/override_host/session_update.h"

#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "lb_policies/endpoint_list/endpoint_list.h"

/* A change of a locality, or of its draining endpoints. One of before and after may be NULL. */
typedef struct change {
  const gxds_locality *before; /* NULL: the locality is new */
  const gxds_locality *after;  /* NULL: the locality was removed */
  gxds_locality_stretch in;    /* the range of endpoints that changed */
  gxds_session_endpoint place; /* the place of `after` in the cluster's endpoints */
} change;

typedef struct table_update {
  const gxds_session_table *from;
  gxds_session_table *to;
  bool all_anew; /* health or http_connect changed, so all endpoints count as changed */
  change *changes;
  size_t count;
  size_t room;
  gxds_session_endpoint *leaving;
} table_update;

/* --- What changed --- */

static void compare(table_update *u, const gxds_locality *before, const gxds_locality *after,
                    size_t priority, size_t locality, bool draining) {
  gxds_locality_stretch in = {0, before ? before->endpoint_count : 0,
                              after ? after->endpoint_count : 0};
  if (!u->all_anew) in = gxds_locality_changed(before, after);
  if (in.start == in.end_before && in.start == in.end_after) return;
  GXDS_MAKE_ROOM(u->changes, u->count, u->room, 8);
  change *c = &u->changes[u->count++];
  memset(c, 0, sizeof *c);
  c->before = before;
  c->after = after;
  c->in = in;
  c->place.draining = draining;
  c->place.priority = (uint32_t)priority;
  c->place.locality = (uint32_t)locality;
}

static void compare_both(table_update *u, const gxds_locality *before, const gxds_locality *after,
                         size_t priority, size_t locality) {
  compare(u, before, after, priority, locality, false);
  const gxds_locality *drained = before ? gxds_locality_draining(before) : NULL;
  const gxds_locality *drains = after ? gxds_locality_draining(after) : NULL;
  if (drained || drains) compare(u, drained, drains, priority, locality, true);
}

static void compare_all(table_update *u, const gxds_endpoints *before,
                        const gxds_endpoints *after) {
  for (size_t p = 0; after && p < after->priority_count; p++) {
    const gxds_priority *all = &after->priorities[p];
    for (size_t i = 0; i < all->locality_count; i++) {
      const gxds_locality *l = all->localities[i];
      compare_both(u, gxds_endpoints_locality(before, p, l), l, p, i);
    }
  }
  for (size_t p = 0; before && p < before->priority_count; p++) {
    const gxds_priority *all = &before->priorities[p];
    for (size_t i = 0; i < all->locality_count; i++) {
      const gxds_locality *l = all->localities[i];
      if (!gxds_endpoints_locality(after, p, l)) compare_both(u, l, NULL, p, i);
    }
  }
}

/* --- Endpoints that leave and that come --- */

static bool may_serve(const gxds_session_table *t, const gxds_locality *l, uint32_t index) {
  return gxds_session_table_source(t)->health & 1u << gxds_locality_endpoint(l, index).health;
}

static void leave(table_update *u, const change *c) {
  for (uint32_t i = c->in.start; c->before && i < c->in.end_before; i++) {
    if (!may_serve(u->from, c->before, i)) continue;
    const gxds_endpoint of = gxds_locality_endpoint(c->before, i);
    gxds_session_endpoint *e = gxds_session_table_find(u->from, &of.address);
    if (!e || --e->times > 0) continue;
    e->leaving = true;
    e->was_in = c->before;
    e->was_at = i;
    e->next_leaving = u->leaving;
    u->leaving = e;
  }
}

/* Whether a connection to the one endpoint also serves as a connection to the other. */
static bool is_reached_alike(const gxds_locality *a, uint32_t i, const gxds_locality *b, uint32_t k,
                             bool http_connect) {
  if (gxds_locality_compare_name(a, b) != 0 ||
      !gxds_str_equal(gxds_locality_hostname(a, i), gxds_locality_hostname(b, k)) ||
      (http_connect && !gxds_str_equal(gxds_locality_proxy(a, i), gxds_locality_proxy(b, k)))) {
    return false;
  }
  const gxds_lb_address one = gxds_locality_address(a, i);
  const gxds_lb_address other = gxds_locality_address(b, k);
  if (one.more_count != other.more_count) return false;
  if (one.more_count == 0) return true; /* equal, because the caller found it by its only address */
  gxds_text of_one = {0};
  gxds_text of_other = {0};
  gxds_lb_address_render_set(&one, &of_one);
  gxds_lb_address_render_set(&other, &of_other);
  const bool same = gxds_str_equal(gxds_text_str(&of_one), gxds_text_str(&of_other));
  gxds_text_fini(&of_one);
  gxds_text_fini(&of_other);
  return same;
}

static void put_at_all_addresses(gxds_session_table *t, const gxds_locality *l, uint32_t index,
                                 gxds_session_endpoint *e) {
  const gxds_lb_address address = gxds_locality_address(l, index);
  for (uint32_t i = 0; i <= address.more_count; i++) {
    gxds_session_table_put(t, gxds_lb_address_ip(&address, i), e);
  }
}

static void come(table_update *u, const change *c) {
  gxds_session_endpoint place = c->place;
  const bool http_connect = gxds_session_table_source(u->to)->http_connect;
  for (uint32_t i = c->in.start; c->after && i < c->in.end_after; i++) {
    if (!may_serve(u->to, c->after, i)) continue;
    const gxds_endpoint of = gxds_locality_endpoint(c->after, i);
    gxds_session_endpoint *e = gxds_session_table_find(u->to, &of.address);
    if (e && (!e->leaving || is_reached_alike(e->was_in, e->was_at, c->after, i, http_connect))) {
      e->leaving = false;
      e->times++;
      e->draining = place.draining;
      e->priority = place.priority;
      e->locality = place.locality;
      e->index = i;
      continue;
    }
    place.index = i;
    place.times = 1;
    e = gxds_session_endpoint_create(&place);
    put_at_all_addresses(u->to, c->after, i, e);
    gxds_session_endpoint_unref(e);
  }
}

static void let_go_of_those_that_left(table_update *u, gxds_session_let_go let_go) {
  for (gxds_session_endpoint *e = u->leaving; e; e = e->next_leaving) {
    if (e->leaving) {
      const gxds_lb_address address = gxds_locality_address(e->was_in, e->was_at);
      for (uint32_t i = 0; i <= address.more_count; i++) {
        gxds_session_table_remove(u->to, gxds_lb_address_ip(&address, i), e);
      }
      if (e->held) let_go.fn(let_go.arg, e->held);
    }
    e->leaving = false;
    e->was_in = NULL;
  }
}

gxds_session_table *gxds_session_table_update(const gxds_session_table *before,
                                              const gxds_session_source *of, uint64_t seed,
                                              gxds_session_let_go let_go) {
  table_update u = {.from = before};
  const gxds_endpoints *endpoints_before = NULL;
  if (before) {
    const gxds_session_source *was = gxds_session_table_source(before);
    endpoints_before = was->endpoints;
    u.all_anew = was->health != of->health || was->http_connect != of->http_connect;
    u.to = gxds_session_table_copy(before, of);
  } else {
    u.to = gxds_session_table_create(of, gxds_endpoints_count(of->endpoints), seed);
  }
  compare_all(&u, endpoints_before, of->endpoints);
  for (size_t i = 0; i < u.count; i++) leave(&u, &u.changes[i]);
  for (size_t i = 0; i < u.count; i++) come(&u, &u.changes[i]);
  let_go_of_those_that_left(&u, let_go);
  gxds_free(u.changes);
  return gxds_session_table_fit(u.to);
}

/* --- Where endpoints are --- */

static bool has_address(const gxds_locality *l, uint32_t index, const gxds_address *address) {
  const gxds_lb_address all = gxds_locality_address(l, index);
  for (uint32_t i = 0; i <= all.more_count; i++) {
    const gxds_address *a = gxds_lb_address_ip(&all, i);
    if (a->port == address->port && a->is_ipv6 == address->is_ipv6 &&
        memcmp(a->ip, address->ip, sizeof a->ip) == 0) {
      return true;
    }
  }
  return false;
}

/* Searches l for the address, starting at the index `near` and going in both directions, because
 * added and removed endpoints may have moved it. Sets *index. */
static bool is_in(const gxds_locality *l, uint32_t near, const gxds_address *address,
                  uint32_t *index) {
  if (!l || l->endpoint_count == 0) return false;
  const uint32_t end = l->endpoint_count;
  if (near >= end) near = end - 1;
  for (uint32_t distance = 0; distance < end; distance++) {
    if (distance <= near && has_address(l, near - distance, address)) {
      *index = near - distance;
      return true;
    }
    if (distance < end - near && has_address(l, near + distance, address)) {
      *index = near + distance;
      return true;
    }
  }
  return false;
}

static const gxds_locality *locality_of(const gxds_endpoints *endpoints,
                                        const gxds_session_endpoint *e) {
  if (e->priority >= endpoints->priority_count) return NULL;
  const gxds_priority *p = &endpoints->priorities[e->priority];
  if (e->locality >= p->locality_count) return NULL;
  const gxds_locality *l = p->localities[e->locality];
  return e->draining ? gxds_locality_draining(l) : l;
}

bool gxds_session_table_locate(const gxds_session_table *t, const gxds_session_endpoint *e,
                               const gxds_address *address, const gxds_locality **locality,
                               uint32_t *index) {
  const gxds_endpoints *endpoints = gxds_session_table_source(t)->endpoints;
  if (!endpoints) return false;
  *locality = locality_of(endpoints, e);
  if (is_in(*locality, e->index, address, index)) return true;
  for (size_t p = 0; p < endpoints->priority_count; p++) {
    const gxds_priority *all = &endpoints->priorities[p];
    for (size_t i = 0; i < all->locality_count; i++) {
      *locality = all->localities[i];
      if (is_in(*locality, 0, address, index)) return true;
      *locality = gxds_locality_draining(all->localities[i]);
      if (is_in(*locality, 0, address, index)) return true;
    }
  }
  return false;
}

void gxds_session_table_forget(gxds_session_table *t, const gxds_address *address) {
  const gxds_session_endpoint *e = gxds_session_table_find(t, address);
  const gxds_locality *l;
  uint32_t index;
  GXDS_CHECK(e && gxds_session_table_locate(t, e, address, &l, &index));
  gxds_session_endpoint *other = gxds_session_endpoint_create(e);
  put_at_all_addresses(t, l, index, other);
  gxds_session_endpoint_unref(other);
}
