#include "base/errors.h"

#include <stdlib.h>

#include "base/memory.h"

struct gxds_field_error {
  gxds_str path;
  gxds_str message;
  size_t order; /* qsort is not stable: errors of one path stay in the order they were found */
};

static void render_from(const gxds_path *at, size_t start, gxds_text *out) {
  if (!at) return;
  render_from(at->up, start, out);
  if (at->field) {
    if (out->size > start) gxds_text_add_z(out, ".");
    gxds_text_add_z(out, at->field);
  }
  if (at->index >= 0) gxds_text_addf(out, "[%lld]", (long long)at->index);
  if (at->key) {
    gxds_text_add_z(out, "[\"");
    gxds_text_add_z(out, at->key);
    gxds_text_add_z(out, "\"]");
  }
}

void gxds_path_render(const gxds_path *at, gxds_text *out) { render_from(at, out->size, out); }

void gxds_errors_fini(gxds_errors *e) {
  for (size_t i = 0; i < e->stored; i++) {
    gxds_str_free(&e->items[i].path);
    gxds_str_free(&e->items[i].message);
  }
  gxds_free(e->items);
  *e = (gxds_errors){0};
}

void gxds_errors_add(gxds_errors *e, const gxds_path *at, const char *format, ...) {
  e->count++;
  if (e->stored == GXDS_ERRORS_MAX) return;
  GXDS_MAKE_ROOM(e->items, e->stored, e->capacity, 4);
  gxds_text path = {0};
  gxds_path_render(at, &path);
  gxds_text message = {0};
  GXDS_TEXT_ADD_ARGS(&message, format);
  e->items[e->stored] = (struct gxds_field_error){
      .path = gxds_text_take(&path), .message = gxds_text_take(&message), .order = e->stored};
  e->stored++;
}

static int by_path(const void *a, const void *b) {
  const struct gxds_field_error *x = a;
  const struct gxds_field_error *y = b;
  int order = gxds_str_compare(x->path, y->path);
  return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* A sorted copy of the items; the caller frees it. */
static struct gxds_field_error *sort(const gxds_errors *e) {
  struct gxds_field_error *sorted = gxds_calloc(e->stored, sizeof *sorted);
  memcpy(sorted, e->items, e->stored * sizeof *sorted);
  qsort(sorted, e->stored, sizeof *sorted, by_path);
  return sorted;
}

void gxds_errors_each(const gxds_errors *e, void (*fn)(void *arg, gxds_str field, gxds_str error),
                      void *arg) {
  if (e->count == 0) return;
  struct gxds_field_error *sorted = sort(e);
  gxds_text field = {0};
  gxds_text message = {0};
  for (size_t i = 0; i < e->stored; i++) {
    gxds_text_clear(&field);
    gxds_text_clear(&message);
    gxds_text_add_escaped(&field, sorted[i].path);
    gxds_text_add_escaped(&message, sorted[i].message);
    fn(arg, gxds_text_str(&field), gxds_text_str(&message));
  }
  if (e->count > e->stored) {
    gxds_text_clear(&message);
    gxds_text_addf(&message, "and %zu more", e->count - e->stored);
    fn(arg, gxds_str_of(NULL, 0), gxds_text_str(&message));
  }
  gxds_text_fini(&field);
  gxds_text_fini(&message);
  gxds_free(sorted);
}

gxds_status gxds_errors_status(const gxds_errors *e, const char *prefix) {
  if (e->count == 0) return gxds_status_ok();
  struct gxds_field_error *sorted = sort(e);
  gxds_text out = {0};
  gxds_text_add_z(&out, prefix);
  gxds_text_add_z(&out, ": [");
  for (size_t i = 0; i < e->stored;) {
    size_t end = i + 1;
    while (end < e->stored && gxds_str_equal(sorted[end].path, sorted[i].path)) end++;
    if (i > 0) gxds_text_add_z(&out, "; ");
    gxds_text_add_z(&out, "field:");
    gxds_text_add_escaped(&out, sorted[i].path);
    gxds_text_add_z(&out, end - i > 1 ? " errors:[" : " error:");
    for (size_t j = i; j < end; j++) {
      if (j > i) gxds_text_add_z(&out, "; ");
      gxds_text_add_escaped(&out, sorted[j].message);
    }
    if (end - i > 1) gxds_text_add_z(&out, "]");
    i = end;
  }
  if (e->count > e->stored) gxds_text_addf(&out, "; and %zu more", e->count - e->stored);
  gxds_text_add_z(&out, "]");
  gxds_free(sorted);
  return (gxds_status){GXDS_INVALID_ARGUMENT, gxds_text_take(&out)};
}
