/* `xds serve --write-index`: makes a directory of resource files ready for any web server. */
#ifndef GRPC_XDS_TOOLS_SERVE_WRITE_INDEX_H_
#define GRPC_XDS_TOOLS_SERVE_WRITE_INDEX_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Writes xds-index.json into dir, which is the last thing to be done there: aside, then renamed. A
 * directory with errors gets none: they are printed. Prints what it wrote. Returns the status to
 * exit with. Blocking I/O. */
int gxds_serve_write_index(const char *dir);

#ifdef __cplusplus
}
#endif

#endif
