/* Parsing of a response by `xds status`. */
#include <stdint.h>

#include "tools/status/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gxds_report report;
  gxds_text text = {0};
  gxds_view *root = gxds_view_add(NULL, "process", gxds_str_z("1"));
  gxds_report_add(root, gxds_str_of((const char *)data, size), &report);
  gxds_view_render_text(root, false, &text);
  gxds_view_destroy(root);
  gxds_text_fini(&text);
  return 0;
}
