/* Reading a directory of resource files: blocking I/O, any thread. */
#ifndef GRPC_XDS_FILES_DIR_H_
#define GRPC_XDS_FILES_DIR_H_

#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most files of a directory. One file holds many resources, so a directory with more is a
 * mistake. */
#define GXDS_DIR_FILES_MAX 10000u
/* The most bytes of all files together, so that a directory is limited as a file is. */
#define GXDS_DIR_SIZE_MAX ((size_t)1 << 30)

typedef struct gxds_dir_files {
  gxds_file_input *items; /* sorted by name; owned, with their strings */
  size_t count;
  uint64_t device;     /* the file system that the directory is on, as stat() reports it */
  bool unstable;       /* the files changed while they were read, so they can't be used */
  const char *starved; /* why files could not be read, as text, if that may end without an event of
                          the files: what the system lacked, or its error; NULL: nothing */
} gxds_dir_files;

/* The index of a directory on a web server (web/index.h). It does not count as a resource file. */
#define GXDS_DIR_INDEX_NAME "xds-index.json"

/* Whether a file of that name is read: *.json, *.yaml, *.yml, *.pb, *.binpb, *.textproto, *.txtpb
 * or
 * *.pbtxt, not hidden. */
bool gxds_dir_is_resource_file(gxds_str name);

/* Reads all resource files of a directory, but not of folders in it. Symlinks are followed. If
 * anything cannot be read, adds an error, leaves *out empty, and returns false. The caller ends out
 * with gxds_dir_files_fini(). */
bool gxds_dir_read(const char *path, gxds_dir_files *out, gxds_file_errors *errors);
/* The same, but if files cannot be read, *out has the others. Each error has the name of its file
 * in the directory; those of the directory itself have its path, or no file. */
bool gxds_dir_read_readable(const char *path, gxds_dir_files *out, gxds_file_errors *errors);
void gxds_dir_files_fini(gxds_dir_files *f);

#ifdef __cplusplus
}
#endif

#endif
