/* One resource file → the resources in it. Private to files/. */
#ifndef GRPC_XDS_FILES_FILE_READER_H_
#define GRPC_XDS_FILES_FILE_READER_H_

#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Resources as they are found; each entry holds a reference. */
typedef struct gxds_file_found {
  gxds_file_entry *entries;
  size_t count;
  size_t capacity;
} gxds_file_found;

void gxds_file_found_fini(gxds_file_found *f);

/* Adds the resources of a file, and what is wrong in it to errors. name: borrow, as long as the
 * entries and the errors' current file. */
void gxds_file_read(const gxds_schema *schema, gxds_str name, gxds_str bytes,
                    gxds_file_found *found, gxds_file_errors *errors);

/* Copies name and bytes. One reference, the caller's. (file_set.c) */
gxds_file_resource *gxds_file_resource_create(gxds_file_type type, gxds_str name, gxds_str bytes);

#ifdef __cplusplus
}
#endif

#endif
