#include "files/file_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/memory.h"
#include "files/file_reader.h"

#define TYPE_URL "type.googleapis.com/envoy."

const gxds_file_type_info gxds_file_types[GXDS_FILE_TYPE_COUNT] = {
    {TYPE_URL "config.listener.v3.Listener", TYPE_URL "api.v2.Listener", "Listener", "LDS", "name"},
    {TYPE_URL "config.route.v3.RouteConfiguration", TYPE_URL "api.v2.RouteConfiguration",
     "RouteConfiguration", "RDS", "name"},
    {TYPE_URL "config.cluster.v3.Cluster", TYPE_URL "api.v2.Cluster", "Cluster", "CDS", "name"},
    {TYPE_URL "config.endpoint.v3.ClusterLoadAssignment", TYPE_URL "api.v2.ClusterLoadAssignment",
     "ClusterLoadAssignment", "EDS", "cluster_name"},
};

gxds_file_type gxds_file_type_find(gxds_str type_url) {
  int type = 0;
  while (type < GXDS_FILE_TYPE_COUNT &&
         !gxds_str_equal(type_url, gxds_str_z(gxds_file_types[type].type_url))) {
    type++;
  }
  return (gxds_file_type)type;
}

gxds_file_resource *gxds_file_resource_create(gxds_file_type type, gxds_str name, gxds_str bytes) {
  gxds_file_resource *r = gxds_calloc(1, sizeof *r + name.size + bytes.size + 1);
  char *data = (char *)(r + 1);
  gxds_ref_init(&r->refs);
  r->type = type;
  r->name = gxds_str_of(data, name.size);
  if (name.size) memcpy(data, name.data, name.size);
  r->bytes = gxds_str_of(data + name.size + 1, bytes.size);
  if (bytes.size) memcpy(data + name.size + 1, bytes.data, bytes.size);
  r->version = XXH3_64bits(r->bytes.data, bytes.size);
  return r;
}

const gxds_file_resource *gxds_file_resource_ref(const gxds_file_resource *r) {
  gxds_ref_inc(&r->refs);
  return r;
}

void gxds_file_resource_unref(const gxds_file_resource *r) {
  if (r && gxds_ref_dec(&r->refs)) gxds_free((gxds_file_resource *)r);
}

