#include "lb_policies/cluster_manager/route_picker.h"

#include <stdatomic.h>

#include "base/memory.h"

/* How many clusters' pickers are remembered, so that a pick finds them without a look-up in the
 * map. The clusters of a channel have consecutive numbers, so few of them share a place. */
#define KNOWN 8
/* Marks a place that a thread is writing. No cluster has this number. */
#define BUSY UINT64_MAX

/* A cluster that was looked up. It is written only once. */
typedef struct known {
  _Atomic uint64_t id; /* 0: none yet */
  gxds_picker *picker; /* borrowed from the map */
} known;

typedef struct route_picker {
  gxds_picker base;
  const gxds_picker_map *map;
  gxds_poker *poker;
  _Atomic uint64_t requested; /* the hash of the name of the last poke */
  known known[KNOWN];
} route_picker;

static void remember(route_picker *p, uint64_t id, gxds_picker *picker) {
  known *k = &p->known[id % KNOWN];
  uint64_t none = 0;
  if (!atomic_compare_exchange_strong_explicit(&k->id, &none, BUSY, memory_order_relaxed,
                                               memory_order_relaxed)) {
    return;
  }
  k->picker = picker;
  atomic_store_explicit(&k->id, id, memory_order_release);
}

/* A31: an RPC to a cluster that is not known is dropped, because it would wait in vain, even if it
 * waits for ready. */
static void drop_unknown(gxds_str cluster, gxds_picked *out) {
  gxds_picked_drop(out, gxds_picker_map_unknown(cluster));
}

/* An RPC without a route began while the channel had no routes, because the listener or the routes
 * could not be used. The host does not route it again, so it would wait in vain too. */
static void drop_unrouted(gxds_picked *out) {
  gxds_picked_drop(out, gxds_status_make(GXDS_UNAVAILABLE,
                                         "the RPC has no route, because it began while the channel "
                                         "had no xDS configuration that could be used"));
}

/* Not inlined, because most picks do not need this function. */
__attribute__((noinline)) static void pick_by_name(route_picker *p, const gxds_pick *call,
                                                   uint64_t id, gxds_str cluster,
                                                   gxds_picked *out) {
  const uint64_t hash = gxds_name_map_hash(cluster);
  gxds_picker *child;
  if (!gxds_picker_map_get(p->map, hash, cluster, &child)) {
    drop_unknown(cluster, out);
    return;
  }
  if (child) {
    remember(p, id, child);
    gxds_picker_pick(child, call, out);
    return;
  }
  if (atomic_exchange_explicit(&p->requested, hash, memory_order_relaxed) != hash) {
    gxds_poker_poke(p->poker, 0, cluster);
  }
  gxds_picked_queue(out);
}

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  route_picker *p = (route_picker *)base;
  gxds_str cluster = {NULL, 0};
  const gxds_routed_call *route = gxds_pick_route(call, &cluster);
  if (!route) {
    drop_unrouted(out);
    return;
  }
  const uint64_t id = route->cluster_id;
  known *k = &p->known[id % KNOWN];
  if (atomic_load_explicit(&k->id, memory_order_acquire) == id) {
    gxds_picker_pick(k->picker, call, out);
  } else {
    pick_by_name(p, call, id, cluster, out);
  }
}

static void destroy(gxds_picker *base) {
  route_picker *p = (route_picker *)base;
  gxds_name_map_unref(p->map);
  gxds_poker_unref(p->poker);
  gxds_free(p);
}

gxds_picker *gxds_route_picker_create(const gxds_picker_map *map, gxds_poker *poker) {
  static const gxds_picker_ops ops = {pick, destroy};
  route_picker *p = GXDS_NEW(route_picker);
  gxds_picker_init(&p->base, &ops);
  p->map = gxds_name_map_ref(map);
  p->poker = gxds_poker_ref(poker);
  return &p->base;
}
