#include "tools/lint/findings.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/utf8.h"

void gxds_findings_fini(gxds_findings *f) {
  for (size_t i = 0; i < f->count; i++) {
    gxds_str_free(&f->items[i].file);
    gxds_str_free(&f->items[i].resource);
    gxds_str_free(&f->items[i].field);
    gxds_str_free(&f->items[i].text);
  }
  gxds_free(f->items);
  *f = (gxds_findings){0};
}

void gxds_findings_add(gxds_findings *f, const gxds_finding *borrowed) {
  f->items = gxds_realloc(f->items, f->count + 1, sizeof *f->items);
  f->items[f->count++] = (gxds_finding){.kind = borrowed->kind,
                                        .file = gxds_str_dup(borrowed->file),
                                        .line = borrowed->line,
                                        .resource = gxds_str_dup(borrowed->resource),
                                        .field = gxds_str_dup(borrowed->field),
                                        .text = gxds_str_dup(borrowed->text)};
  f->errors += borrowed->kind == GXDS_FINDING_ERROR;
}

void gxds_findings_warn(gxds_findings *f, gxds_str file, uint32_t line, gxds_str resource,
                        const gxds_path *at, const char *text) {
  gxds_text field = {0};
  gxds_path_render(at, &field);
  gxds_findings_add(f, &(gxds_finding){.kind = GXDS_FINDING_WARNING,
                                       .file = file,
                                       .line = line,
                                       .resource = resource,
                                       .field = gxds_text_str(&field),
                                       .text = gxds_str_z(text)});
  gxds_text_fini(&field);
}

static int compare(const void *a, const void *b) {
  const gxds_finding *x = a;
  const gxds_finding *y = b;
  int order = gxds_str_compare(x->file, y->file);
  if (order != 0) return order;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  return x->place < y->place ? -1 : 1;
}

void gxds_findings_sort(gxds_findings *f) {
  for (size_t i = 0; i < f->count; i++) f->items[i].place = i;
  if (f->count) qsort(f->items, f->count, sizeof *f->items, compare);
}

static const char *kind_name(gxds_finding_kind kind) {
  return kind == GXDS_FINDING_ERROR ? "error" : "warning";
}

void gxds_finding_render_text(const gxds_finding *f, bool colours, gxds_text *out) {
  const char *colour = f->kind == GXDS_FINDING_ERROR ? "\033[1;31m" : "\033[1;33m";
  gxds_text_add_escaped(out, f->file);
  if (f->line) gxds_text_addf(out, ":%u", f->line);
  gxds_text_addf(out, ": %s%s%s: ", colours ? colour : "", kind_name(f->kind),
                 colours ? "\033[0m" : "");
  if (f->resource.size) {
    gxds_text_add_escaped(out, f->resource);
    gxds_text_add_z(out, ": ");
  }
  if (f->field.size) {
    gxds_text_add_z(out, "field ");
    gxds_text_add_escaped(out, f->field);
    gxds_text_add_z(out, ": ");
  }
  gxds_text_add_escaped(out, f->text);
}

void gxds_finding_render_json(const gxds_finding *f, gxds_text *out) {
  gxds_text_addf(out, "{\"severity\":\"%s\"", kind_name(f->kind));
  gxds_utf8_add_member_if_any(out, "file", f->file);
  if (f->line) gxds_text_addf(out, ",\"line\":%u", f->line);
  gxds_utf8_add_member_if_any(out, "resource", f->resource);
  gxds_utf8_add_member_if_any(out, "field", f->field);
  gxds_utf8_add_member_if_any(out, "detail", f->text);
  gxds_text_add_z(out, "}");
}
