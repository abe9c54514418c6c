#include "resources/endpoints_known_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/wire.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Field numbers of envoy.config.endpoint.v3.ClusterLoadAssignment. */
enum { kClusterNameField = 1, kEndpointsField = 2 };

static gxds_locality_print print_of(gxds_str field) {
  XXH128_hash_t hash = XXH3_128bits(field.data, field.size);
  return (gxds_locality_print){.low = hash.low64, .high = hash.high64};
}

int gxds_locality_print_compare(const void *a, const void *b) {
  const gxds_locality_print *x = a;
  const gxds_locality_print *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return (x->high > y->high) - (x->high < y->high);
}

gxds_str gxds_endpoints_name_in(gxds_str bytes) {
  return gxds_wire_bytes_at(bytes, kClusterNameField);
}

/* The fingerprints of a resource's localities: *count of them. */
static const gxds_locality_print *prints_of(const gxds_endpoints *e, size_t *count) {
  *count = 0;
  if (!e || !e->has_prints) return NULL;
  for (size_t i = 0; i < e->priority_count; i++) *count += e->priorities[i].locality_count;
  return (const gxds_locality_print *)(e->priorities + e->priority_count);
}

/* The priorities' lists of localities follow each other in one array. The first is not empty. */
static const gxds_locality *locality_of(const gxds_endpoints *e, const gxds_locality_print *print) {
  return e->priorities[0].localities[print->place];
}

static size_t count_localities(gxds_str bytes) {
  size_t count = 0;
  for (gxds_wire_field f; gxds_wire_next(&bytes, &f);) {
    if (f.number == kEndpointsField && f.has_size) count++;
  }
  return count;
}

/* Adds the bytes between two known localities to the rest. */
static void keep(gxds_known_endpoints *k, const char *from, const char *to) {
  if (from == to) return;
  memcpy((char *)k->rest.data + k->rest.size, from, (size_t)(to - from));
  k->rest.size += (size_t)(to - from);
}

gxds_known_endpoints gxds_endpoints_split(gxds_str bytes, const gxds_endpoints *previous,
                                          upb_Arena *scratch) {
  gxds_known_endpoints k = {.rest = bytes};
  const size_t count = count_localities(bytes);
  /* gxds_endpoints_check() refuses that many localities, if the message can be decoded. No memory
   * is allocated for them here. */
  if (count > GXDS_ENDPOINTS_MAX) return k;
  size_t previous_count;
  const gxds_locality_print *previous_prints = prints_of(previous, &previous_count);
  bool *taken = gxds_arena_calloc(scratch, previous_count, sizeof *taken);
  k.localities = gxds_arena_calloc(scratch, previous_count < count ? previous_count : count,
                                   sizeof *k.localities);
  k.prints = gxds_arena_calloc(scratch, count, sizeof *k.prints);
  const char *kept_to = bytes.data;
  gxds_str left = bytes;
  for (gxds_wire_field f; gxds_wire_next(&left, &f);) {
    if (f.number != kEndpointsField || !f.has_size) continue;
    gxds_locality_print print = print_of(f.whole);
    const uint64_t both[] = {print.low, print.high};
    k.seed = XXH3_64bits_withSeed(both, sizeof both, k.seed);
    const gxds_locality_print *same = previous_count > 0
                                          ? bsearch(&print, previous_prints, previous_count,
                                                    sizeof print, gxds_locality_print_compare)
                                          : NULL;
    /* A known locality that occurs again is an error, which is found when it is read. */
    if (!same || taken[same->place]) {
      k.prints[k.print_count++] = print;
      continue;
    }
    if (k.locality_count == 0) k.rest = gxds_str_of(gxds_arena_alloc(scratch, bytes.size), 0);
    taken[same->place] = true;
    k.localities[k.locality_count++] = (gxds_known_locality){locality_of(previous, same), *same};
    keep(&k, kept_to, f.whole.data);
    kept_to = f.whole.data + f.whole.size;
  }
  if (k.locality_count > 0) keep(&k, kept_to, bytes.data + bytes.size);
  return k;
}
