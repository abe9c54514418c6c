#include "files/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/memory.h"
#include "files/starved.h"

bool gxds_dir_is_resource_file(gxds_str name) {
  if (name.size == 0 || name.data[0] == '.') return false;
  if (gxds_str_equal(name, gxds_str_z(GXDS_DIR_INDEX_NAME))) return false;
  return gxds_file_is_binary(name) || gxds_file_is_prototext(name) ||
         gxds_str_ends_with(name, gxds_str_z(".json")) ||
         gxds_str_ends_with(name, gxds_str_z(".yaml")) ||
         gxds_str_ends_with(name, gxds_str_z(".yml"));
}

void gxds_dir_files_fini(gxds_dir_files *f) {
  for (size_t i = 0; i < f->count; i++) {
    gxds_str_free(&f->items[i].name);
    gxds_str_free(&f->items[i].bytes);
  }
  gxds_free(f->items);
  *f = (gxds_dir_files){0};
}

/* Adds the error of a call that failed with errno. If no event says when the call would succeed,
 * notes the error, so that the caller tries again. What is missing is watched for. */
static void add_failure(gxds_dir_files *out, gxds_file_errors *errors, const char *what) {
  const int error = errno;
  const char *why = gxds_starved_of(error);
  if (!why) why = strerrordesc_np(error);
  if (error != ENOENT && error != ENOTDIR && error != ELOOP) out->starved = why;
  gxds_file_errors_add(errors, 0, NULL, "%s: %s", what, why ? why : strerror(error));
}

/* Lists the names of the resource files, sorted, without contents. */
static bool list_names(int dir, gxds_dir_files *out, gxds_file_errors *errors) {
  int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = copy < 0 ? NULL : fdopendir(copy);
  if (!stream) {
    add_failure(out, errors, "cannot list the directory");
    if (copy >= 0) close(copy);
    return false;
  }
  size_t capacity = 0;
  const size_t before = errors->count;
  for (;;) {
    errno = 0; /* tells the end of the directory from an error */
    const struct dirent *entry = readdir(stream);
    if (!entry && errno) add_failure(out, errors, "cannot list the directory");
    if (!entry) break;
    gxds_str name = gxds_str_z(entry->d_name);
    if (!gxds_dir_is_resource_file(name)) continue;
    if (out->count == GXDS_DIR_FILES_MAX) {
      gxds_file_errors_add(errors, 0, NULL, "more than %u resource files", GXDS_DIR_FILES_MAX);
      break;
    }
    GXDS_MAKE_ROOM(out->items, out->count, capacity, 16);
    out->items[out->count++] = (gxds_file_input){.name = gxds_str_dup(name)};
  }
  closedir(stream);
  if (out->count) qsort(out->items, out->count, sizeof *out->items, gxds_str_compare_items);
  return errors->count == before;
}

/* A hash of the names, identities, sizes and times of all files. It changes if any of these
 * changes. */
static uint64_t stamp_of(int dir, const gxds_dir_files *files) {
  XXH3_state_t *state = XXH3_createState();
  XXH3_64bits_reset(state);
  for (size_t i = 0; i < files->count; i++) {
    struct stat st = {0};
    int failed = fstatat(dir, files->items[i].name.data, &st, 0);
    uint64_t words[] = {files->items[i].name.size,
                        (uint64_t)failed,
                        st.st_dev,
                        st.st_ino,
                        (uint64_t)st.st_size,
                        (uint64_t)st.st_mtim.tv_sec,
                        (uint64_t)st.st_mtim.tv_nsec};
    XXH3_64bits_update(state, words, sizeof words);
    XXH3_64bits_update(state, files->items[i].name.data, files->items[i].name.size);
  }
  uint64_t stamp = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  return stamp;
}

/* Reads one file; false after an error. The error of a file that was removed after it was listed
 * does not matter: the stamp has changed then, so the directory counts as unstable. */
static bool read_file(int dir, gxds_dir_files *out, gxds_file_input *file,
                      gxds_file_errors *errors) {
  size_t before = errors->count;
  errors->file = file->name;
  int fd = openat(dir, file->name.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat st;
  if (fd < 0 || fstat(fd, &st) != 0) {
    if (fd >= 0 || errno != ENOENT) {
      add_failure(out, errors, "cannot open");
    } else {
      gxds_file_errors_add(errors, 0, NULL, "cannot open: it is gone, or a link to nothing");
    }
    if (fd >= 0) close(fd);
    return false;
  }
  gxds_text bytes = {0};
  if (!S_ISREG(st.st_mode)) {
    gxds_file_errors_add(errors, 0, NULL, "is no regular file");
  } else if (!gxds_text_add_file(&bytes, fd, GXDS_FILE_SIZE_MAX)) {
    add_failure(out, errors, "cannot read");
  }
  file->bytes = gxds_text_take(&bytes);
  close(fd);
  return errors->count == before;
}

static uint64_t device_of(int dir) {
  struct stat st;
  return fstat(dir, &st) == 0 ? (uint64_t)st.st_dev : 0;
}

/* Reads the listed files, and keeps those that could be read. Returns how many bytes they have; it
 * stops when these are too many. */
static size_t read_contents(int dir, gxds_dir_files *out, gxds_file_errors *errors) {
  const size_t listed = out->count;
  size_t total = 0;
  out->count = 0;
  for (size_t i = 0; i < listed; i++) {
    gxds_file_input file = out->items[i];
    if (total <= GXDS_DIR_SIZE_MAX && read_file(dir, out, &file, errors)) {
      total += file.bytes.size;
      out->items[out->count++] = file;
    } else {
      gxds_str_free(&file.name);
      gxds_str_free(&file.bytes);
    }
  }
  return total;
}

static bool read_listed(int dir, gxds_dir_files *out, gxds_file_errors *errors) {
  size_t before = errors->count;
  uint64_t stamp = stamp_of(dir, out);
  size_t total = read_contents(dir, out, errors);
  errors->file = gxds_str_of(NULL, 0);
  gxds_dir_files again = {0};
  bool listed = list_names(dir, &again, errors);
  if (again.starved) out->starved = again.starved;
  out->unstable = listed ? stamp_of(dir, &again) != stamp : again.starved == NULL;
  gxds_dir_files_fini(&again);
  if (total > GXDS_DIR_SIZE_MAX) {
    gxds_file_errors_add(errors, 0, NULL, "more than %zu bytes in all files", GXDS_DIR_SIZE_MAX);
  }
  return errors->count == before;
}

static void drop_files(gxds_dir_files *out) {
  gxds_dir_files none = {.unstable = out->unstable, .starved = out->starved};
  gxds_dir_files_fini(out);
  *out = none;
}

bool gxds_dir_read_readable(const char *path, gxds_dir_files *out, gxds_file_errors *errors) {
  *out = (gxds_dir_files){0};
  errors->file = gxds_str_z(path);
  /* Everything is read through one descriptor. So if the path is swapped in the meantime, the files
   * of two directories are not mixed. */
  int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool ok = dir >= 0;
  if (!ok) {
    add_failure(out, errors, "cannot open the directory");
  }
  if (ok) out->device = device_of(dir);
  if (ok && list_names(dir, out, errors)) {
    ok = read_listed(dir, out, errors);
  } else {
    drop_files(out);
    ok = false;
  }
  if (dir >= 0) close(dir);
  errors->file = gxds_str_of(NULL, 0);
  return ok;
}

bool gxds_dir_read(const char *path, gxds_dir_files *out, gxds_file_errors *errors) {
  bool ok = gxds_dir_read_readable(path, out, errors);
  if (!ok) drop_files(out);
  return ok;
}
