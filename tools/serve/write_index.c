#include "tools/serve/write_index.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "web/index.h"

/* Whether a client would accept the files. Adds all errors to errors. */
static bool check(const gxds_dir_files *files, gxds_file_errors *errors) {
  const size_t before = errors->count;
  for (size_t i = 0; i < files->count; i++) {
    const char *why = gxds_web_path_check(files->items[i].name);
    errors->file = files->items[i].name;
    if (why) gxds_file_errors_add(errors, 0, NULL, "its name %s", why);
  }
  errors->file = gxds_str_of(NULL, 0);
  gxds_schema *schema = gxds_schema_create();
  const gxds_file_set *set = gxds_file_set_build(schema, files->items, files->count, NULL, errors);
  gxds_file_set_unref(set);
  gxds_schema_destroy(schema);
  return errors->count == before;
}

bool gxds_serve_write_file(const char *path, gxds_str bytes) {
  gxds_str aside = gxds_str_format("%s.tmp", path);
  FILE *f = fopen(aside.data, "w");
  bool ok = f && fwrite(bytes.data, 1, bytes.size, f) == bytes.size && fflush(f) == 0 &&
            fsync(fileno(f)) == 0;
  if (f && fclose(f) != 0) ok = false;
  ok = ok && rename(aside.data, path) == 0;
  if (!ok) fprintf(stderr, "xds serve: %s: %s\n", path, strerror(errno));
  gxds_str_free(&aside);
  return ok;
}

static bool write_index(const char *dir, const gxds_dir_files *files) {
  gxds_text json = {0};
  gxds_str path = gxds_str_format("%s/" GXDS_DIR_INDEX_NAME, dir);
  gxds_web_index_write(files, &json);
  const bool ok = gxds_serve_write_file(path.data, gxds_text_str(&json));
  if (ok) printf("%s: %zu file%s\n", path.data, files->count, files->count == 1 ? "" : "s");
  gxds_str_free(&path);
  gxds_text_fini(&json);
  return ok;
}

int gxds_serve_write_index(const char *dir) {
  gxds_dir_files files = {0};
  gxds_file_errors errors = {0};
  bool ok = gxds_dir_read(dir, &files, &errors);
  if (ok && files.unstable) {
    gxds_file_errors_add(&errors, 0, NULL, "the files changed while they were read");
  }
  ok = ok && !files.unstable && check(&files, &errors);
  if (!ok) {
    gxds_text text = {0};
    gxds_file_errors_render(&errors, &text);
    fprintf(stderr, "%s", text.data);
    gxds_text_fini(&text);
  }
  ok = ok && write_index(dir, &files);
  gxds_file_errors_fini(&errors);
  gxds_dir_files_fini(&files);
  return ok ? 0 : 1;
}
