#include "files/file_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/memory.h"
#include "base/search.h"
#include "files/file_reader.h"
#include "xds_client/resource_name.h"

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

/* Copies s to *data, and moves *data behind the copy. */
static gxds_str put(char **data, gxds_str s) {
  gxds_str copy = gxds_str_of(*data, s.size);
  if (s.size) memcpy(*data, s.data, s.size);
  *data += s.size;
  return copy;
}

/* A47: the canonical form of a name, because a resource's name may be spelt in several ways. A text
 * that is not a valid name stays as it is; later checks refuse it. */
static gxds_str canonical(gxds_resource_name *n, gxds_file_type type, gxds_str text) {
  gxds_str url = gxds_str_z(gxds_file_types[type].type_url);
  if (gxds_resource_name_init(n, text, url)) return n->canonical;
  *n = (gxds_resource_name){0};
  return text;
}

static gxds_file_resource *create_canonical(gxds_file_type type, gxds_str name, gxds_str bytes,
                                            const gxds_str *aliases, size_t alias_count) {
  size_t size = name.size + bytes.size + 1;
  for (size_t i = 0; i < alias_count; i++) size += sizeof *aliases + aliases[i].size;
  gxds_file_resource *r = gxds_calloc(1, sizeof *r + size);
  gxds_str *names = (gxds_str *)(r + 1);
  char *data = (char *)(names + alias_count);
  gxds_ref_init(&r->refs);
  r->type = type;
  r->name = put(&data, name);
  data++; /* a terminator */
  r->bytes = put(&data, bytes);
  r->version = XXH3_64bits(r->bytes.data, bytes.size);
  for (size_t i = 0; i < alias_count; i++) {
    names[i] = put(&data, aliases[i]);
    r->version = XXH3_64bits_withSeed(names[i].data, names[i].size, r->version);
  }
  r->aliases = names;
  r->alias_count = alias_count;
  return r;
}

gxds_file_resource *gxds_file_resource_create(gxds_file_type type, gxds_str name, gxds_str bytes,
                                              const gxds_str *aliases, size_t alias_count) {
  gxds_resource_name *names = gxds_calloc(alias_count + 1, sizeof *names);
  gxds_str *texts = gxds_calloc(alias_count + 1, sizeof *texts);
  for (size_t i = 0; i < alias_count; i++) texts[i] = canonical(&names[i], type, aliases[i]);
  texts[alias_count] = canonical(&names[alias_count], type, name);
  gxds_file_resource *r = create_canonical(type, texts[alias_count], bytes, texts, alias_count);
  for (size_t i = 0; i <= alias_count; i++) gxds_resource_name_fini(&names[i]);
  gxds_free(names);
  gxds_free(texts);
  return r;
}

const gxds_file_resource *gxds_file_resource_ref(const gxds_file_resource *r) {
  gxds_ref_inc(&r->refs);
  return r;
}

void gxds_file_resource_unref(const gxds_file_resource *r) {
  if (r && gxds_ref_dec(&r->refs)) gxds_free((gxds_file_resource *)r);
}

/* Orders by type and name, and entries of the same name by file and line. */
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
    char line[16] = ""; /* a binary file has no lines */
    if (a->line) snprintf(line, sizeof line, ":%u", (unsigned)a->line);
    errors->file = b->file;
    gxds_file_errors_add(errors, b->line, GXDS_FIELD(NULL, type->name_field),
                         "a %s named \"%.*s\" is in %.*s%s too", type->message,
                         GXDS_STR_ARG(b->resource->name), GXDS_STR_ARG(a->file), line);
  }
}

/* A name or an alias of a resource. */
typedef struct some_name {
  gxds_str text;
  const gxds_file_entry *entry;
  bool alias;
} some_name;

/* Orders by type and text. Of equal texts, names come before aliases, and both are in the order of
 * the entries. */
static int by_type_and_text(const void *a, const void *b) {
  const some_name *x = a;
  const some_name *y = b;
  gxds_file_type type = x->entry->resource->type;
  if (type != y->entry->resource->type) return type < y->entry->resource->type ? -1 : 1;
  int order = gxds_str_compare(x->text, y->text);
  if (order == 0) order = (int)x->alias - (int)y->alias;
  return order ? order : (x->entry > y->entry) - (x->entry < y->entry);
}

