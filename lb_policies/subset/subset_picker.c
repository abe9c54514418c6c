#include "lb_policies/subset/subset_picker.h"

#include "base/memory.h"

typedef struct slot {
  gxds_metadata_match match; /* an owned text; empty: the slot is free */
  gxds_subset_pick pick;     /* the picker in it is a reference */
} slot;

/* Immutable once it is published. The slots are a hash table with open addressing, at most half
 * full. */
struct gxds_subset_picker {
  gxds_picker base;
  gxds_str cluster;
  gxds_subset_pick otherwise;
  gxds_poker *poker;
  size_t mask;
  slot slots[];
};

/* The slot of the match, or a free slot if there is none. */
static const slot *find(const gxds_subset_picker *p, const gxds_metadata_match *match) {
  size_t at = (size_t)match->hash & p->mask;
  while (p->slots[at].match.text.size > 0 &&
         !gxds_str_equal(p->slots[at].match.text, match->text)) {
    at = (at + 1) & p->mask;
  }
  return &p->slots[at];
}

static gxds_status failure(const gxds_subset_picker *p, const gxds_metadata_match *match) {
  if (!match) {
    return gxds_status_make(GXDS_UNAVAILABLE,
                            "cluster %.*s: its subsets are for RPCs whose route has a "
                            "metadata_match, and its fallback has no endpoints for others",
                            GXDS_STR_ARG(p->cluster));
  }
  return gxds_status_make(GXDS_UNAVAILABLE,
                          "cluster %.*s: no endpoints have the route's metadata_match %.*s, and "
                          "there are none to fall back to",
                          GXDS_STR_ARG(p->cluster), GXDS_STR_ARG(match->text));
}

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  const gxds_subset_picker *p = (const gxds_subset_picker *)base;
  gxds_str cluster;
  const gxds_routed_call *route = gxds_pick_route(call, &cluster);
  const gxds_metadata_match *match = route ? route->match : NULL;
  const gxds_subset_pick *by = &p->otherwise;
  if (match) {
    const slot *s = find(p, match);
    by = &s->pick;
    if (s->match.text.size == 0) gxds_poker_poke(p->poker, 0, match->text);
  }
  switch (by->kind) {
    case GXDS_SUBSET_PICK_WAIT: /* a free slot has this kind too */
      gxds_picked_queue(out);
      return;
    case GXDS_SUBSET_PICK_FAIL:
      gxds_picked_fail(out, failure(p, match));
      return;
    case GXDS_SUBSET_PICK_BY:
      gxds_picker_pick(by->picker, call, out);
      return;
  }
}

static void destroy(gxds_picker *base) {
  gxds_subset_picker *p = (gxds_subset_picker *)base;
  for (size_t i = 0; i <= p->mask; i++) {
    gxds_str_free(&p->slots[i].match.text);
    gxds_picker_unref(p->slots[i].pick.picker);
  }
  gxds_picker_unref(p->otherwise.picker);
  gxds_poker_unref(p->poker);
  gxds_str_free(&p->cluster);
  gxds_free(p);
}

static gxds_subset_pick with_reference(const gxds_subset_pick *pick) {
  gxds_subset_pick copy = *pick;
  if (copy.picker) gxds_picker_ref(copy.picker);
  return copy;
}

gxds_subset_picker *gxds_subset_picker_create(gxds_str cluster, const gxds_subset_pick *otherwise,
                                              size_t count, gxds_poker *poker) {
  static const gxds_picker_ops ops = {pick, destroy};
  size_t slots = 2;
  while (slots < 2 * count) slots *= 2;
  gxds_subset_picker *p = gxds_calloc(1, sizeof *p + slots * sizeof *p->slots);
  gxds_picker_init(&p->base, &ops);
  p->cluster = gxds_str_dup(cluster);
  p->otherwise = with_reference(otherwise);
  p->poker = gxds_poker_ref(poker);
  p->mask = slots - 1;
  return p;
}

void gxds_subset_picker_add(gxds_subset_picker *p, const gxds_metadata_match *match,
                            const gxds_subset_pick *pick_of_it) {
  slot *s = (slot *)find(p, match);
  s->match = (gxds_metadata_match){gxds_str_dup(match->text), match->hash};
  s->pick = with_reference(pick_of_it);
}

gxds_picker *gxds_subset_picker_base(gxds_subset_picker *p) { return &p->base; }
