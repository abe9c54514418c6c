#include "lb_policies/subset/subset_endpoints.h"

#include "base/memory.h"

static void unref(const gxds_endpoints *e) {
  if (e) gxds_resource_unref(&e->base);
}

void gxds_subset_endpoints_fini(gxds_subset_endpoints *s) {
  unref(s->part);
  unref(s->all);
}

static bool is_in(const gxds_locality *l, uint32_t index, gxds_str wanted, bool list_as_any) {
  return wanted.size == 0 ||
         gxds_metadata_matches(gxds_locality_metadata(l, index), wanted, list_as_any);
}

bool gxds_subset_exists(const gxds_endpoints *all, gxds_str wanted, const gxds_lb_subsets *rules) {
  for (size_t p = 0; all && p < all->priority_count; p++) {
    for (size_t i = 0; i < all->priorities[p].locality_count; i++) {
      const gxds_locality *l = all->priorities[p].localities[i];
      for (uint32_t k = 0; k < l->endpoint_count; k++) {
        if (is_in(l, k, wanted, rules->list_as_any)) return true;
      }
    }
  }
  return false;
}

/* The weight of a locality in a subset. As in Envoy, this is the number of its endpoints, so that
 * all endpoints weigh the same, unless locality_weight_aware is set. */
static uint32_t weight_of(const gxds_locality *l, size_t count, const gxds_lb_subsets *rules) {
  if (!rules->locality_weight_aware) return (uint32_t)count;
  if (!rules->scale_locality_weight) return l->weight;
  const uint64_t scaled = ((uint64_t)l->weight * count + l->endpoint_count / 2) / l->endpoint_count;
  return scaled > 0 ? (uint32_t)scaled : 1;
}

/* The part of the locality that is in the subset. The caller owns the returned reference. NULL if
 * no endpoint is in the subset. */
static const gxds_locality *filter(const gxds_locality *l, gxds_str wanted,
                                   const gxds_lb_subsets *rules) {
  uint32_t *places = gxds_calloc(l->endpoint_count, sizeof *places);
  size_t count = 0;
  for (uint32_t i = 0; i < l->endpoint_count; i++) {
    if (is_in(l, i, wanted, rules->list_as_any)) places[count++] = i;
  }
  const gxds_locality *result = NULL;
  if (count > 0) {
    const uint32_t weight = weight_of(l, count, rules);
    result = count == l->endpoint_count && weight == l->weight
                 ? gxds_locality_ref(l)
                 : gxds_locality_select(l, places, count, weight);
  }
  gxds_free(places);
  return result;
}

/* ---- what an update changed ---- */

typedef struct locality_change {
  const gxds_locality *before; /* the locality before the update; NULL: it is new */
  gxds_locality_stretch in;    /* the range of endpoints that changed */
} locality_change;

struct gxds_subset_changes {
  const gxds_endpoints *before; /* only compared, never dereferenced */
  locality_change items[];      /* one for each locality after the update, in order */
};

static locality_change compare(const gxds_locality *before, const gxds_locality *after) {
  locality_change c = {.before = before};
  if (before) c.in = gxds_locality_changed(before, after);
  return c;
}

gxds_subset_changes *gxds_subset_changes_create(const gxds_endpoints *before,
                                                const gxds_endpoints *after) {
  size_t count = 0;
  for (size_t p = 0; after && p < after->priority_count; p++) {
    count += after->priorities[p].locality_count;
  }
  gxds_subset_changes *c = gxds_calloc(1, sizeof *c + count * sizeof *c->items);
  c->before = before;
  locality_change *next = c->items;
  for (size_t p = 0; after && p < after->priority_count; p++) {
    for (size_t i = 0; i < after->priorities[p].locality_count; i++) {
      const gxds_locality *l = after->priorities[p].localities[i];
      *next++ = compare(gxds_endpoints_locality(before, p, l), l);
    }
  }
  return c;
}

void gxds_subset_changes_destroy(gxds_subset_changes *c) { gxds_free(c); }