/* Reports each alias that is also the name of a resource, or occurs twice. */
static void report_clashes(const gxds_file_found *found, gxds_file_errors *errors) {
  size_t aliases = 0;
  for (size_t i = 0; i < found->count; i++) aliases += found->entries[i].resource->alias_count;
  if (aliases == 0) return;
  some_name *names = gxds_calloc(found->count + aliases, sizeof *names);
  size_t count = 0;
  for (size_t i = 0; i < found->count; i++) {
    const gxds_file_entry *e = &found->entries[i];
    names[count++] = (some_name){e->resource->name, e, false};
    for (size_t k = 0; k < e->resource->alias_count; k++) {
      gxds_str alias = e->resource->aliases[k];
      /* An alias equal to the resource's own name is redundant, but harmless. */
      if (gxds_str_equal(alias, e->resource->name)) continue;
      names[count++] = (some_name){alias, e, true};
    }
  }
  qsort(names, count, sizeof *names, by_type_and_text);
  for (size_t i = 1; i < count; i++) {
    const gxds_file_resource *a = names[i - 1].entry->resource;
    const gxds_file_resource *b = names[i].entry->resource;
    if (!names[i].alias || a->type != b->type || !gxds_str_equal(names[i - 1].text, names[i].text))
      continue;
    errors->file = names[i].entry->file;
    gxds_file_errors_add(errors, names[i].entry->line, GXDS_FIELD(NULL, "aliases"),
                         "\"%.*s\" stands for the %s \"%.*s\" too", GXDS_STR_ARG(names[i].text),
                         gxds_file_types[a->type].message, GXDS_STR_ARG(a->name));
  }
  gxds_free(names);
}

static bool same_resource(const gxds_file_resource *a, const gxds_file_resource *b) {
  return a == b || (gxds_str_equal(a->name, b->name) && gxds_str_equal(a->bytes, b->bytes) &&
                    gxds_strs_equal(a->aliases, a->alias_count, b->aliases, b->alias_count));
}

