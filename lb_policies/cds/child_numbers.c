#include "lb_policies/cds/child_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/search.h"

/* A locality of the old priorities. */
typedef struct owner {
  const gxds_locality *locality;
  size_t priority; /* its old priority, whose child served it */
} owner;

/* The localities of the old priorities, and which children still have none of the new ones. */
typedef struct owners {
  owner *items; /* ordered by the locality's name, then by the priority */
  size_t count;
  bool *taken; /* for each old priority: its child already serves a new priority */
} owners;

static const gxds_priority no_localities;

static size_t priority_count(const gxds_endpoints *e) {
  return e && e->priority_count > 0 ? e->priority_count : 1;
}

static const gxds_priority *priority_at(const gxds_endpoints *e, size_t i) {
  return e && i < e->priority_count ? &e->priorities[i] : &no_localities;
}

static int compare_owners(const void *a, const void *b) {
  const owner *x = a;
  const owner *y = b;
  int order = gxds_locality_compare_name(x->locality, y->locality);
  return order ? order : (x->priority > y->priority) - (x->priority < y->priority);
}

static owners owners_of(const gxds_child_numbers *n, const gxds_endpoints *before) {
  size_t total = 0;
  for (size_t i = 0; i < n->count; i++) total += priority_at(before, i)->locality_count;
  owners o = {gxds_calloc(total, sizeof *o.items), 0, gxds_calloc(n->count, sizeof *o.taken)};
  for (size_t i = 0; i < n->count; i++) {
    const gxds_priority *p = priority_at(before, i);
    for (size_t k = 0; k < p->locality_count; k++) {
      o.items[o.count++] = (owner){p->localities[k], i};
    }
  }
  if (o.count) qsort(o.items, o.count, sizeof *o.items, compare_owners);
  return o;
}

static void owners_fini(owners *o) {
  gxds_free(o->items);
  gxds_free(o->taken);
}

/* Whether b has the first or the last endpoint of a. Neither is empty. */
static bool has_an_end_of(const gxds_locality *a, const gxds_locality *b) {
  const gxds_endpoint first = gxds_locality_endpoint(a, 0);
  const gxds_endpoint last = gxds_locality_endpoint(a, a->endpoint_count - 1);
  for (uint32_t i = 0; i < b->endpoint_count; i++) {
    const gxds_endpoint e = gxds_locality_endpoint(b, i);
    if (gxds_address_equal(&e.address, &first.address)) return true;
    if (gxds_address_equal(&e.address, &last.address)) return true;
  }
  return false;
}

/* Whether both have some endpoints in common. Looks only for the ends of each list, so that the
 * time is linear. */
static bool overlap(const gxds_locality *a, const gxds_locality *b) {
  if (a->endpoint_count == 0 || b->endpoint_count == 0) return false;
  return has_an_end_of(a, b) || has_an_end_of(b, a);
}

/* The old priority that the child of a new priority with that locality served, or SIZE_MAX. A
 * locality may be in several priorities. Then the one with the same endpoints counts, or else the
 * first one with some of them, or else the first one. So each of these priorities keeps its child,
 * even if one before it goes. */
static size_t find(const owners *o, const gxds_locality *l) {
  size_t found = SIZE_MAX;
  bool several = false;
  const size_t begin =
      GXDS_LOWER_BOUND(i, 0, o->count, gxds_locality_compare_name(o->items[i].locality, l) < 0);
  size_t end = begin;
  for (; end < o->count && gxds_locality_compare_name(o->items[end].locality, l) == 0; end++) {
    const owner *candidate = &o->items[end];
    if (o->taken[candidate->priority]) continue;
    if (candidate->locality == l) return candidate->priority;
    several = found != SIZE_MAX;
    if (!several) found = candidate->priority;
  }
  for (size_t at = begin; several && at < end; at++) {
    const owner *candidate = &o->items[at];
    if (o->taken[candidate->priority]) continue;
    if (overlap(candidate->locality, l)) return candidate->priority;
  }
  return found;
}

/* --- Children that left --- */

static bool have_common(const gxds_child_left *left, const gxds_priority *p) {
  if (left->locality_count == 0 || p->locality_count == 0) {
    return left->locality_count == p->locality_count;
  }
  size_t i = 0;
  size_t k = 0;
  while (i < left->locality_count && k < p->locality_count) {
    int order = gxds_locality_compare_name(left->localities[i], p->localities[k]);
    if (order == 0) return true;
    if (order < 0) {
      i++;
    } else {
      k++;
    }
  }
  return false;
}

