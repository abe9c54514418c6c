#include "files/file_errors.h"

#include "base/memory.h"

void gxds_file_errors_fini(gxds_file_errors *e) {
  for (size_t i = 0; i < e->stored; i++) {
    gxds_str_free(&e->items[i].file);
    gxds_str_free(&e->items[i].field);
    gxds_str_free(&e->items[i].text);
  }
  gxds_free(e->items);
  *e = (gxds_file_errors){0};
}

static gxds_str escaped(gxds_str s) {
  gxds_text text = {0};
  gxds_text_add_escaped(&text, s);
  return gxds_text_take(&text);
}

void gxds_file_errors_add(gxds_file_errors *e, uint32_t line, const gxds_path *at,
                          const char *format, ...) {
  e->count++;
  if (e->stored == GXDS_FILE_ERRORS_MAX) return;
  GXDS_MAKE_ROOM(e->items, e->stored, e->capacity, 4);
  gxds_text message = {0};
  GXDS_TEXT_ADD_ARGS(&message, format);
  gxds_text path = {0};
  gxds_path_render(at, &path);
  e->items[e->stored++] = (gxds_file_error){.file = escaped(e->file),
                                            .line = line,
                                            .field = escaped(gxds_text_str(&path)),
                                            .text = escaped(gxds_text_str(&message))};
  gxds_text_fini(&path);
  gxds_text_fini(&message);
}

/* Without a line end. */
static void render(const gxds_file_error *e, gxds_text *out) {
  gxds_text_add(out, e->file);
  if (e->line) gxds_text_addf(out, ":%u", (unsigned)e->line);
  if (e->file.size) gxds_text_add_z(out, ": ");
  if (e->field.size) gxds_text_addf(out, "field %.*s: ", GXDS_STR_ARG(e->field));
  gxds_text_add(out, e->text);
}

void gxds_file_errors_render(const gxds_file_errors *e, gxds_text *out) {
  for (size_t i = 0; i < e->stored; i++) {
    render(&e->items[i], out);
    gxds_text_add_z(out, "\n");
  }
  if (e->count > e->stored) gxds_text_addf(out, "and %zu more errors\n", e->count - e->stored);
}

void gxds_file_errors_render_line(const gxds_file_errors *e, gxds_text *out) {
  const size_t start = out->size;
  gxds_file_errors_render(e, out);
  if (out->size > start) out->data[--out->size] = 0; /* without the last newline */
  for (size_t i = start; i < out->size; i++) {
    if (out->data[i] == '\n') out->data[i] = ';';
  }
}
