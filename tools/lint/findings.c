#include "tools/lint/findings.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "tools/lint/field_line.h"

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

void gxds_lint_print_more(const gxds_file_errors *errors) {
  if (errors->count == errors->stored) return;
  fprintf(stderr, "xds lint: and %zu more errors\n", errors->count - errors->stored);
}

void gxds_findings_add_file_errors(gxds_findings *f, const gxds_file_errors *errors) {
  for (size_t i = 0; i < errors->stored; i++) {
    const gxds_file_error *e = &errors->items[i];
    gxds_findings_add(f, &(gxds_finding){.kind = GXDS_FINDING_ERROR,
                                         .file = e->file,
                                         .line = e->line,
                                         .field = e->field,
                                         .text = e->text});
  }
  gxds_lint_print_more(errors);
}

void gxds_lint_warn(const gxds_lint_subject *s, uint32_t line, const gxds_path *at,
                    const char *text) {
  gxds_text field = {0};
  gxds_path_render(at, &field);
  gxds_findings_add(s->findings, &(gxds_finding){.kind = GXDS_FINDING_WARNING,
                                                 .file = s->file,
                                                 .line = line,
                                                 .resource = s->resource,
                                                 .field = gxds_text_str(&field),
                                                 .text = gxds_str_z(text)});
  gxds_text_fini(&field);
}

static void add_error(void *arg, gxds_str field, gxds_str error) {
  const gxds_lint_subject *s = arg;
  gxds_findings_add(s->findings,
                    &(gxds_finding){.kind = GXDS_FINDING_ERROR,
                                    .file = s->file,
                                    .line = s->node ? gxds_field_line(s->node, field) : 0,
                                    .resource = s->resource,
                                    .field = field,
                                    .text = error});
}

void gxds_lint_refuse(gxds_lint_subject *s, gxds_errors *take_errors, gxds_status *take_status) {
  gxds_errors_each(take_errors, add_error, s);
  if (!gxds_status_is_ok(take_status) && take_errors->count == 0) {
    add_error(s, gxds_str_of(NULL, 0), take_status->message);
  }
  gxds_errors_fini(take_errors);
  gxds_status_fini(take_status);
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