static void forget_left(gxds_child_numbers *n, size_t i) {
  gxds_child_left *left = &n->left[i];
  for (size_t k = 0; k < left->locality_count; k++) gxds_locality_unref(left->localities[k]);
  gxds_free(left->localities);
  n->left_count--;
  memmove(left, left + 1, (n->left_count - i) * sizeof *left);
}

static void add_left(gxds_child_numbers *n, size_t number, const gxds_priority *had) {
  if (!n->left) n->left = gxds_calloc(GXDS_CHILD_NUMBERS_LEFT_MAX, sizeof *n->left);
  if (n->left_count == GXDS_CHILD_NUMBERS_LEFT_MAX) forget_left(n, 0);
  gxds_child_left *left = &n->left[n->left_count++];
  *left = (gxds_child_left){number, gxds_calloc(had->locality_count, sizeof(void *)),
                            had->locality_count};
  for (size_t i = 0; i < had->locality_count; i++) {
    const gxds_locality *l = had->localities[i];
    left->localities[i] = gxds_locality_create(l->region, l->zone, l->sub_zone, l->weight, 0);
  }
}

/* Remembers the children that serve no priority any more. The child of the highest priority is
 * added last, so it is forgotten last. */
static void remember(gxds_child_numbers *n, const gxds_endpoints *before, const size_t *numbers,
                     size_t count) {
  for (size_t i = n->count; i-- > 0;) {
    size_t k = 0;
    while (k < count && numbers[k] != n->numbers[i]) k++;
    if (k == count) add_left(n, n->numbers[i], priority_at(before, i));
  }
}

static size_t number_of_left(gxds_child_numbers *n, const gxds_priority *p) {
  for (size_t i = n->left_count; i-- > 0;) {
    if (!have_common(&n->left[i], p)) continue;
    size_t number = n->left[i].number;
    forget_left(n, i);
    return number;
  }
  return n->next++;
}

static size_t number_for(gxds_child_numbers *n, owners *o, const gxds_priority *p) {
  for (size_t i = 0; i < p->locality_count; i++) {
    const size_t was = find(o, p->localities[i]);
    if (was == SIZE_MAX) continue;
    o->taken[was] = true;
    return n->numbers[was];
  }
  return number_of_left(n, p);
}

/* Whether there were no localities before the update, and are none after it. Then the only child
 * stays. */
static bool stays_empty(const gxds_child_numbers *n, const gxds_endpoints *before,
                        const gxds_endpoints *after) {
  return n->count == 1 && priority_count(after) == 1 &&
         priority_at(before, 0)->locality_count == 0 && priority_at(after, 0)->locality_count == 0;
}

bool gxds_child_numbers_update(gxds_child_numbers *n, const gxds_endpoints *before,
                               const gxds_endpoints *after) {
  if (stays_empty(n, before, after)) return false;
  owners o = owners_of(n, before);
  size_t count = priority_count(after);
  size_t *numbers = gxds_calloc(count, sizeof *numbers);
  for (size_t i = 0; i < count; i++) {
    numbers[i] = number_for(n, &o, priority_at(after, i));
  }
  owners_fini(&o);
  bool changed = count != n->count || memcmp(numbers, n->numbers, count * sizeof *numbers) != 0;
  remember(n, before, numbers, count);
  gxds_free(n->numbers);
  n->numbers = numbers;
  n->count = count;
  return changed;
}

void gxds_child_numbers_forget(gxds_child_numbers *n) {
  while (n->left_count) forget_left(n, n->left_count - 1);
  gxds_free(n->left);
  gxds_free(n->numbers);
  *n = (gxds_child_numbers){.next = n->next};
}

void gxds_child_numbers_fini(gxds_child_numbers *n) {
  gxds_child_numbers_forget(n);
  n->next = 0;
}

void gxds_child_number_render(gxds_str cluster, size_t number, gxds_text *out) {
  gxds_text_add_z(out, "{cluster=");
  gxds_text_add(out, cluster);
  gxds_text_addf(out, ", child_number=%zu}", number);
}
