#include "tools/serve/changes.h"

#include "base/memory.h"
#include "xds_client/resource_name.h"

static void add(gxds_set_changes *c, size_t *capacity, gxds_changed_name name) {
  GXDS_MAKE_ROOM(c->items, c->count, *capacity, 8);
  c->items[c->count++] = name;
}

static void add_aliases(gxds_set_changes *c, size_t *capacity, const gxds_file_resource *r) {
  for (size_t i = 0; r && i < r->alias_count; i++) {
    add(c, capacity, (gxds_changed_name){.name = r->aliases[i], .alias = true});
    c->any_gone = true; /* one of these aliases may be gone */
  }
}

/* Adds the change of a name's resource from `was` to `is`. Either may be NULL. */
static void add_change(gxds_set_changes *c, size_t *capacity, const gxds_file_resource *was,
                       const gxds_file_resource *is) {
  if (was == is) return; /* the same pointer, because sets share unchanged resources */
  if (!is) c->any_gone = true;
  add(c, capacity, (gxds_changed_name){.name = is ? is->name : was->name, .gone = !is});
  add_aliases(c, capacity, was);
  add_aliases(c, capacity, is);
}

void gxds_set_changes_init(gxds_set_changes *c, const gxds_file_set *old, const gxds_file_set *set,
                           gxds_file_type type) {
  *c = (gxds_set_changes){.all = old == NULL};
  if (!old || old->types[type].version == set->types[type].version) return;
  const gxds_file_list *a = &old->types[type];
  const gxds_file_list *b = &set->types[type];
  size_t capacity = 0;
  size_t i = 0;
  size_t j = 0;
  while (i < a->count || j < b->count) {
    const gxds_file_resource *was = i < a->count ? a->entries[i].resource : NULL;
    const gxds_file_resource *is = j < b->count ? b->entries[j].resource : NULL;
    const int order = !was ? 1 : !is ? -1 : gxds_str_compare(was->name, is->name);
    add_change(c, &capacity, order <= 0 ? was : NULL, order >= 0 ? is : NULL);
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
}

void gxds_set_changes_fini(gxds_set_changes *c) {
  gxds_free(c->items);
  *c = (gxds_set_changes){0};
}

bool gxds_name_is_canonical(gxds_file_type type, gxds_str name) {
  gxds_resource_name n;
  if (!gxds_resource_name_init(&n, name, gxds_str_z(gxds_file_types[type].type_url))) return true;
  const bool same = gxds_str_equal(n.canonical, name);
  gxds_resource_name_fini(&n);
  return same;
}
