#include "lb_policies/cluster_impl/locality_slot.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "base/ref.h"

struct gxds_locality_slot {
  gxds_ref refs;
  gxds_str region;
  gxds_str zone;
  gxds_str sub_zone;
  _Atomic(gxds_locality_load *) current; /* one of `held`, or NULL; any thread may read it */
  /* All counters that `current` ever pointed to, each once, with a reference of each. All but the
   * current one are retired. There is one for each combination of LRS server and EDS service that
   * the cluster had while the subchannel existed: hardly ever two. Only under the serializer. */
  gxds_locality_load **held;
  size_t held_count;
  size_t uses; /* only under the serializer */
};

gxds_locality_slot *gxds_locality_slot_create(gxds_str region, gxds_str zone, gxds_str sub_zone) {
  gxds_locality_slot *s = GXDS_NEW(gxds_locality_slot);
  gxds_ref_init(&s->refs);
  s->region = gxds_str_dup(region);
  s->zone = gxds_str_dup(zone);
  s->sub_zone = gxds_str_dup(sub_zone);
  return s;
}

static void release_counters(gxds_locality_slot *s) {
  const gxds_locality_load *current = gxds_locality_slot_load(s);
  for (size_t i = 0; i < s->held_count; i++) {
    if (s->held[i] == current) {
      gxds_locality_load_unref(s->held[i]);
    } else {
      gxds_locality_load_unref_retired(s->held[i]);
    }
  }
  s->held_count = 0;
  atomic_store_explicit(&s->current, NULL, memory_order_release);
}

void gxds_locality_slot_unref(gxds_locality_slot *s) {
  if (!s || !gxds_ref_dec(&s->refs)) return;
  release_counters(s);
  gxds_free(s->held);
  gxds_str_free(&s->region);
  gxds_str_free(&s->zone);
  gxds_str_free(&s->sub_zone);
  gxds_free(s);
}

gxds_locality_slot *gxds_locality_slot_use(gxds_locality_slot *s) {
  s->uses++;
  gxds_ref_inc(&s->refs);
  return s;
}

void gxds_locality_slot_end_use(gxds_locality_slot *s) {
  if (--s->uses == 0) release_counters(s);
  gxds_locality_slot_unref(s);
}

bool gxds_locality_slot_is_unused(const gxds_locality_slot *s) { return s->uses == 0; }

bool gxds_locality_slot_is_of(const gxds_locality_slot *s, gxds_str region, gxds_str zone,
                              gxds_str sub_zone) {
  return gxds_str_equal(s->zone, zone) && gxds_str_equal(s->sub_zone, sub_zone) &&
         gxds_str_equal(s->region, region);
}

/* Takes ownership of the reference. */
static void hold(gxds_locality_slot *s, gxds_locality_load *load) {
  size_t i = 0;
  while (i < s->held_count && s->held[i] != load) i++;
  if (i < s->held_count) {
    gxds_locality_load_unref_retired(load);
  } else {
    s->held = gxds_realloc(s->held, s->held_count + 1, sizeof(gxds_locality_load *));
    s->held[s->held_count++] = load;
  }
}

void gxds_locality_slot_set(gxds_locality_slot *s, gxds_load_store *store,
                            const gxds_bootstrap_server *server, gxds_str cluster,
                            gxds_str eds_service) {
  gxds_locality_load *before = gxds_locality_slot_load(s);
  gxds_locality_load *load = NULL;
  if (store && server) {
    load = gxds_load_store_locality(store, server, cluster, eds_service, s->region, s->zone,
                                    s->sub_zone);
  }
  if (load && load == before) {
    gxds_locality_load_unref(load); /* held already */
    return;
  }
  if (load) hold(s, load);
  atomic_store_explicit(&s->current, load, memory_order_release);
  if (before) gxds_locality_load_retire(before);
}

gxds_locality_load *gxds_locality_slot_load(const gxds_locality_slot *s) {
  return atomic_load_explicit(&s->current, memory_order_acquire);
}