/* ---- updates ---- */

static bool any_in(const gxds_locality *l, uint32_t start, uint32_t end, gxds_str wanted,
                   bool list_as_any) {
  for (uint32_t i = start; i < end; i++) {
    if (is_in(l, i, wanted, list_as_any)) return true;
  }
  return false;
}

/* Whether the subset's part of the locality has not changed. was: the part before; NULL: none. */
static bool is_same(const locality_change *c, const gxds_locality *l, const gxds_locality *was,
                    gxds_str wanted, const gxds_lb_subsets *rules) {
  if (!c->before || any_in(c->before, c->in.start, c->in.end_before, wanted, rules->list_as_any) ||
      any_in(l, c->in.start, c->in.end_after, wanted, rules->list_as_any)) {
    return false;
  }
  return !was || was->weight == weight_of(l, was->endpoint_count, rules);
}

/* The subset's part of the locality: the one before, if it has not changed. change is NULL if the
 * change is not known. The caller owns the returned reference; NULL: the part is empty. */
static const gxds_locality *filter_or_share(const gxds_subset_endpoints *s, size_t priority,
                                            const gxds_locality *l, gxds_str wanted,
                                            const gxds_lb_subsets *rules,
                                            const locality_change *change) {
  const gxds_locality *was = gxds_endpoints_locality(s->part, priority, l);
  if (change && is_same(change, l, was, wanted, rules)) return was ? gxds_locality_ref(was) : NULL;
  const gxds_locality *now = filter(l, wanted, rules);
  if (!now || !was || !gxds_locality_equal(now, was)) return now;
  gxds_locality_unref(now);
  return gxds_locality_ref(was);
}

/* change points to the changes of all localities, in order; NULL if they are not known. Adds the
 * number of the subset's endpoints to *count. */
static const gxds_endpoints *make(const gxds_subset_endpoints *s, const gxds_endpoints *all,
                                  gxds_str wanted, const gxds_lb_subsets *rules,
                                  const locality_change *change, size_t *count) {
  gxds_priority *priorities = gxds_calloc(all->priority_count, sizeof *priorities);
  for (size_t p = 0; p < all->priority_count; p++) {
    const gxds_priority *from = &all->priorities[p];
    const gxds_locality **list = gxds_calloc(from->locality_count, sizeof(const gxds_locality *));
    priorities[p].localities = list;
    for (size_t i = 0; i < from->locality_count; i++) {
      const gxds_locality *l =
          filter_or_share(s, p, from->localities[i], wanted, rules, change ? change++ : NULL);
      if (!l) continue;
      list[priorities[p].locality_count++] = l;
      *count += l->endpoint_count;
    }
  }
  const gxds_endpoints *made = gxds_endpoints_of_priorities(priorities, all->priority_count);
  for (size_t p = 0; p < all->priority_count; p++) gxds_free((void *)priorities[p].localities);
  gxds_free(priorities);
  return made;
}

void gxds_subset_endpoints_update(gxds_subset_endpoints *s, const gxds_endpoints *all,
                                  gxds_str wanted, const gxds_lb_subsets *rules,
                                  const gxds_subset_changes *changes) {
  const bool same_rules = s->all && s->list_as_any == rules->list_as_any &&
                          s->locality_weight_aware == rules->locality_weight_aware &&
                          s->scale_locality_weight == rules->scale_locality_weight;
  if (same_rules && s->all == all) return;
  const bool usable = same_rules && changes && changes->before == s->all;
  gxds_subset_endpoints now = {.locality_weight_aware = rules->locality_weight_aware,
                               .scale_locality_weight = rules->scale_locality_weight,
                               .list_as_any = rules->list_as_any};
  if (all) {
    gxds_resource_ref(&all->base);
    now.all = all;
    now.part = make(s, all, wanted, rules, usable ? changes->items : NULL, &now.count);
  }
  gxds_subset_endpoints_fini(s);
  *s = now;
}
