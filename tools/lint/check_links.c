#include "tools/command/links.h"
#include "tools/lint/check.h"

typedef struct looker {
  const gxds_file_set *set;
  const gxds_file_entry *entry; /* the resource that names others */
  const char *message;          /* the type of that resource */
  gxds_findings *findings;
} looker;

static void look(void *arg, gxds_file_type type, gxds_str name) {
  const looker *l = arg;
  /* No resource of this type is in the files, so they come from elsewhere. */
  if (l->set->types[type].count == 0) return;
  if (gxds_file_set_find(l->set, type, name)) return;
  gxds_str resource =
      gxds_str_format("%s \"%.*s\"", l->message, GXDS_STR_ARG(l->entry->resource->name));
  gxds_str text = gxds_str_format("names the %s \"%.*s\", which is in none of these files",
                                  gxds_file_types[type].message, GXDS_STR_ARG(name));
  gxds_findings_add(l->findings, &(gxds_finding){.kind = GXDS_FINDING_WARNING,
                                                 .file = l->entry->file,
                                                 .line = l->entry->line,
                                                 .resource = resource,
                                                 .text = text});
  gxds_str_free(&resource);
  gxds_str_free(&text);
}

void gxds_lint_links(const gxds_file_set *set, gxds_findings *findings) {
  for (unsigned type = 0; type < GXDS_FILE_TYPE_COUNT; type++) {
    for (size_t i = 0; i < set->types[type].count; i++) {
      const gxds_file_entry *entry = &set->types[type].entries[i];
      looker l = {set, entry, gxds_file_types[type].message, findings};
      gxds_links_each((gxds_file_type)type, entry->resource->name, entry->resource->bytes, look,
                      &l);
    }
  }
}
