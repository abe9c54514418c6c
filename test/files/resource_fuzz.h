/* Shared by all fuzz targets of resource files: builds a set and checks the result. */
#ifndef GRPC_XDS_TEST_FILES_RESOURCE_FUZZ_H_
#define GRPC_XDS_TEST_FILES_RESOURCE_FUZZ_H_

#include "base/check.h"
#include "files/file_set.h"

/* The schema is made once, because it costs more than a run. */
static inline void fuzz_file(const char *name, const uint8_t *data, size_t size) {
  static gxds_schema *schema;
  if (!schema) schema = gxds_schema_create();
  gxds_file_input file = {gxds_str_z(name), gxds_str_of((const char *)data, size)};
  gxds_file_errors errors = {0};
  const gxds_file_set *set = gxds_file_set_build(schema, &file, 1, NULL, &errors);
  GXDS_CHECK((set == NULL) == (errors.count > 0));
  for (size_t i = 0; i < errors.stored; i++) {
    GXDS_CHECK(errors.items[i].text.size > 0);
    GXDS_CHECK(gxds_str_equal(errors.items[i].file, file.name));
  }
  gxds_file_errors_fini(&errors);
  gxds_file_set_unref(set);
}

#endif
