/* A request to `xds serve --rest`, which any client may send. */
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"
#include "files/synthetic.h"
#include "tools/serve/rest/responses.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static gxds_schema *schema;
  static const gxds_file_set *set;
  if (!schema) {
    const gxds_synthetic synthetic = {.clusters = 3, .endpoints = 2, .localities = 1, .seed = 1};
    schema = gxds_schema_create();
    set = gxds_synthetic_set(&synthetic);
  }
  gxds_rest_response a =
      gxds_rest_respond(schema, set, GXDS_FILE_CLUSTER, gxds_str_of((const char *)data, size));
  GXDS_CHECK(a.code == 200 || a.code == 304 || a.code == 400);
  gxds_rest_response_fini(&a);
  return 0;
}