/* By type and name; of one name, the first file and line first. */
static int by_type_and_name(const void *a, const void *b) {
  const gxds_file_entry *x = a;
  const gxds_file_entry *y = b;
  if (x->resource->type != y->resource->type) return x->resource->type < y->resource->type ? -1 : 1;
  int order = gxds_str_compare(x->resource->name, y->resource->name);
  if (order == 0) order = gxds_str_compare(x->file, y->file);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void report_duplicates(const gxds_file_found *found, gxds_file_errors *errors) {
  for (size_t i = 1; i < found->count; i++) {
    const gxds_file_entry *a = &found->entries[i - 1];
    const gxds_file_entry *b = &found->entries[i];
    if (a->resource->type != b->resource->type ||
        !gxds_str_equal(a->resource->name, b->resource->name)) {
      continue;
    }
    const gxds_file_type_info *type = &gxds_file_types[b->resource->type];
    char line[16] = ""; /* a binary file has none */
    if (a->line) snprintf(line, sizeof line, ":%u", (unsigned)a->line);
    errors->file = b->file;
    gxds_file_errors_add(errors, b->line, GXDS_FIELD(NULL, type->name_field),
                         "a %s named \"%.*s\" is in %.*s%s too", type->message,
                         GXDS_STR_ARG(b->resource->name), GXDS_STR_ARG(a->file), line);
  }
}

static void share(gxds_file_found *found, const gxds_file_set *previous) {
  for (size_t i = 0; previous && i < found->count; i++) {
    const gxds_file_resource *r = found->entries[i].resource;
    const gxds_file_entry *old = gxds_file_set_find(previous, r->type, r->name);
    if (!old || !gxds_str_equal(old->resource->bytes, r->bytes)) continue;
    found->entries[i].resource = gxds_file_resource_ref(old->resource);
    gxds_file_resource_unref(r);
  }
}

static uint64_t list_version(const gxds_file_list *list) {
  XXH3_state_t *state = XXH3_createState();
  XXH3_64bits_reset(state);
  for (size_t i = 0; i < list->count; i++) {
    const gxds_file_resource *r = list->entries[i].resource;
    uint64_t words[2] = {r->name.size, r->version};
    XXH3_64bits_update(state, words, sizeof words);
    XXH3_64bits_update(state, r->name.data, r->name.size);
  }
  uint64_t version = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  return version;
}

/* Takes the entries, which are sorted. */
static void fill_lists(gxds_file_set *s, gxds_file_found *found) {
  size_t at = 0;
  for (int type = 0; type < GXDS_FILE_TYPE_COUNT; type++) {
    size_t start = at;
    while (at < found->count && (int)found->entries[at].resource->type == type) at++;
    gxds_file_entry *entries = gxds_calloc(at - start, sizeof *entries);
    if (at > start) memcpy(entries, found->entries + start, (at - start) * sizeof *entries);
    s->types[type] = (gxds_file_list){.entries = entries, .count = at - start};
    s->types[type].version = list_version(&s->types[type]);
  }
  found->count = 0;
}

static int by_name(const void *a, const void *b) {
  return gxds_str_compare((*(const gxds_file_input *const *)a)->name,
                          (*(const gxds_file_input *const *)b)->name);
}

static void read_all(const gxds_schema *schema, const gxds_file_input *files, size_t count,
                     gxds_file_set *s, gxds_file_found *found, gxds_file_errors *errors) {
  const gxds_file_input **sorted = gxds_calloc(count, sizeof(gxds_file_input *));
  for (size_t i = 0; i < count; i++) sorted[i] = &files[i];
  qsort(sorted, count, sizeof(gxds_file_input *), by_name);
  for (size_t i = 0; i < count; i++) {
    s->file_names[i] = gxds_str_dup(sorted[i]->name);
    gxds_file_read(schema, s->file_names[i], sorted[i]->bytes, found, errors);
  }
  gxds_free(sorted);
}

const gxds_file_set *gxds_file_set_build(const gxds_schema *schema, const gxds_file_input *files,
                                         size_t count, const gxds_file_set *previous,
                                         gxds_file_errors *errors) {
  size_t before = errors->count;
  gxds_file_set *s = GXDS_NEW(gxds_file_set);
  gxds_ref_init(&s->refs);
  s->file_names = gxds_calloc(count, sizeof *s->file_names);
  s->file_count = count;
  gxds_file_found found = {0};
  read_all(schema, files, count, s, &found, errors);
  if (found.count) qsort(found.entries, found.count, sizeof *found.entries, by_type_and_name);
  report_duplicates(&found, errors);
  bool ok = errors->count == before;
  if (ok) {
    share(&found, previous);
    fill_lists(s, &found);
  }
  gxds_file_found_fini(&found);
  errors->file = gxds_str_of(NULL, 0); /* it was one of the set's */
  if (ok) return s;
  gxds_file_set_unref(s);
  return NULL;
}

const gxds_file_set *gxds_file_set_of(gxds_file_found *take) {
  gxds_file_set *s = GXDS_NEW(gxds_file_set);
  gxds_ref_init(&s->refs);
  fill_lists(s, take);
  return s;
}

/* The copy of a file's name that the set owns: names are sorted. */
static gxds_str own_name(const gxds_file_set *s, gxds_str name) {
  size_t low = 0;
  size_t high = s->file_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = gxds_str_compare(s->file_names[middle], name);
    if (order == 0) return s->file_names[middle];
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return gxds_str_of(NULL, 0);
}

const gxds_file_set *gxds_file_set_replace(const gxds_file_set *s, const gxds_file_entry *entry,
                                           gxds_str bytes) {
  gxds_file_set *result = GXDS_NEW(gxds_file_set);
  gxds_ref_init(&result->refs);
  result->file_names = gxds_calloc(s->file_count, sizeof *result->file_names);
  result->file_count = s->file_count;
  for (size_t i = 0; i < s->file_count; i++) {
    result->file_names[i] = gxds_str_dup(s->file_names[i]);
  }
  for (int type = 0; type < GXDS_FILE_TYPE_COUNT; type++) {
    const gxds_file_list *from = &s->types[type];
    gxds_file_entry *entries = gxds_calloc(from->count, sizeof *entries);
    for (size_t i = 0; i < from->count; i++) {
      const gxds_file_entry *e = &from->entries[i];
      entries[i].resource =
          e == entry ? gxds_file_resource_create(e->resource->type, e->resource->name, bytes)
                     : gxds_file_resource_ref(e->resource);
      entries[i].file = own_name(result, e->file);
      entries[i].line = e->line;
    }
    result->types[type] = (gxds_file_list){.entries = entries, .count = from->count};
    result->types[type].version = list_version(&result->types[type]);
  }
  return result;
}

const gxds_file_set *gxds_file_set_ref(const gxds_file_set *s) {
  gxds_ref_inc(&s->refs);
  return s;
}

void gxds_file_set_unref(const gxds_file_set *s) {
  if (!s || !gxds_ref_dec(&s->refs)) return;
  for (int type = 0; type < GXDS_FILE_TYPE_COUNT; type++) {
    const gxds_file_list *list = &s->types[type];
    for (size_t i = 0; i < list->count; i++) gxds_file_resource_unref(list->entries[i].resource);
    gxds_free((gxds_file_entry *)list->entries);
  }
  for (size_t i = 0; i < s->file_count; i++) gxds_str_free(&s->file_names[i]);
  gxds_free(s->file_names);
  gxds_free((gxds_file_set *)s);
}

const gxds_file_entry *gxds_file_set_find(const gxds_file_set *s, gxds_file_type type,
                                          gxds_str name) {
  const gxds_file_list *list = &s->types[type];
  size_t low = 0;
  size_t high = list->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = gxds_str_compare(list->entries[middle].resource->name, name);
    if (order == 0) return &list->entries[middle];
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NULL;
}

bool gxds_file_set_equal(const gxds_file_set *a, const gxds_file_set *b) {
  for (int type = 0; type < GXDS_FILE_TYPE_COUNT; type++) {
    const gxds_file_list *x = &a->types[type];
    const gxds_file_list *y = &b->types[type];
    if (x->count != y->count) return false;
    for (size_t i = 0; i < x->count; i++) {
      const gxds_file_resource *r = x->entries[i].resource;
      const gxds_file_resource *other = y->entries[i].resource;
      if (r == other) continue;
      if (!gxds_str_equal(r->name, other->name) || !gxds_str_equal(r->bytes, other->bytes)) {
        return false;
      }
    }
  }
  return true;
}

void gxds_file_version_render(uint64_t version, gxds_text *out) {
  gxds_text_addf(out, "%016llx", (unsigned long long)version);
}
