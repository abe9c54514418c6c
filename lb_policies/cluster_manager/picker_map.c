#include "lb_policies/cluster_manager/picker_map.h"

#include <stddef.h>

#include "base/memory.h"
#include "base/ref.h"

typedef struct entry {
  gxds_ref refs;
  gxds_str name; /* a view of the text below */
  gxds_picker *picker;
  char text[];
} entry;

static void entry_destroy(const void *last) {
  entry *e = (entry *)last;
  gxds_picker_unref(e->picker);
  gxds_free(e);
}

static const gxds_name_map_type type = {offsetof(entry, name), entry_destroy};

const gxds_picker_map *gxds_picker_map_put(const gxds_picker_map *take_m, uint64_t hash,
                                           gxds_str name, gxds_picker *take_picker) {
  entry *e = gxds_calloc(1, sizeof *e + name.size);
  gxds_ref_init(&e->refs);
  if (name.size) memcpy(e->text, name.data, name.size);
  e->name = gxds_str_of(e->text, name.size);
  e->picker = take_picker;
  const gxds_picker_map *out = gxds_name_map_put(take_m, &type, hash, e);
  gxds_name_map_unref(take_m);
  return out;
}

const gxds_picker_map *gxds_picker_map_remove(const gxds_picker_map *take_m, uint64_t hash,
                                              gxds_str name) {
  const gxds_picker_map *out = gxds_name_map_remove(take_m, hash, name);
  gxds_name_map_unref(take_m);
  return out;
}

bool gxds_picker_map_get(const gxds_picker_map *m, uint64_t hash, gxds_str name,
                         gxds_picker **picker) {
  const entry *e = gxds_name_map_get(m, hash, name);
  if (!e) return false;
  *picker = e->picker;
  return true;
}

gxds_status gxds_picker_map_unknown(gxds_str name) {
  return gxds_status_make(GXDS_INTERNAL, "xds cluster manager picker: unknown cluster \"%.*s\"",
                          GXDS_STR_ARG(name));
}
