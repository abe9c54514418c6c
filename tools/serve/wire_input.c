#include "tools/serve/wire_input.h"

#include "base/check.h"
#include "base/wire.h"
#include "upb/upb.h"

bool gxds_serve_pad(gxds_str bytes, upb_Arena *arena, gxds_str *out) {
  if (!gxds_wire_is_whole(bytes)) return false;
  char *padded = upb_Arena_Malloc(arena, bytes.size + GXDS_WIRE_PADDING_SIZE);
  GXDS_CHECK(padded != NULL);
  gxds_wire_pad(bytes, padded);
  *out = gxds_str_of(padded, bytes.size + GXDS_WIRE_PADDING_SIZE);
  return true;
}
