/* gxds_web_index: describes a directory of resource files on a web server: its version, and the
 * path, size and SHA-256 of each file.
 *
 *     {"version": "…", "files": [{"path": "lds.yaml", "size": 321, "sha256": "64 digits"}, …]}
 *
 * Pure; lives in the caller's struct. */
#ifndef GRPC_XDS_WEB_INDEX_H_
#define GRPC_XDS_WEB_INDEX_H_

#include "base/errors.h"
#include "files/dir.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GXDS_SHA256_SIZE 32

/* The SHA-256 of bytes. */
void gxds_sha256(gxds_str bytes, unsigned char digest[GXDS_SHA256_SIZE]);

/* The most bytes of an index: enough for 10,000 files (GXDS_DIR_FILES_MAX) with paths of 200 bytes
 * each. */
#define GXDS_WEB_INDEX_SIZE_MAX ((size_t)4 << 20)
#define GXDS_WEB_PATH_MAX 1024u

typedef struct gxds_web_index_file {
  gxds_str path; /* relative to the index; first, for gxds_str_compare_items() */
  size_t size;
  unsigned char sha256[GXDS_SHA256_SIZE];
} gxds_web_index_file;

typedef struct gxds_web_index {
  gxds_str version;
  gxds_web_index_file *files; /* the files, in the order of the index; each path once */
  size_t count;
} gxds_web_index;

/* Reads an index. If the index has errors, adds all of them to errors and returns false; then there
 * is nothing to free. Unknown members are ignored. */
bool gxds_web_index_read(gxds_str json, gxds_web_index *out, gxds_errors *errors);
void gxds_web_index_fini(gxds_web_index *i);

/* Checks a path of an index. It may have letters, digits and "._-" between single slashes, but no
 * hidden part and no part that leads upwards, and its name must be that of a resource file
 * (gxds_dir_read()). Returns NULL if it is valid, else the reason as a static text. */
const char *gxds_web_path_check(gxds_str path);

/* Adds the index of these files. The version is computed from all their digests. All names must
 * pass gxds_web_path_check(). */
void gxds_web_index_write(const gxds_dir_files *files, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
