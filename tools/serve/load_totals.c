#include "tools/serve/load_totals.h"

#include "base/memory.h"
#include "base/search.h"

void gxds_load_totals_fini(gxds_load_totals *t) {
  for (size_t i = 0; i < t->count; i++) gxds_str_free(&t->items[i].key);
  gxds_free(t->items);
  *t = (gxds_load_totals){0};
}

/* The first item that does not come before the key. */
static size_t lower_bound(const gxds_load_totals *t, gxds_str key) {
  return GXDS_LOWER_BOUND(i, 0, t->count, gxds_str_compare(t->items[i].key, key) < 0);
}

static void insert(gxds_load_totals *t, size_t at, gxds_str take_key) {
  GXDS_MAKE_ROOM(t->items, t->count, t->capacity, 16);
  memmove(&t->items[at + 1], &t->items[at], (t->count - at) * sizeof *t->items);
  t->items[at] = (gxds_load_total){.key = take_key};
  t->count++;
}

static uint64_t sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

void gxds_load_totals_add(gxds_load_totals *t, gxds_str client, gxds_serve_load *load,
                          size_t limit) {
  gxds_str key = gxds_serve_load_key(client, load);
  size_t at = lower_bound(t, key);
  gxds_load_total none = {0};
  gxds_load_total *total = &none;
  if (at < t->count && gxds_str_equal(t->items[at].key, key)) {
    gxds_str_free(&key);
    total = &t->items[at];
  } else if (t->count < limit) {
    insert(t, at, key);
    total = &t->items[at];
  } else {
    gxds_str_free(&key);
  }
  total->successful = sum(total->successful, load->successful);
  total->error = sum(total->error, load->error);
  total->issued = sum(total->issued, load->issued);
  load->total_successful = total->successful;
  load->total_error = total->error;
  load->total_issued = total->issued;
}
