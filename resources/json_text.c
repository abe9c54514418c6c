#include <inttypes.h>

#include "resources/json_internal.h"

void gxds_json_add_string(gxds_text *out, gxds_str s) {
  gxds_text_add_z(out, "\"");
  size_t done = 0;
  for (size_t i = 0; i < s.size; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    gxds_text_add(out, gxds_str_of(s.data + done, i - done));
    if (c < 0x20) {
      gxds_text_addf(out, "\\u%04x", c);
    } else {
      gxds_text_addf(out, "\\%c", c);
    }
    done = i + 1;
  }
  if (done < s.size) gxds_text_add(out, gxds_str_of(s.data + done, s.size - done));
  gxds_text_add_z(out, "\"");
}

void gxds_json_add_duration(gxds_text *out, gxds_duration d) {
  gxds_text_addf(out, "\"%" PRId64 ".%09" PRId64 "s\"", d / GXDS_SECOND, d % GXDS_SECOND);
}
