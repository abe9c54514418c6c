#include <inttypes.h>

#include "resources/json_internal.h"

void gxds_json_add_duration(gxds_text *out, gxds_duration d) {
  gxds_text_addf(out, "\"%" PRId64 ".%09" PRId64 "s\"", d / GXDS_SECOND, d % GXDS_SECOND);
}
