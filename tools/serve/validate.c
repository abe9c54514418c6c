#include "tools/serve/validate.h"

static bool was_there(const gxds_file_set *previous, const gxds_file_resource *r) {
  const gxds_file_entry *old = previous ? gxds_file_set_find(previous, r->type, r->name) : NULL;
  return old && old->resource == r;
}

void gxds_serve_validate(const gxds_validator *v, const gxds_file_set *set,
                         const gxds_file_set *previous,
                         void (*emit)(void *arg, gxds_serve_event *take_event), void *arg) {
  for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) {
    for (size_t i = 0; i < set->types[t].count; i++) {
      const gxds_file_entry *entry = &set->types[t].entries[i];
      if (was_there(previous, entry->resource)) continue;
      gxds_status status = gxds_validator_check(v, entry->resource, NULL);
      if (gxds_status_is_ok(&status)) continue;
      gxds_serve_event event = {.kind = GXDS_SERVE_WARNING,
                                .type = &gxds_file_types[t],
                                .file = gxds_str_dup(entry->file),
                                .line = entry->line,
                                .detail = status.message};
      gxds_serve_event_add_name(&event, entry->resource->name);
      emit(arg, &event); /* takes the status's message too */
    }
  }
}
