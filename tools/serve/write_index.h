/* `xds serve --write-index`: writes the index that clients need if a web server serves a directory
 * of resource files. */
#ifndef GRPC_XDS_TOOLS_SERVE_WRITE_INDEX_H_
#define GRPC_XDS_TOOLS_SERVE_WRITE_INDEX_H_

#include <stdbool.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a file under another name and renames it, so that a reader never finds an incomplete file.
 * On failure prints the reason and returns false. Blocking I/O. */
bool gxds_serve_write_file(const char *path, gxds_str bytes);

/* Writes xds-index.json into dir, under another name first, and then renames it. Do this after all
 * other changes in dir. If the files have errors, prints the errors and writes nothing. Else prints
 * the path and the number of files. Returns the exit status. Blocking I/O. */
int gxds_serve_write_index(const char *dir);

#ifdef __cplusplus
}
#endif

#endif
