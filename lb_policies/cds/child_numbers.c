#include "lb_policies/cds/child_numbers.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/search.h"

/* A locality of the old priorities, and the child that served it. */
typedef struct owner {
  const gxds_locality *locality;
  size_t child;
  size_t priority;
  bool taken; /* the child already serves a new priority */
} owner;

typedef struct owners {
  owner *items; /* ordered by the locality's name, each name once */
  size_t count;
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
  owners o = {gxds_calloc(total, sizeof *o.items), 0};
  for (size_t i = 0; i < n->count; i++) {
    const gxds_priority *p = priority_at(before, i);
    for (size_t k = 0; k < p->locality_count; k++) {
      o.items[o.count++] = (owner){p->localities[k], n->numbers[i], i, false};
    }
  }
  qsort(o.items, o.count, sizeof *o.items, compare_owners);
  /* A locality may be in several priorities. Then its owner is the child of the last one. */
  size_t kept = 0;
  for (size_t i = 0; i < o.count; i++) {
    bool again = i + 1 < o.count &&
                 gxds_locality_compare_name(o.items[i].locality, o.items[i + 1].locality) == 0;
    if (!again) o.items[kept++] = o.items[i];
  }
  o.count = kept;
  return o;
}

/* The owner of a locality that is not taken yet, or NULL. */
static owner *find(const owners *o, const gxds_locality *l) {
  const size_t at =
      GXDS_LOWER_BOUND(i, 0, o->count, gxds_locality_compare_name(o->items[i].locality, l) < 0);
  if (at == o->count || o->items[at].taken) return NULL;
  return gxds_locality_compare_name(o->items[at].locality, l) == 0 ? &o->items[at] : NULL;
}

static void take_all(const owners *o, const gxds_priority *p) {
  for (size_t i = 0; i < p->locality_count; i++) {
    owner *found = find(o, p->localities[i]);
    if (found) found->taken = true;
  }
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

static size_t number_for(gxds_child_numbers *n, const owners *o, const gxds_endpoints *before,
                         const gxds_priority *p) {
  for (size_t i = 0; i < p->locality_count; i++) {
    const owner *found = find(o, p->localities[i]);
    if (!found) continue;
    size_t child = found->child;
    size_t was = 0;
    while (n->numbers[was] != child) was++;
    /* Neither the child's old localities nor its new ones may give a child to another priority. */
    take_all(o, priority_at(before, was));
    take_all(o, p);
    return child;
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
    numbers[i] = number_for(n, &o, before, priority_at(after, i));
  }
  gxds_free(o.items);
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
