#include "tools/serve/wire_input.h"

#include <xxhash.h>

#include "base/check.h"
#include "base/text.h"
#include "base/wire.h"
#include "upb/upb.h"

static gxds_str pad_whole(gxds_str bytes, upb_Arena *arena) {
  char *padded = upb_Arena_Malloc(arena, bytes.size + GXDS_WIRE_PADDING_SIZE);
  GXDS_CHECK(padded != NULL);
  gxds_wire_pad(bytes, padded);
  return gxds_str_of(padded, bytes.size + GXDS_WIRE_PADDING_SIZE);
}

bool gxds_serve_pad(gxds_str bytes, upb_Arena *arena, gxds_str *out) {
  if (!gxds_wire_is_whole(bytes)) return false;
  *out = pad_whole(bytes, arena);
  return true;
}

/* DiscoveryRequest.resource_names */
enum { kResourceNames = 3 };

bool gxds_serve_part_names(gxds_str bytes, upb_Arena *arena, gxds_str *rest, uint64_t *names) {
  if (!gxds_wire_is_whole(bytes)) return false;
  XXH3_state_t *state = XXH3_createState();
  GXDS_CHECK(state != NULL);
  XXH3_64bits_reset(state);
  gxds_text others = {0};
  gxds_str run = gxds_str_of(bytes.data, 0); /* names that follow one another: hashed together */
  gxds_wire_field field;
  while (gxds_wire_next(&bytes, &field)) {
    if (field.number != kResourceNames || !field.has_size) {
      gxds_text_add(&others, field.whole);
      continue;
    }
    if (field.whole.data != run.data + run.size) {
      XXH3_64bits_update(state, run.data, run.size);
      run = gxds_str_of(field.whole.data, 0);
    }
    run.size += field.whole.size;
  }
  XXH3_64bits_update(state, run.data, run.size);
  *names = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  *rest = pad_whole(gxds_text_str(&others), arena);
  gxds_text_fini(&others);
  return true;
}