static void share(gxds_file_found *found, const gxds_file_set *previous) {
  for (size_t i = 0; previous && i < found->count; i++) {
    const gxds_file_resource *r = found->entries[i].resource;
    const gxds_file_entry *old = gxds_file_set_find(previous, r->type, r->name);
    if (!old || !same_resource(old->resource, r)) continue;
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

static void index_aliases(gxds_file_list *list) {
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) count += list->entries[i].resource->alias_count;
  if (count == 0) return;
  gxds_file_alias *aliases = gxds_calloc(count, sizeof *aliases);
  size_t out = 0;
  for (size_t i = 0; i < list->count; i++) {
    const gxds_file_resource *r = list->entries[i].resource;
    for (size_t k = 0; k < r->alias_count; k++) {
      aliases[out++] = (gxds_file_alias){r->aliases[k], i};
    }
  }
  qsort(aliases, count, sizeof *aliases, gxds_str_compare_items);
  list->aliases = aliases;
  list->alias_count = count;
}

/* Takes ownership of the entries. */
static gxds_file_list make_list(gxds_file_entry *entries, size_t count) {
  gxds_file_list list = {.entries = entries, .count = count};
  index_aliases(&list);
  list.version = list_version(&list);
  return list;
}

/* Takes ownership of the entries, which are sorted. */
static void fill_lists(gxds_file_set *s, gxds_file_found *found) {
  size_t at = 0;
  for (int type = 0; type < GXDS_FILE_TYPE_COUNT; type++) {
    size_t start = at;
    while (at < found->count && (int)found->entries[at].resource->type == type) at++;
    gxds_file_entry *entries = gxds_calloc(at - start, sizeof *entries);
    if (at > start) memcpy(entries, found->entries + start, (at - start) * sizeof *entries);
    s->types[type] = make_list(entries, at - start);
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
  report_clashes(&found, errors);
  bool ok = errors->count == before;
  if (ok) {
    share(&found, previous);
    fill_lists(s, &found);
  }
  gxds_file_found_fini(&found);
  errors->file = gxds_str_of(NULL, 0); /* errors->file was borrowed from the set */
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

/* The set's own copy of a file's name. The names are sorted. */
static gxds_str own_name(const gxds_file_set *s, gxds_str name) {
  const size_t at =
      GXDS_LOWER_BOUND(i, 0, s->file_count, gxds_str_compare(s->file_names[i], name) < 0);
  const bool is_there = at < s->file_count && gxds_str_equal(s->file_names[at], name);
  return is_there ? s->file_names[at] : gxds_str_of(NULL, 0);
}

const gxds_file_set *gxds_file_set_replace(const gxds_file_set *s, const gxds_file_entry *entry,
                                           gxds_str bytes) {
  gxds_file_set *result = GXDS_NEW(gxds_file_set);
  gxds_ref_init(&result->refs);
  result->file_names = gxds_strs_dup(s->file_names, s->file_count);
  result->file_count = s->file_count;
  for (int type = 0; type < GXDS_FILE_TYPE_COUNT; type++) {
    const gxds_file_list *from = &s->types[type];
    gxds_file_entry *entries = gxds_calloc(from->count, sizeof *entries);
    for (size_t i = 0; i < from->count; i++) {
      const gxds_file_entry *e = &from->entries[i];
      const gxds_file_resource *r = e->resource;
      entries[i].resource = e == entry ? gxds_file_resource_create(r->type, r->name, bytes,
                                                                   r->aliases, r->alias_count)
                                       : gxds_file_resource_ref(r);
      entries[i].file = own_name(result, e->file);
      entries[i].line = e->line;
    }
    result->types[type] = make_list(entries, from->count);
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
    gxds_free((gxds_file_alias *)list->aliases);
  }
  gxds_strs_free(s->file_names, s->file_count);
  gxds_free((gxds_file_set *)s);
}

static const gxds_file_entry *find(const gxds_file_set *s, gxds_file_type type, gxds_str name) {
  const gxds_file_list *list = &s->types[type];
  const size_t at = GXDS_LOWER_BOUND(i, 0, list->count,
                                     gxds_str_compare(list->entries[i].resource->name, name) < 0);
  const bool is_there = at < list->count && gxds_str_equal(list->entries[at].resource->name, name);
  return is_there ? &list->entries[at] : NULL;
}

const gxds_file_entry *gxds_file_set_find(const gxds_file_set *s, gxds_file_type type,
                                          gxds_str name) {
  gxds_resource_name n;
  const gxds_file_entry *entry = find(s, type, canonical(&n, type, name));
  gxds_resource_name_fini(&n);
  return entry;
}

static const gxds_file_entry *find_alias(const gxds_file_set *s, gxds_file_type type,
                                         gxds_str name) {
  const gxds_file_list *list = &s->types[type];
  if (list->alias_count == 0) return NULL;
  const gxds_file_alias *found = bsearch(&name, list->aliases, list->alias_count,
                                         sizeof *list->aliases, gxds_str_compare_items);
  return found ? &list->entries[found->index] : NULL;
}

const gxds_file_entry *gxds_file_set_find_by_any_name(const gxds_file_set *s, gxds_file_type type,
                                                      gxds_str name) {
  gxds_resource_name n;
  gxds_str text = canonical(&n, type, name);
  const gxds_file_entry *entry = find(s, type, text);
  if (!entry) entry = find_alias(s, type, text);
  gxds_resource_name_fini(&n);
  return entry;
}

bool gxds_file_set_equal(const gxds_file_set *a, const gxds_file_set *b) {
  for (int type = 0; type < GXDS_FILE_TYPE_COUNT; type++) {
    const gxds_file_list *x = &a->types[type];
    const gxds_file_list *y = &b->types[type];
    if (x->count != y->count) return false;
    for (size_t i = 0; i < x->count; i++) {
      if (!same_resource(x->entries[i].resource, y->entries[i].resource)) return false;
    }
  }
  return true;
}

void gxds_file_version_render(uint64_t version, gxds_text *out) {
  gxds_text_addf(out, "%016llx", (unsigned long long)version);
}
