#include "web/index.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "json/json.h"

void gxds_sha256(gxds_str bytes, unsigned char digest[GXDS_SHA256_SIZE]) {
  unsigned size = 0;
  GXDS_CHECK(EVP_Digest(bytes.data ? bytes.data : "", bytes.size, digest, &size, EVP_sha256(),
                        NULL) == 1 &&
             size == GXDS_SHA256_SIZE);
}

/* ---- paths ---- */

static bool is_path_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

const char *gxds_web_path_check(gxds_str path) {
  if (path.size == 0 || path.size > GXDS_WEB_PATH_MAX) return "must have 1 to 1024 bytes";
  size_t name = 0; /* where the last part of the path begins */
  for (size_t i = 0; i < path.size; i++) {
    const char c = path.data[i];
    if (i == name && c == '.') return "may have no part that begins with a dot";
    if (i == name && c == '/') return "must be relative, with single slashes";
    if (c == '/') name = i + 1;
    if (c != '/' && !is_path_byte(c)) return "may have letters, digits, '.', '_', '-' and '/' only";
  }
  if (!gxds_dir_is_resource_file(gxds_str_from(path, name))) {
    return "must end as the name of a resource file does (.json, .yaml, .yml, .pb, …)";
  }
  return NULL;
}

/* ---- reading ---- */

static bool read_digest(gxds_str text, unsigned char out[GXDS_SHA256_SIZE]) {
  if (text.size != 2 * GXDS_SHA256_SIZE) return false;
  for (size_t i = 0; i < GXDS_SHA256_SIZE; i++) {
    const int high = gxds_hex_digit(text.data[2 * i]);
    const int low = gxds_hex_digit(text.data[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out[i] = (unsigned char)(high << 4 | low);
  }
  return true;
}

static void read_file(const json_t *object, const gxds_path *at, gxds_web_index_file *out,
                      gxds_errors *errors) {
  gxds_str path = {0};
  gxds_str digest = {0};
  uint64_t size = 0;
  if (!gxds_json_is_object(object, at, errors)) return;
  if (gxds_json_str(object, "path", GXDS_JSON_REQUIRED, at, errors, &path)) {
    const char *why = gxds_web_path_check(path);
    if (why) gxds_errors_add(errors, GXDS_FIELD(at, "path"), "%s", why);
  }
  if (gxds_json_uint64(object, "size", GXDS_JSON_REQUIRED, at, errors, &size) &&
      size > GXDS_FILE_SIZE_MAX) {
    gxds_errors_add(errors, GXDS_FIELD(at, "size"), "must be at most %zu", GXDS_FILE_SIZE_MAX);
  }
  if (gxds_json_str(object, "sha256", GXDS_JSON_REQUIRED, at, errors, &digest) &&
      !read_digest(digest, out->sha256)) {
    gxds_errors_add(errors, GXDS_FIELD(at, "sha256"), "must be 64 hexadecimal digits");
  }
  out->path = gxds_str_dup(path);
  out->size = size;
}

static int by_path(const void *a, const void *b) {
  return gxds_str_compare((*(const gxds_web_index_file *const *)a)->path,
                          (*(const gxds_web_index_file *const *)b)->path);
}

static void check_all(const gxds_web_index *in, const gxds_path *at, gxds_errors *errors) {
  const gxds_web_index_file **sorted = gxds_calloc(in->count, sizeof(void *));
  size_t total = 0;
  for (size_t i = 0; i < in->count; i++) {
    sorted[i] = &in->files[i];
    total += in->files[i].size;
  }
  if (total > GXDS_DIR_SIZE_MAX) {
    gxds_errors_add(errors, at, "have %zu bytes together; at most %zu are allowed", total,
                    GXDS_DIR_SIZE_MAX);
  }
  if (in->count) qsort(sorted, in->count, sizeof(void *), by_path);
  for (size_t i = 1; i < in->count; i++) {
    if (!gxds_str_equal(sorted[i]->path, sorted[i - 1]->path)) continue;
    gxds_errors_add(errors, GXDS_ITEM(NULL, "files", sorted[i] - in->files),
                    "\"%.*s\" is there twice", GXDS_STR_ARG(sorted[i]->path));
  }
  gxds_free(sorted);
}

static void read_root(const json_t *root, gxds_web_index *out, gxds_errors *errors) {
  const json_t *files = NULL;
  gxds_str version = {0};
  if (!gxds_json_is_object(root, NULL, errors)) return;
  gxds_json_str(root, "version", GXDS_JSON_REQUIRED, NULL, errors, &version);
  out->version = gxds_str_dup(version);
  if (!gxds_json_array(root, "files", GXDS_JSON_REQUIRED, NULL, errors, &files)) return;
  const size_t count = json_array_size(files);
  if (count > GXDS_DIR_FILES_MAX) {
    gxds_errors_add(errors, GXDS_FIELD(NULL, "files"), "has %zu entries; at most %u are allowed",
                    count, GXDS_DIR_FILES_MAX);
    return;
  }
  out->files = gxds_calloc(count, sizeof *out->files);
  out->count = count;
  const size_t before = errors->count;
  for (size_t i = 0; i < count; i++) {
    read_file(json_array_get(files, i), GXDS_ITEM(NULL, "files", i), &out->files[i], errors);
  }
  if (errors->count == before) check_all(out, GXDS_FIELD(NULL, "files"), errors);
}

bool gxds_web_index_read(gxds_str json, gxds_web_index *out, gxds_errors *errors) {
  *out = (gxds_web_index){0};
  json_error_t error;
  json_t *root = json_loadb(json.data ? json.data : "", json.size, JSON_REJECT_DUPLICATES, &error);
  if (root) {
    read_root(root, out, errors);
  } else {
    gxds_errors_add(errors, NULL, "JSON parse error at line %d, column %d: %s", error.line,
                    error.column, error.text);
  }
  json_decref(root);
  if (errors->count == 0) return true;
  gxds_web_index_fini(out);
  return false;
}

void gxds_web_index_fini(gxds_web_index *i) {
  for (size_t k = 0; k < i->count; k++) gxds_str_free(&i->files[k].path);
  gxds_free(i->files);
  gxds_str_free(&i->version);
  *i = (gxds_web_index){0};
}

/* ---- writing ---- */

static void add_digits(const unsigned char *digest, size_t size, gxds_text *out) {
  for (size_t i = 0; i < size; i++) gxds_text_addf(out, "%02x", digest[i]);
}

void gxds_web_index_write(const gxds_dir_files *files, gxds_text *out) {
  gxds_text list = {0};
  for (size_t i = 0; i < files->count; i++) {
    const gxds_file_input *file = &files->items[i];
    unsigned char digest[GXDS_SHA256_SIZE];
    gxds_sha256(file->bytes, digest);
    gxds_text_addf(&list, "%s\n  {\"path\": \"%.*s\", \"size\": %zu, \"sha256\": \"", i ? "," : "",
                   GXDS_STR_ARG(file->name), file->bytes.size);
    add_digits(digest, sizeof digest, &list);
    gxds_text_add_z(&list, "\"}");
  }
  unsigned char version[GXDS_SHA256_SIZE];
  gxds_sha256(gxds_text_str(&list), version);
  gxds_text_add_z(out, "{\"version\": \"");
  add_digits(version, 8, out);
  gxds_text_add_z(out, "\", \"files\": [");
  gxds_text_add(out, gxds_text_str(&list));
  gxds_text_add_z(out, "\n]}\n");
  gxds_text_fini(&list);
}
