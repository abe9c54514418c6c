#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"
#include "base/search.h"
#include "resources/route_config_internal.h"

gxds_virtual_host_print gxds_virtual_host_print_of(gxds_str bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data, bytes.size);
  return (gxds_virtual_host_print){hash.low64, hash.high64, bytes.size};
}

gxds_virtual_host_body *gxds_virtual_host_body_create(const gxds_virtual_host_print *print) {
  upb_Arena *arena = gxds_arena_create();
  gxds_virtual_host_body *b = gxds_arena_calloc(arena, 1, sizeof *b);
  gxds_ref_init(&b->refs);
  b->arena = arena;
  b->print = *print;
  b->view.body = b;
  return b;
}

void gxds_virtual_host_body_unref(const gxds_virtual_host_body *b) {
  if (!b || !gxds_ref_dec(&b->refs)) return;
  gxds_free((gxds_route *)b->view.routes);
  upb_Arena_Free(b->arena);
}

static int compare(const gxds_virtual_host_print *a, const gxds_virtual_host_print *b) {
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return (a->size > b->size) - (a->size < b->size);
}

bool gxds_virtual_host_equal(const gxds_virtual_host *a, const gxds_virtual_host *b) {
  if (a == b) return true;
  if (!a || !b || !a->body || !b->body) return false;
  if (a->body == b->body) return true;
  if (a->body->needs_trust && a->body->trusted != b->body->trusted) return false;
  if (a->body->needs_subsets && a->body->subsets != b->body->subsets) return false;
  /* Plugins of the same name may differ between two resources. */
  return !a->body->uses_plugins && compare(&a->body->print, &b->body->print) == 0;
}

static int compare_hosts(const void *a, const void *b) {
  const gxds_virtual_host *x = *(const gxds_virtual_host *const *)a;
  const gxds_virtual_host *y = *(const gxds_virtual_host *const *)b;
  return compare(&x->body->print, &y->body->print);
}

static void sort(gxds_virtual_host_finder *f) {
  size_t count = f->previous->virtual_host_count;
  f->sorted = gxds_arena_calloc(f->scratch, count, sizeof(const gxds_virtual_host *));
  for (size_t i = 0; i < count; i++) f->sorted[i] = &f->previous->virtual_hosts[i];
  if (count > 1) qsort(f->sorted, count, sizeof(const gxds_virtual_host *), compare_hosts);
}

static const gxds_virtual_host *find_anywhere(gxds_virtual_host_finder *f,
                                              const gxds_virtual_host_print *print) {
  if (!f->sorted) sort(f);
  const size_t count = f->previous->virtual_host_count;
  const size_t at = GXDS_LOWER_BOUND(i, 0, count, compare(&f->sorted[i]->body->print, print) < 0);
  return at < count && compare(&f->sorted[at]->body->print, print) == 0 ? f->sorted[at] : NULL;
}

const gxds_virtual_host *gxds_virtual_host_finder_find(gxds_virtual_host_finder *f,
                                                       const gxds_virtual_host_print *print) {
  if (!f->previous) return NULL;
  const gxds_virtual_host *hosts = f->previous->virtual_hosts;
  const gxds_virtual_host *found = NULL;
  if (f->expected < f->previous->virtual_host_count &&
      compare(print, &hosts[f->expected].body->print) == 0) {
    found = &hosts[f->expected];
  } else {
    found = find_anywhere(f, print);
  }
  if (!found) {
    f->expected++; /* most likely the virtual host at this index has changed */
    return NULL;
  }
  f->expected = (size_t)(found - hosts) + 1;
  if (found->body->uses_plugins && !f->same_remainder) return NULL;
  /* A81: a virtual host that was decoded for a trusted server is not shared with the resource of a
   * server that is not trusted, and the other way round. */
  if (found->body->needs_trust && found->body->trusted != f->trusted) return NULL;
  if (found->body->needs_subsets && found->body->subsets != f->subsets) return NULL;
  return found;
}
