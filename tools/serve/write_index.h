/* `xds serve --write-index`: makes a directory of resource files ready for any web server. */
#ifndef GRPC_XDS_TOOLS_SERVE_WRITE_INDEX_H_
#define GRPC_XDS_TOOLS_SERVE_WRITE_INDEX_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Writes xds-index.json into dir, under another name first, and then renames it. Do this after all
 * other changes in dir. If the files have errors, prints these and writes nothing. Prints what it
 * wrote. Returns the exit status. Blocking I/O. */
int gxds_serve_write_index(const char *dir);

#ifdef __cplusplus
}
#endif

#endif
