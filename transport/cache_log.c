#include "transport/cache_log.h"

#include <errno.h>

#include <xxhash.h>

#include "base/hash_table.h"
#include "base/memory.h"

/* Where a record is in the log. */
typedef struct kept {
  gxds_str key; /* the type, a zero byte and the name; owned */
  size_t at;
  size_t size;
  uint64_t content; /* a hash of version and bytes */
  UT_hash_handle hh;
} kept;

struct gxds_cache_log {
  gxds_str target;
  gxds_str origin;
  const gxds_cache_store *store;
  void *arg;
  size_t compact_min;
  bool begun;  /* the store has a header */
  size_t size; /* how many bytes the log has, up to the end of the last whole record */
  size_t live; /* how many bytes the records that are not out of date have */
  kept *records;
  gxds_text read; /* the bytes of the record that was read last */
};

gxds_cache_log *gxds_cache_log_create(gxds_str target, gxds_str origin, size_t compact_min,
                                      const gxds_cache_store *store, void *arg) {
  gxds_cache_log *l = GXDS_NEW(gxds_cache_log);
  l->target = gxds_str_dup(target);
  l->origin = gxds_str_dup(origin);
  l->store = store;
  l->arg = arg;
  l->compact_min = compact_min;
  return l;
}

/* ---- the index ---- */

static gxds_str make_key(gxds_str type, gxds_str name) {
  gxds_text key = {0};
  gxds_text_add(&key, type);
  gxds_text_add(&key, gxds_str_of("", 1));
  gxds_text_add(&key, name);
  return gxds_text_take(&key);
}

static kept *find_kept(const gxds_cache_log *l, gxds_str type, gxds_str name) {
  gxds_str key = make_key(type, name);
  kept *k = NULL;
  HASH_FIND(hh, l->records, key.data, key.size, k);
  gxds_str_free(&key);
  return k;
}

static void drop_kept(gxds_cache_log *l, kept *k) {
  l->live -= k->size;
  HASH_DELETE(hh, l->records, k);
  gxds_str_free(&k->key);
  gxds_free(k);
}

static uint64_t content_of(const gxds_cache_record *r) {
  return XXH3_64bits_withSeed(r->bytes.data ? r->bytes.data : "", r->bytes.size,
                              XXH3_64bits(r->version.data ? r->version.data : "", r->version.size));
}

static void index_record(gxds_cache_log *l, const gxds_cache_record *r, size_t at, size_t size) {
  kept *k = find_kept(l, r->type, r->name);
  if (r->removed) {
    if (k) drop_kept(l, k);
    return;
  }
  if (!k) {
    k = GXDS_NEW(kept);
    k->key = make_key(r->type, r->name);
    HASH_ADD_KEYPTR(hh, l->records, k->key.data, k->key.size, k);
  }
  l->live = l->live - k->size + size;
  k->at = at;
  k->size = size;
  k->content = content_of(r);
}

void gxds_cache_log_clear(gxds_cache_log *l) {
  while (l->records) drop_kept(l, l->records);
  l->size = 0;
  l->begun = false;
}

void gxds_cache_log_destroy(gxds_cache_log *l) {
  if (!l) return;
  gxds_cache_log_clear(l);
  gxds_text_fini(&l->read);
  gxds_str_free(&l->target);
  gxds_str_free(&l->origin);
  gxds_free(l);
}

size_t gxds_cache_log_count(const gxds_cache_log *l) { return HASH_COUNT(l->records); }
size_t gxds_cache_log_size(const gxds_cache_log *l) { return l->size; }

/* ---- reading ---- */

/* Puts all records into the index. Returns the part that ended the reading, which is never OK. */
static gxds_cache_part read_records(gxds_cache_log *l, gxds_str all) {
  gxds_str rest = all;
  gxds_cache_part part = gxds_cache_header_decode(&rest, l->target, l->origin);
  while (part == GXDS_CACHE_PART_OK) {
    l->begun = true;
    l->size = all.size - rest.size;
    gxds_cache_record r;
    part = gxds_cache_record_decode(&rest, &r);
    size_t size = all.size - rest.size - l->size;
    if (part == GXDS_CACHE_PART_OK) index_record(l, &r, l->size, size);
  }
  return part;
}

const char *gxds_cache_log_load(gxds_cache_log *l, gxds_str all, bool *foreign) {
  gxds_cache_log_clear(l);
  gxds_cache_part part = read_records(l, all);
  *foreign = part == GXDS_CACHE_PART_FOREIGN;
  switch (part) {
    case GXDS_CACHE_PART_OK:
    case GXDS_CACHE_PART_END:
    case GXDS_CACHE_PART_CUT: /* a process was killed while it wrote; the next record overwrites the
                                 rest */
      return NULL;
    case GXDS_CACHE_PART_DAMAGED:
    case GXDS_CACHE_PART_VERSION:
    case GXDS_CACHE_PART_FOREIGN:
      break;
  }
  gxds_cache_log_clear(l);
  return part == GXDS_CACHE_PART_DAMAGED ? "it is damaged"
         : *foreign ? "it is of another server, target or node, or no resource cache"
                    : "it is of another version of the format";
}

bool gxds_cache_log_find(gxds_cache_log *l, gxds_str type, gxds_str name, gxds_cache_record *out) {
  const kept *k = find_kept(l, type, name);
  if (!k || !l->store->read(l->arg, k->at, k->size, &l->read)) return false;
  gxds_str bytes = gxds_text_str(&l->read);
  return gxds_cache_record_decode(&bytes, out) == GXDS_CACHE_PART_OK && !out->removed;
}

/* ---- writing ---- */

/* Copies a header and the records that are not out of date into the new log. Sets *size to the size
 * of the header. */
static bool copy_records(gxds_cache_log *l, size_t *size) {
  gxds_text header = {0};
  gxds_cache_header_encode(l->target, l->origin, &header);
  *size = header.size;
  bool ok = l->store->add_anew(l->arg, gxds_text_str(&header));
  gxds_text_fini(&header);
  for (kept *k = l->records; ok && k; k = k->hh.next) {
    ok = l->store->read(l->arg, k->at, k->size, &l->read) &&
         l->store->add_anew(l->arg, gxds_text_str(&l->read));
  }
  return ok;
}

static bool write_anew(gxds_cache_log *l) {
  size_t at = 0;
  if (!l->store->begin_anew(l->arg) || !copy_records(l, &at) || !l->store->end_anew(l->arg)) {
    return false;
  }
  for (kept *k = l->records; k; k = k->hh.next) {
    k->at = at;
    at += k->size;
  }
  l->size = at;
  l->begun = true;
  return true;
}

static bool append(gxds_cache_log *l, const gxds_cache_record *r) {
  gxds_text bytes = {0};
  gxds_cache_record_encode(r, &bytes);
  size_t size = bytes.size;
  bool fits = l->size + size <= GXDS_CACHE_FILE_MAX;
  if (!fits) errno = EFBIG;
  bool ok = fits && l->store->write(l->arg, l->size, gxds_text_str(&bytes));
  gxds_text_fini(&bytes);
  if (!ok) return false;
  index_record(l, r, l->size, size);
  l->size += size;
  return true;
}

bool gxds_cache_log_put(gxds_cache_log *l, const gxds_cache_record *r) {
  const kept *k = find_kept(l, r->type, r->name);
  if (r->removed ? !k : k && k->content == content_of(r)) return true;
  bool ok = (l->begun || write_anew(l)) && append(l, r);
  if (ok && l->size > l->compact_min && l->size / 2 > l->live) ok = write_anew(l);
  return ok;
}
